import { defineConfig } from 'vitest/config'

export default defineConfig({
  // A generous timeout for busy machines.
  test: {
    // Node runs TypeScript itself.
    experimental: { viteModuleRunner: false },
    testTimeout: 180_000,
    include: ['test/**/*.test.ts'],
  },
})
