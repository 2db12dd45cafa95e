import { uptime } from 'node:os'
import type { Clock } from '@latchkey/acl'

/** A measurement is valid this long, unless a better one replaces it. */
const SAMPLE_MS_MAX = 10_000
/** A slower answer is too imprecise: this process may have been paused. */
const ROUND_TRIP_MS_MAX = 1_000
/** Maximum accepted movement of the database's clock against the monotonic clock, in one step or several small ones. */
export const CLOCK_STEP_MS_MAX = 1_000
/** Fraction of elapsed time by which that budget refills, and by which rejected steps are corrected. */
const SLEW = 0.01
/** Once the budget is exhausted, a smaller difference is ignored until it has grown. */
const STEP_REFUSED_MS_MIN = 100

interface Sample {
  /** Database time minus `performance.now()`; the error is at most half of {@link roundTripMs}. */
  readonly offsetMs: number
  readonly roundTripMs: number
  readonly at: number
}

/** How far the database's clock is ahead of service time, as one process estimates it. */
export interface ClockOpinion {
  readonly aheadMs: number
  readonly isLeader: boolean
}

interface DatabaseClockOptions {
  readonly onStepRefused: (stepMs: number) => void
  /** Grows by as much as the machine slept; by default from its uptime. */
  readonly suspendedMs?: () => number
}

/**
 * Service time: the database's clock, extrapolated between measurements by this process's monotonic clock. All
 * processes therefore decide expiry by one clock, independently of their machines (EXP-04). It never goes back: a
 * token that has expired stays expired.
 *
 * It does not jump either. If the database's clock steps against the monotonic one, service time continues and
 * approaches the database's time by {@link SLEW}; the processes agree on the difference, see {@link settle}. The
 * monotonic clock stops while a machine sleeps; its uptime reveals that.
 */
export class DatabaseClock implements Clock {
  stepsRefused = 0
  aheadMs = 0
  private readonly suspendedMs: () => number
  private readonly onStepRefused: (stepMs: number) => void
  private sample: Sample | undefined
  private last = 0
  private suspendedBefore: number
  private measuredAt = 0
  private believedMs = CLOCK_STEP_MS_MAX
  /** The database's time when it last matched what was expected. */
  private confirmedMs: number | undefined
  /** Whether a step was rejected, so that other processes may know better. */
  private isDisputed = false

  constructor({ onStepRefused, suspendedMs = uptimeBeyondProcess }: DatabaseClockOptions) {
    this.suspendedMs = suspendedMs
    this.onStepRefused = onStepRefused
    this.suspendedBefore = suspendedMs()
  }

  now(): number {
    this.last = Math.max(this.last, Math.floor(this.databaseNow() - this.aheadMs))
    return this.last
  }

  /** The database's clock, steps included: for comparison with times that the database wrote. */
  databaseNow(): number {
    return performance.now() + (this.sample?.offsetMs ?? performance.timeOrigin)
  }

  /** Records a measurement: the database's time, and when it was requested and received, by `performance.now()`. */
  measure(databaseMs: number, askedAt: number, answeredAt: number): void {
    const roundTripMs = answeredAt - askedAt
    const sample = { offsetMs: databaseMs - (askedAt + answeredAt) / 2, roundTripMs, at: answeredAt }
    const best = this.sample
    if (!best) {
      this.sample = sample
      this.measuredAt = answeredAt
      this.confirmedMs = databaseMs
      return
    }
    if (roundTripMs > ROUND_TRIP_MS_MAX) return
    const differenceMs = sample.offsetMs - best.offsetMs
    const movedMs = Math.max(0, Math.abs(differenceMs) - (best.roundTripMs + roundTripMs) / 2)
    this.passTo(answeredAt)
    if (movedMs > this.believedMs) {
      if (movedMs < STEP_REFUSED_MS_MIN) return
      this.step(differenceMs)
      this.sample = sample
      return
    }
    if (!this.isDisputed) this.confirmedMs = databaseMs
    // Less precise than the current sample, and consistent with it.
    const isKnownBetter = roundTripMs > best.roundTripMs && answeredAt - best.at < SAMPLE_MS_MAX
    if (isKnownBetter && Math.abs(differenceMs) <= roundTripMs) return
    this.believedMs -= movedMs
    this.sample = sample
  }

  /** The opinion to publish; undefined if this process does not know better than the others. */
  opinion(): { readonly clock_ahead_ms: number; readonly clock_measured_ms: number } | undefined {
    if (this.confirmedMs === undefined) return undefined
    return { clock_ahead_ms: this.aheadMs, clock_measured_ms: this.confirmedMs }
  }

  /**
   * Adopts the recent estimate of another process. All follow the leader. A process that has rejected a step follows
   * any other, because its own clock may have stopped; if there is no other, it keeps its own estimate.
   */
  settle(other: ClockOpinion | undefined, isLeader: boolean): void {
    const { isDisputed } = this
    this.isDisputed = false
    if (!other || !(isDisputed || (other.isLeader && !isLeader))) return
    // This process started while the database's clock was wrong. Only in this case does its time go back.
    if (other.aheadMs - this.aheadMs > CLOCK_STEP_MS_MAX) this.last = 0
    this.aheadMs = other.aheadMs
  }

  private step(differenceMs: number): void {
    const suspendedMs = this.suspendedMs()
    const refusedMs = differenceMs - Math.max(0, suspendedMs - this.suspendedBefore)
    this.suspendedBefore = suspendedMs
    // The machine slept.
    if (Math.abs(refusedMs) < STEP_REFUSED_MS_MIN) return
    this.aheadMs += refusedMs
    this.stepsRefused += 1
    this.isDisputed = true
    this.confirmedMs = undefined
    this.onStepRefused(refusedMs)
  }

  /** Refills the budget for the time since the last measurement. */
  private passTo(at: number): void {
    const allowedMs = (at - this.measuredAt) * SLEW
    this.measuredAt = at
    this.believedMs = Math.min(CLOCK_STEP_MS_MAX, this.believedMs + allowedMs)
    this.aheadMs -= Math.sign(this.aheadMs) * Math.min(Math.abs(this.aheadMs), allowedMs)
  }
}

function uptimeBeyondProcess(): number {
  return uptime() * 1_000 - performance.now()
}
