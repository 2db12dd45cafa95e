/**
 * Instants on the wire: RFC 3339 with a zone on input, UTC with trimmed fractions on output, millisecond precision.
 * Decisions: record shapes.
 */
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/** The reference's value for "never set": the first instant of year 1. */
export const ZERO_TIME = '0001-01-01T00:00:00Z'

/**
 * Parses an RFC 3339 instant into milliseconds since the epoch, truncated.
 *
 * @returns `undefined` if the text is not such an instant (no zone, no such day, a leap second).
 */
export function parseInstant(text: string): number | undefined {
  const match = RFC_3339.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHour = '0', zoneMinute = '0'] =
    match
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const isRealDay = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  if (!isRealDay || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0').slice(0, 3)))
  const zoneMs = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000
  return date.getTime() - (sign === '-' ? -zoneMs : zoneMs)
}

/** Formats an instant as `2026-11-21T03:39:00.25Z`: UTC, at most three digits, trailing zeros trimmed. */
export function formatInstant(epochMs: number): string {
  const text = new Date(epochMs).toISOString()
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text.replace(/0+Z$/, 'Z')
}
