import { defineConfig } from 'vitest/config'

export default defineConfig({
  // A generous timeout for busy machines. The files share no state, so they share one module graph, on all cores.
  test: {
    // Node runs TypeScript itself.
    experimental: { viteModuleRunner: false },
    testTimeout: 180_000,
    isolate: false,
    maxWorkers: '100%',
    include: ['{src,scripts}/**/*.test.ts'],
  },
})
