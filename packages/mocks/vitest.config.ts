import { defineConfig } from 'vitest/config'

const COMMON = {
  // A generous timeout for starting browsers on busy machines.
  testTimeout: 180_000,
  // The files share no state, so they share one module graph.
  isolate: false,
  expect: { poll: { timeout: 90_000 } },
}

export default defineConfig({
  test: {
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...COMMON,
          name: 'units',
          // Node runs TypeScript itself.
          experimental: { viteModuleRunner: false },
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
        },
      },
      { test: { ...COMMON, name: 'examples', include: ['examples/**/*.test.{ts,tsx}'] } },
    ],
  },
})
