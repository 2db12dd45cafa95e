import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Processes are started and machines are busy; a test that hangs is found all the same.
  test: {
    testTimeout: 120_000,
    // Files that wait for processes leave room for others.
    maxWorkers: 3,
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
