/** Times for people: relative to the start of the schedule or, if its time of day is given, by the clock. */
import type { TimedStep } from '../plan/timed-steps.ts'
import { formatSeconds, spanOf } from '../scenario/time.ts'

const DAY_SECONDS = 86_400

/** Formats milliseconds from the start of the schedule. */
export interface Clock {
  /** Seconds after midnight at which the schedule starts; undefined if unknown. */
  readonly startsAt: number | undefined
  /** `22:03:21`, on a later day `00:10:05 (+1 day)`; without a start time `3 min 21 s`. */
  readonly time: (ms: number) => string
  /** Short form for an axis: `22:03`. */
  readonly tick: (ms: number) => string
}

export function clockFrom(startsAt: number | undefined): Clock {
  if (startsAt === undefined) return { startsAt, time: formatSeconds, tick: formatSeconds }
  const show = (ms: number, isShort: boolean) => {
    const seconds = startsAt + Math.round(ms / 1_000)
    const days = Math.floor(seconds / DAY_SECONDS)
    const text = timeOfDay(seconds % DAY_SECONDS)
    if (isShort) return text.endsWith(':00') ? text.slice(0, -3) : text
    return days === 0 ? text : `${text} (+${days} ${days === 1 ? 'day' : 'days'})`
  }
  return { startsAt, time: (ms) => show(ms, false), tick: (ms) => show(ms, true) }
}

/** `from 3 s to 4 s`, `at 3 s` if both ends have the same text, `from 3 s on` without an end. Takes seconds. */
export function spanText(
  { from, to }: { readonly from: number; readonly to?: number | null | undefined },
  { time }: Clock,
): string {
  if (to === undefined || to === null) return `from ${time(from * 1_000)} on`
  return spanOf(from * 1_000, to * 1_000, time)
}

/** When a step begins or ends; empty if the simulation does not tell. */
export function whenText({ when, at, parts }: TimedStep, { time }: Clock): string {
  if (at === null) return when === 'by' ? 'never' : ''
  const text = time(at * 1_000)
  if (when === 'at') return parts.length > 1 ? `from ${text}` : text
  return `${when} ${text}`
}

function timeOfDay(seconds: number): string {
  const parts = [seconds / 3_600, (seconds % 3_600) / 60, seconds % 60]
  return parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')
}
