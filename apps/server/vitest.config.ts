import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Most of them wait for processes most of the time, and leave room for others.
    maxWorkers: 2,
    // Tests here start databases and processes, on machines that are busy with others.
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
