/** Randomness of tests: a run is its seed, printed before it begins. `LATCHKEY_SEED` repeats a run. */

interface Environment {
  readonly process?: { readonly env: Readonly<Record<string, string | undefined>> }
}

/** A variable of the environment; undefined where there is none, as in a browser. */
export function environment(name: string): string | undefined {
  return (globalThis as Environment).process?.env[name]
}

/** The seed of this run: `LATCHKEY_SEED`, else a new one. Printed with the name of the test. */
export function chooseSeed(testName: string): number {
  const seed = Number(environment('LATCHKEY_SEED') ?? Math.floor(Math.random() * 2 ** 32))
  console.log(`${testName}: LATCHKEY_SEED=${seed}`)
  return seed
}

/** How many cases a fuzz test runs: `LATCHKEY_FUZZ`, else the number that CI has time for. */
export function fuzzCount(inCi: number): number {
  return Number(environment('LATCHKEY_FUZZ') ?? inCi)
}

/** Numbers from a seed (mulberry32): good enough to vary tests, and the same everywhere. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** 0 ≤ result < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** 0 ≤ result < bound, whole. */
  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(values: readonly [T, ...T[]] | readonly T[]): T {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new TypeError('nothing to pick from')
    return value
  }
}
