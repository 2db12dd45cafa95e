import { defineConfig } from 'vitest/config'

/** Pages that are open at once: most of the time each waits for something. */
const PAGES = 3

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'units', isolate: false, include: ['src/**/*.test.ts'] } },
      {
        test: {
          name: 'journeys',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/setup.ts'],
          // A generous timeout for browsers and servers on busy machines.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 120_000 } },
          sequence: { concurrent: true },
          maxConcurrency: PAGES,
        },
      },
    ],
  },
})
