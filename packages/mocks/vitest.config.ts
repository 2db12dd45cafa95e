import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Browsers are started and machines are busy; a test that hangs is found all the same.
  test: {
    testTimeout: 60_000,
    maxWorkers: '100%',
    expect: { poll: { timeout: 20_000 } },
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.{ts,tsx}'],
  },
})
