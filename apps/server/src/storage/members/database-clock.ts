import { uptime } from 'node:os'
import type { Clock } from '@latchkey/acl'

/** A measurement stands for so long, unless a better one comes. */
const SAMPLE_MS_MAX = 10_000
/** An answer that took longer says too little of the time: its process may have been paused. */
const ROUND_TRIP_MS_MAX = 1_000
/** How far the database's clock may move against the monotonic one, at once or in small steps, and be believed. */
export const CLOCK_STEP_MS_MAX = 1_000
/** What is left of that is more again, and what was not believed is made up for, by this part of the time that passes. */
const SLEW = 0.01
/** A difference below this waits until it has grown, once the database's clock is believed no more. */
const STEP_REFUSED_MS_MIN = 100

interface Sample {
  /** Database time minus `performance.now()`, wrong by at most half of {@link roundTripMs}. */
  readonly offsetMs: number
  readonly roundTripMs: number
  readonly at: number
}

/** How far the database's clock is ahead of the time that counts, in the eyes of one process. */
export interface ClockOpinion {
  readonly aheadMs: number
  /** Whether it is that of the process that runs the single-winner jobs. */
  readonly isLeader: boolean
}

export interface DatabaseClockOptions {
  /** Told of every step that was not believed, in milliseconds. */
  readonly onStepRefused: (stepMs: number) => void
  /** Grows by as much as the machine slept; by default from its uptime. */
  readonly suspendedMs?: () => number
}

/**
 * The time that counts: the database's clock, followed between measurements by this process's monotonic one. So all
 * processes decide expiry by one clock, whatever their own machines say (EXP-04). It never goes back: what has expired
 * once stays expired.
 *
 * Nor does it jump. Where the database's clock steps against the monotonic one, time runs on, and moves towards the
 * database's by {@link SLEW}; the processes agree on how far they are apart, see {@link settle}. The monotonic clock
 * stands still while a machine sleeps, which the uptime of the machine tells.
 */
export class DatabaseClock implements Clock {
  /** Steps of the database's clock that were not believed. */
  stepsRefused = 0
  /** How far the database's clock is ahead of the time that counts. */
  aheadMs = 0
  private readonly suspendedMs: () => number
  private readonly onStepRefused: (stepMs: number) => void
  private sample: Sample | undefined
  private last = 0
  private suspendedBefore: number
  private measuredAt = 0
  private believedMs = CLOCK_STEP_MS_MAX
  /** The database's time when it last said what was expected of it. */
  private confirmedMs: number | undefined
  /** Whether a step was refused that other processes may know better. */
  private isDisputed = false

  constructor({ onStepRefused, suspendedMs = uptimeBeyondProcess }: DatabaseClockOptions) {
    this.suspendedMs = suspendedMs
    this.onStepRefused = onStepRefused
    this.suspendedBefore = suspendedMs()
  }

  /** Whole milliseconds since the epoch. */
  now(): number {
    this.last = Math.max(this.last, Math.floor(this.databaseNow() - this.aheadMs))
    return this.last
  }

  /** What the database's clock says, steps included: for comparison with times that the database wrote. */
  databaseNow(): number {
    return performance.now() + (this.sample?.offsetMs ?? performance.timeOrigin)
  }

  /** Takes a measurement: the database's time, and when it was asked and answered by `performance.now()`. */
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
    // Worse than what is known, and in agreement with it.
    const isKnownBetter = roundTripMs > best.roundTripMs && answeredAt - best.at < SAMPLE_MS_MAX
    if (isKnownBetter && Math.abs(differenceMs) <= roundTripMs) return
    this.believedMs -= movedMs
    this.sample = sample
  }

  /** What this process tells the others; empty while it does not know better than they. */
  opinion(): { readonly clock_ahead_ms: number; readonly clock_measured_ms: number } | undefined {
    if (this.confirmedMs === undefined) return undefined
    return { clock_ahead_ms: this.aheadMs, clock_measured_ms: this.confirmedMs }
  }

  /**
   * Agrees with another process that has measured just now. All follow the leader. One that has refused a step follows
   * any other, as it may be its own clock that stood still; without one it stays with what it thinks.
   */
  settle(other: ClockOpinion | undefined, isLeader: boolean): void {
    const { isDisputed } = this
    this.isDisputed = false
    if (!other || !(isDisputed || (other.isLeader && !isLeader))) return
    // This process began while the database's clock was wrong: the one time that its own goes back.
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

  /** What the time since the last measurement allows. */
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
