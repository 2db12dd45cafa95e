/** Durations and instants in bodies, decoded to milliseconds. Decisions: record shapes. */
import * as z from 'zod'
import { shorten } from '../shared/shorten.ts'
import { DurationSyntaxError, parseDurationMs } from './duration.ts'
import { parseInstant, ZERO_TIME } from './instant.ts'

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
