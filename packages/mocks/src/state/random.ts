/** Random ids: from the platform's cryptographic source, or from a seed for repeatable runs. */
import { type Random, SeededRandom } from '@latchkey/acl'

/** A source that a reset takes back to where the seed of the mock service was planted. */
export interface MockRandom extends Random {
  /** What was drawn up to here belongs to the seed of the mock service. */
  mark(): void
  /** Continues as after {@link MockRandom.mark}. */
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
