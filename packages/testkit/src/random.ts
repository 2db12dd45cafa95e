/** Seeded randomness for tests: each run prints its seed first, and `LATCHKEY_SEED` replays it. */

export { SeededRandom } from '@latchkey/acl'

interface Environment {
  readonly process?: { readonly env: Readonly<Record<string, string | undefined>> }
}

/** An environment variable; undefined if unset, as in a browser. */
function environment(name: string): string | undefined {
  return (globalThis as Environment).process?.env[name]
}

/** The seed of this run: `LATCHKEY_SEED` or a new one, which the caller prints. */
export function seedOfRun(): number {
  return Number(environment('LATCHKEY_SEED') ?? Math.floor(Math.random() * 2 ** 32))
}

/** Like `seedOfRun`, and prints the seed with the name of the test. */
export function chooseSeed(testName: string): number {
  const seed = seedOfRun()
  console.log(`${testName}: LATCHKEY_SEED=${seed}`)
  return seed
}

/** How many cases a fuzz test runs: `LATCHKEY_FUZZ`, or a number that fits into a CI run. */
export function fuzzCount(inCi: number): number {
  return Number(environment('LATCHKEY_FUZZ') ?? inCi)
}
