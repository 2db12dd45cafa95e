import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Machines are busy; a test that hangs is found all the same.
  // Nothing here touches what other files see, so one module graph serves them all, on all cores.
  test: {
    testTimeout: 30_000,
    isolate: false,
    maxWorkers: '100%',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
