/** Randomness that a seed repeats. */
export interface SeededRandom {
  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T
  /** True once in `times`. */
  oneIn(times: number): boolean
}

/** Mulberry32. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    below,
    pick: (list) => {
      if (list.length === 0) throw new RangeError('nothing to pick from')
      return list[below(list.length)] as (typeof list)[number]
    },
    oneIn: (times) => below(times) === 0,
  }
}

/** The seed of a run: `LATCHKEY_SEED`, or a new one. Whoever fails prints it. */
export function seedOfRun(): number {
  const given = process.env.LATCHKEY_SEED
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given)
}
