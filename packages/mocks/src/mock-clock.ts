/** The clock of a mock service: real time, or time that stands still until it is advanced. */
import type { Clock } from '@latchkey/acl'
import { parseDurationMs } from '@latchkey/contract'
import type { Sleeper } from '@latchkey/service'

/** Milliseconds, or a duration such as `5m`. */
export type Duration = number | string

/** Maximum duration of a Node timer; a longer one fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1

interface Timer {
  readonly at: number
  readonly callback: () => void
  readonly background: boolean
  /** From `setTimeout`; absent while time is frozen. */
  handle: ReturnType<typeof setTimeout> | undefined
}

/** A clock with timers. {@link MockClock.advance} moves frozen and real time forward; real time then continues from there. */
export class MockClock implements Clock, Sleeper {
  /** The instant of a frozen clock; `undefined` for real time. */
  private standsAt: number | undefined
  private readonly startsAt: number | undefined
  /** Offset from real time, through advances. */
  private offset = 0
  private readonly timers = new Set<Timer>()

  /** @param start the instant at which time is frozen, in milliseconds since the epoch; `undefined` for real time. */
  constructor(start: number | undefined) {
    this.startsAt = start
    this.standsAt = start
  }

  now(): number {
    return this.standsAt ?? Date.now() + this.offset
  }

  after(ms: number, callback: () => void): () => void {
    return this.start(ms, callback, false)
  }

  /** Like {@link MockClock.after}, for work that must not keep a process alive. */
  afterInBackground(ms: number, callback: () => void): () => void {
    return this.start(ms, callback, true)
  }

  /**
   * Moves time forward. Timers that become due fire in order, each at its own instant; the code that they wake continues when
   * the caller next awaits.
   *
   * @throws TypeError for a negative or invalid duration.
   */
  advance(by: Duration): void {
    const target = this.now() + toMs(by)
    for (let next = this.nextBefore(target); next; next = this.nextBefore(target)) {
      this.moveTo(next.at)
      this.fire(next)
    }
    this.moveTo(target)
    for (const timer of this.timers) this.arm(timer)
  }

  /** Resets the clock to its start. */
  reset(): void {
    this.standsAt = this.startsAt
    this.offset = 0
    for (const timer of this.timers) this.arm(timer)
  }

  private start(ms: number, callback: () => void, background: boolean): () => void {
    const timer: Timer = { at: this.now() + ms, callback, background, handle: undefined }
    this.timers.add(timer)
    this.arm(timer)
    return () => this.drop(timer)
  }

  private arm(timer: Timer): void {
    clearTimeout(timer.handle)
    if (this.standsAt !== undefined) return
    const ms = Math.max(0, timer.at - this.now())
    const end = () => (ms > TIMER_MS_MAX ? this.arm(timer) : this.fire(timer))
    timer.handle = setTimeout(end, Math.min(ms, TIMER_MS_MAX))
    if (timer.background) unref(timer.handle)
  }

  private fire(timer: Timer): void {
    this.drop(timer)
    timer.callback()
  }

  private drop(timer: Timer): void {
    clearTimeout(timer.handle)
    this.timers.delete(timer)
  }

  private nextBefore(target: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.timers) {
      if (timer.at <= target && (next === undefined || timer.at < next.at)) next = timer
    }
    return next
  }

  /** Never moves back: real time may already have passed the instant. */
  private moveTo(instant: number): void {
    const aheadMs = Math.max(0, instant - this.now())
    if (this.standsAt === undefined) this.offset += aheadMs
    else this.standsAt += aheadMs
  }
}

/**
 * A duration in milliseconds.
 *
 * @throws TypeError if it is negative or invalid.
 */
export function toMs(duration: Duration): number {
  const ms = typeof duration === 'number' ? duration : parse(duration)
  if (ms >= 0) return ms
  throw new TypeError(`a duration must be 0 or more milliseconds, or a text such as "5m", not ${duration}`)
}

function parse(text: string): number {
  try {
    return parseDurationMs(text)
  } catch {
    return Number.NaN
  }
}

/** Node timers have `unref`; browser timers are numbers. */
function unref(handle: unknown): void {
  if (typeof handle !== 'object' || handle === null || !('unref' in handle)) return
  if (typeof handle.unref === 'function') handle.unref()
}
