/** Where ids come from: the platform's cryptographic source, or a seed for runs that must be alike. */
import type { Random } from '@latchkey/acl'

export function createRandom(seed: number | undefined): Random {
  if (seed === undefined) return { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) }
  const next = mulberry32(seed)
  return { bytes: (count) => Uint8Array.from({ length: count }, () => next() >>> 24) }
}

/** A small generator of 32-bit numbers, the same on every platform. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}
