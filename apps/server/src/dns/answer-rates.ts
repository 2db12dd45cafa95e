/** Limits how many DNS questions of one address are answered: over UDP anyone can ask in the name of anyone. */
import { BoundedMap } from '@latchkey/service'

/** A client may ask this many seconds' worth of questions at once. */
const BURST_SECONDS = 2
/** Maximum number of clients that are tracked. Others start with a full bucket. */
const CLIENTS_MAX = 20_000

interface Bucket {
  left: number
  /** In milliseconds of a clock that never goes back. */
  filledAt: number
}

export class AnswerRates {
  private readonly perSecond: number
  private readonly now: () => number
  private readonly buckets = new BoundedMap<string, Bucket>(CLIENTS_MAX)

  /** @param perSecond answers to one client per second; 0 for no limit. */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.perSecond = perSecond
    this.now = now
  }

  /** Counts a question. @returns whether it may be answered. */
  take(client: string): boolean {
    if (this.perSecond === 0) return true
    const now = this.now()
    const most = this.perSecond * BURST_SECONDS
    const bucket = this.buckets.get(client) ?? this.buckets.set(client, { left: most, filledAt: now }, 1)
    bucket.left = Math.min(bucket.left + ((now - bucket.filledAt) / 1_000) * this.perSecond, most)
    bucket.filledAt = now
    if (bucket.left < 1) return false
    bucket.left -= 1
    return true
  }
}
