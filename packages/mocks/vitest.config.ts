import { defineConfig } from 'vitest/config'

export default defineConfig({
  // A generous timeout for starting browsers on busy machines.
  test: {
    testTimeout: 180_000,
    maxWorkers: '100%',
    // The files share no state, so they share one module graph.
    isolate: false,
    expect: { poll: { timeout: 90_000 } },
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.{ts,tsx}'],
  },
})
