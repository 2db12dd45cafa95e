import { defineConfig } from 'vitest/config'

export default defineConfig({
  // A generous timeout for busy machines.
  test: { testTimeout: 180_000, include: ['test/**/*.test.ts'] },
})
