import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Machines are busy; a test that hangs is found all the same. Files that wait for processes leave room for others.
  test: { testTimeout: 30_000, maxWorkers: 2, include: ['src/**/*.test.ts'] },
})
