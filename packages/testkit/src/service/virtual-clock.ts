import type { Clock } from '@latchkey/acl'
import type { Sleeper } from '@latchkey/service'

interface Alarm {
  readonly at: number
  readonly ring: () => void
}

/** A clock with timers that advances only on request, so that nothing sleeps. */
export class VirtualClock implements Clock, Sleeper {
  private time: number
  private readonly alarms = new Set<Alarm>()

  constructor(startAt: number) {
    this.time = startAt
  }

  now(): number {
    return this.time
  }

  after(ms: number, ring: () => void): () => void {
    const alarm: Alarm = { at: this.time + ms, ring }
    this.alarms.add(alarm)
    return () => this.alarms.delete(alarm)
  }

  /** Timers that have neither fired nor been cancelled. */
  get waiting(): number {
    return this.alarms.size
  }

  /** Sets the clock without firing timers, like an operator or an NTP step. */
  set(time: number): void {
    this.time = time
  }

  /** Advances time, fires timers when due, and flushes the promises that they settle. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms
    await settle()
    for (let next = this.next(end); next; next = this.next(end)) {
      this.alarms.delete(next)
      this.time = Math.max(this.time, next.at)
      next.ring()
      await settle()
    }
    this.time = end
    await settle()
  }

  private next(end: number): Alarm | undefined {
    let first: Alarm | undefined
    for (const alarm of this.alarms) {
      if (alarm.at <= end && (first === undefined || alarm.at < first.at)) first = alarm
    }
    return first
  }
}

/** Flushes promises: the rules await only the store and their timers. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve()
}
