/** Schemas for the scalars of a scenario file: names, times, versions, counts. */
import { readVersion, type ServiceVersion } from '@latchkey/contract'
import * as z from 'zod'

/** Maximum number of legacy tokens in a scenario. */
export const TOKENS_MAX = 1_000_000_000
/** Maximum time on the clock of a scenario: a year. */
const SECONDS_MAX = 366 * 86_400

export const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'a name has 1 to 64 letters, digits, dots, dashes or underscores',
  )

export const seconds = z
  .union(
    [
      z.number().min(0).max(SECONDS_MAX),
      z
        .string()
        .regex(
          /^(\d+(\.\d+)?(ms|s|m|h))+$|^\d+(\.\d+)?$/,
          'expected a duration such as "90s", "1h30m" or "250ms"',
        ),
    ],
    { error: `expected seconds as a number (0 to ${SECONDS_MAX}), or a text such as "90s" or "1h30m"` },
  )
  .meta({ examples: [12.5, '90s', '1h30m'] })

export const versionText = z
  .string()
  .regex(/^\d{1,4}\.\d{1,4}(\.\d{1,4})?$/, 'expected a version such as 1.4.0')
  .meta({ examples: ['1.4.0', '1.11'] })

export const count = z.int().min(0).max(TOKENS_MAX)

export const acls = z
  .boolean()
  .describe('Whether ACLs are enabled on the server. A server with ACLs off blocks.')

export const tokenType = z.enum(['client', 'management'])

/** Parses a version that passed the schema. */
export function versionOf(text: string): ServiceVersion {
  const version = readVersion(text)
  if (version === undefined)
    throw new TypeError(`the schema let ${JSON.stringify(text)} through as a version`)
  return version
}
