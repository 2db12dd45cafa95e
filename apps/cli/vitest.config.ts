import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Generous for busy machines; a test that hangs still fails.
  test: {
    // Node runs TypeScript itself.
    experimental: { viteModuleRunner: false },
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // The files share no state, so they share one module graph.
    isolate: false,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'latchkey-compiled') },
  },
})
