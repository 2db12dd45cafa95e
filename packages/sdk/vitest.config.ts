import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Machines are busy; a test that hangs is found all the same.
  test: {
    testTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: '100%',
    include: ['src/**/*.test.ts'],
  },
})
