/** Durations and instants in bodies, decoded to milliseconds. Decisions: record shapes. */
import * as z from 'zod'
import { shorten } from '../shared/shorten.ts'
import { DurationSyntaxError, parseDurationMs } from './duration.ts'

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

const nsPerMs = 1e6
/** Maximum characters of a duration error, which quotes the text. */
const DURATION_PROBLEM_LENGTH_MAX = 128

/** A duration on the wire: Go notation, or a number of nanoseconds, as existing clients send it. */
export const durationSchema = z
  .union([z.string(), z.number()], { error: 'expected a duration such as "90s" or a number of nanoseconds' })
  .transform((value, context) => {
    if (typeof value === 'number') return value / nsPerMs
    try {
      return parseDurationMs(value)
    } catch (error) {
      if (!(error instanceof DurationSyntaxError)) throw error
      context.addIssue({
        code: 'custom',
        message: `is not a duration: ${shorten(error.message, DURATION_PROBLEM_LENGTH_MAX)}`,
        params: { code: 'field_type' },
      })
      return z.NEVER
    }
  })
  .meta({ id: 'Duration', description: 'Go notation such as "90s" or "1h30m", or a number of nanoseconds.' })

/**
 * An instant on the wire: RFC 3339 with a zone. Decoded to milliseconds since the epoch; `undefined` if empty (the default
 * of spec 2.1) or the zero time of year 1.
 */
export const instantSchema = z
  .string()
  .transform((value, context) => {
    if (value === '') return undefined
    const instant = parseInstant(value)
    if (instant === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'is not an RFC 3339 time with a zone, such as "2026-01-31T12:00:00Z"',
        params: { code: 'field_type' },
      })
      return z.NEVER
    }
    return instant === ZERO_INSTANT ? undefined : instant
  })
  .meta({ id: 'Instant', description: 'RFC 3339 with a time zone, stored to the millisecond.' })

const ZERO_INSTANT = parseInstant(ZERO_TIME)
