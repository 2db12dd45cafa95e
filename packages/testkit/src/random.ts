/** Randomness of tests: each run prints its seed first, and `LATCHKEY_SEED` replays it. */

export { SeededRandom } from '@latchkey/acl'

interface Environment {
  readonly process?: { readonly env: Readonly<Record<string, string | undefined>> }
}

/** An environment variable; undefined if unset, as in a browser. */
function environment(name: string): string | undefined {
  return (globalThis as Environment).process?.env[name]
}

/** The seed of this run: `LATCHKEY_SEED`, else a new one. The caller prints it. */
export function seedOfRun(): number {
  return Number(environment('LATCHKEY_SEED') ?? Math.floor(Math.random() * 2 ** 32))
}

/** `seedOfRun`, printed with the name of the test. */
export function chooseSeed(testName: string): number {
  const seed = seedOfRun()
  console.log(`${testName}: LATCHKEY_SEED=${seed}`)
  return seed
}

/** How many cases a fuzz test runs: `LATCHKEY_FUZZ`, else the number that CI has time for. */
export function fuzzCount(inCi: number): number {
  return Number(environment('LATCHKEY_FUZZ') ?? inCi)
}
