/** Seeded random numbers for simulations, reproducible mocks and tests. Not for secrets. */
import { type Random, randomUuid } from './ports.ts'

/** The mulberry32 generator: the same numbers on every machine. */
export class SeededRandom implements Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = this.state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new TypeError('nothing to pick from')
    return values[this.below(values.length)] as T
  }

  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, value] of choices) {
      left -= weight
      if (left < 0) return value
    }
    return this.pick(choices)[1]
  }

  shuffled<T>(values: readonly T[]): T[] {
    const order = [...values]
    for (let i = order.length - 1; i > 0; i -= 1) {
      const j = this.below(i + 1)
      const moved = order[i] as T
      order[i] = order[j] as T
      order[j] = moved
    }
    return order
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256))
  }

  uuid(): string {
    return randomUuid(this)
  }
}
