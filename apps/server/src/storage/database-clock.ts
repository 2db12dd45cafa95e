import type { Clock } from '@latchkey/acl'

/** A measurement stands for so long, unless a better one comes. */
const SAMPLE_MS_MAX = 10_000

interface Sample {
  /** Database time minus `performance.now()`, wrong by at most half of {@link roundTripMs}. */
  readonly offsetMs: number
  readonly roundTripMs: number
  readonly at: number
}

/**
 * The database's clock, followed between measurements by this process's monotonic one. So all processes decide expiry
 * by one clock, whatever their own machines say (EXP-04). It never goes back: what has expired once stays expired.
 */
export class DatabaseClock implements Clock {
  private sample: Sample | undefined
  private last = 0

  /** Whole milliseconds since the epoch. */
  now(): number {
    const offsetMs = this.sample?.offsetMs ?? performance.timeOrigin
    this.last = Math.max(this.last, Math.floor(performance.now() + offsetMs))
    return this.last
  }

  /** Takes a measurement: the database's time, and when it was asked and answered by `performance.now()`. */
  measure(databaseMs: number, askedAt: number, answeredAt: number): void {
    const roundTripMs = answeredAt - askedAt
    const best = this.sample
    if (best && roundTripMs > best.roundTripMs && answeredAt - best.at < SAMPLE_MS_MAX) {
      // Worse than what is known, and in agreement with it.
      if (Math.abs(databaseMs - (askedAt + answeredAt) / 2 - best.offsetMs) <= roundTripMs) return
    }
    this.sample = { offsetMs: databaseMs - (askedAt + answeredAt) / 2, roundTripMs, at: answeredAt }
  }
}
