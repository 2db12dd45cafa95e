import { defineConfig } from 'vitest/config'

export default defineConfig({
  // A generous timeout for busy machines.
  test: {
    // Node runs TypeScript itself.
    experimental: { viteModuleRunner: false },
    testTimeout: 180_000,
    expect: { poll: { timeout: 90_000 } },
    // The files share no state, so they share one module graph.
    isolate: false,
    maxWorkers: '100%',
    include: ['src/**/*.test.ts'],
  },
})
