/** Formats instants for the console. */

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

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })

/** `08:15`, in the person's time zone. */
export function timeOf(instant: string): string {
  return clock.format(new Date(instant))
}

export function dateOf(instant: string): string {
  return short.format(new Date(instant))
}
