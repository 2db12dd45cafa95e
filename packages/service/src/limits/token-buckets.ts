import { BoundedMap } from '../bounded-map.ts'

/** Maximum number of tracked keys. Untracked keys start with a full bucket. */
const BUCKETS_MAX = 20_000

export interface Rate {
  /** What the limit applies to, such as a client. */
  readonly key: string
  readonly perSecond: number
  /** The burst size: this many seconds' worth may happen at once. */
  readonly burstSeconds: number
}

/** Enforces rate limits, for one process or for several. */
export interface RateLimits {
  take(rate: Rate, count: number): Taken | Promise<Taken>
}

export interface Taken {
  readonly taken: number
  readonly waitMs: number
}

type Bucket = { left: number; filledAt: number }

export class TokenBuckets implements RateLimits {
  private readonly now: () => number
  private readonly buckets = new BoundedMap<string, Bucket>(BUCKETS_MAX)

  /** @param now in milliseconds. A clock that steps back refills nothing. */
  constructor(now: () => number) {
    this.now = now
  }

  take({ key, perSecond, burstSeconds }: Rate, count: number): Taken {
    const now = this.now()
    const most = perSecond * burstSeconds
    const bucket = this.buckets.get(key) ?? this.buckets.set(key, { left: most, filledAt: now }, 1)
    const passed = Math.max(now - bucket.filledAt, 0)
    bucket.left = Math.min(bucket.left + (passed / 1_000) * perSecond, most)
    bucket.filledAt = now
    const taken = Math.min(Math.floor(bucket.left), count)
    bucket.left -= taken
    return { taken, waitMs: taken > 0 ? 0 : ((1 - bucket.left) * 1_000) / perSecond }
  }
}
