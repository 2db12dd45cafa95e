import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Generous for busy machines; a test that hangs still fails. Files that wait for processes leave room for others.
  test: {
    testTimeout: 180_000,
    // Removing the files of a database takes long on a busy disk.
    hookTimeout: 120_000,
    maxWorkers: 3,
    // Each rehearsal has a database and up to four servers.
    maxConcurrency: 3,
    // The files share no state, so they share one module graph.
    isolate: false,
    include: ['src/**/*.test.ts'],
    // Servers that a rehearsal starts reuse compiled code.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'latchkey-compiled') },
  },
})
