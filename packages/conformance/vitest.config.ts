import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Generous, since tests start processes on busy machines; a test that hangs still fails.
  test: {
    // Node runs TypeScript itself.
    experimental: { viteModuleRunner: false },
    testTimeout: 180_000,
    // Files that wait for processes leave room for others.
    maxWorkers: 3,
    // The files share no state, so they share one module graph.
    isolate: false,
    // Processes that tests start find the code that others have compiled.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'latchkey-compiled') },
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
