import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Machines are busy; a test that hangs is found all the same. Files that wait for processes leave room for others.
  test: {
    testTimeout: 30_000,
    maxWorkers: 3,
    include: ['src/**/*.test.ts'],
    // Servers that a rehearsal starts find the code that others have compiled.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'latchkey-compiled') },
  },
})
