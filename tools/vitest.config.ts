import { defineConfig } from 'vitest/config'

export default defineConfig({
  // A generous timeout for busy machines. The files share no state, so they share one module graph.
  test: { testTimeout: 180_000, isolate: false, include: ['**/*.test.ts'] },
})
