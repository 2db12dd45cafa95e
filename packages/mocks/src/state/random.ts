/** Random IDs: from the platform's cryptographic source, or from a seed for repeatable runs. */
import { type Random, SeededRandom } from '@latchkey/acl'

/** A random source that a reset rewinds to the point after the seed records were written. */
export interface MockRandom extends Random {
  /** Marks the point after the seed records were written. */
  mark(): void
  /** Continues from the point of {@link MockRandom.mark}. */
  rewind(): void
}

export function createRandom(seed: number | undefined): MockRandom {
  return seed === undefined
    ? { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)), mark: () => {}, rewind: () => {} }
    : new RepeatableRandom(seed)
}

class RepeatableRandom implements MockRandom {
  private readonly seed: number
  private source: SeededRandom
  private drawn: number[] = []
  private isMarked = false

  constructor(seed: number) {
    this.seed = seed
    this.source = new SeededRandom(seed)
  }

  bytes(count: number): Uint8Array {
    if (!this.isMarked) this.drawn.push(count)
    return this.source.bytes(count)
  }

  mark(): void {
    this.isMarked = true
  }

  rewind(): void {
    this.source = new SeededRandom(this.seed)
    for (const count of this.drawn) this.source.bytes(count)
  }
}
