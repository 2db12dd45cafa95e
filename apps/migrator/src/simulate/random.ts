/** Everything random in a run is drawn from here, so that a run is its seed. */

export interface Random {
  /** A whole number from 0 up to, not including, `bound`. */
  below(bound: number): number
  /** True with the given probability. */
  chance(probability: number): boolean
  /** One of the items, of which there must be one. */
  pick<T>(items: readonly [T, ...T[]]): T
}

/** Mulberry32: 32 bits of state, good enough to mix schedules, and the same on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (bound: number): number => Math.floor(next() * bound)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] ?? items[0],
  }
}
