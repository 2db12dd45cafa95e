/** Instants and durations as the console shows them, and the clock that they are relative to. */
import { useEffect, useState } from 'react'

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const shortRelative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const short = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })

/** The creation time of legacy tokens. */
const NO_TIME = '0001-01-01T00:00:00Z'

export function isInstant(instant: string | undefined): instant is string {
  return instant !== undefined && instant !== NO_TIME
}

/** `in 8 hours`, `90 minutes ago`: in the largest unit with a count of at least two, to keep rounding small. */
export function relativeTo(instant: string, now: number, { isShort = false } = {}): string {
  const ms = Date.parse(instant) - now
  const [unit, size] = UNITS.find(([, each]) => Math.abs(ms) >= 2 * each) ?? ['second', 1_000]
  return (isShort ? shortRelative : relative).format(Math.round(ms / size), unit)
}

/** `23 Nov 2026, 08:15:10`, in the person's time zone. */
export function absoluteTime(instant: string): string {
  return absolute.format(new Date(instant))
}

/** `08:15`, in the person's time zone. */
export function timeOf(instant: string): string {
  return clock.format(new Date(instant))
}

export function dateOf(instant: string): string {
  return short.format(new Date(instant))
}

/** `3 minutes`, `1 hour 20 minutes`: the two largest units. */
export function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  const units = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3_600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ] as const
  const first = units.findIndex(([count]) => count > 0)
  if (first < 0) return '0 seconds'
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => countOf(count, unit))
    .join(' ')
}

/** The time in milliseconds, rounded down to `stepMs`. */
export function useNow(stepMs = 1_000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Math.floor(Date.now() / stepMs) * stepMs), 1_000)
    return () => clearInterval(timer)
  }, [stepMs])
  return Math.floor(now / stepMs) * stepMs
}

/** `1 node`, `1,200 nodes`. */
export function countOf(count: number, unit: string): string {
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`
}
