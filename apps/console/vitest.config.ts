import { defineConfig } from 'vitest/config'

export default defineConfig({
  // A generous timeout for browsers and servers on busy machines.
  test: { testTimeout: 180_000, hookTimeout: 180_000, include: ['src/**/*.test.ts', 'test/**/*.test.ts'] },
})
