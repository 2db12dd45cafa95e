/** Leeways for the times in a token. Decisions: auth methods. */
import { AclError, DurationSyntaxError, formatDurationMs, parseDurationMs, shorten } from '@latchkey/contract'
import type { JwtConfig, WrittenDuration } from '../../records/login-records.ts'

interface Leeways {
  /** If `exp` is missing, the token expires this long after the later of `iat` and `nbf`. */
  readonly expirationMs: number
  /** If `nbf` and `iat` are missing, the token becomes valid this long before `exp`. */
  readonly notBeforeMs: number
  /** Tolerated clock skew, applied to all three times. */
  readonly clockSkewMs: number
}

const EXPIRATION_MS_DEFAULT = 150_000
const NOT_BEFORE_MS_DEFAULT = 150_000
const CLOCK_SKEW_MS_DEFAULT = 60_000

export function leewaysOf({ ExpirationLeeway, NotBeforeLeeway, ClockSkewLeeway }: JwtConfig): Leeways {
  return {
    expirationMs: leewayMs(ExpirationLeeway, EXPIRATION_MS_DEFAULT),
    notBeforeMs: leewayMs(NotBeforeLeeway, NOT_BEFORE_MS_DEFAULT),
    clockSkewMs: leewayMs(ClockSkewLeeway, CLOCK_SKEW_MS_DEFAULT),
  }
}

/** 0 means the default, and a negative number means no leeway. */
function leewayMs(written: WrittenDuration | undefined, defaultMs: number): number {
  const ms = written === undefined ? 0 : toMs(written)
  return ms === 0 ? defaultMs : Math.max(ms, 0)
}

const NS_PER_MS = 1e6
const NS_PER_SECOND = 1e9

function toMs(written: WrittenDuration): number {
  return typeof written === 'number' ? written / NS_PER_MS : parseDurationMs(written)
}

/**
 * Refuses short numeric leeways: numbers are nanoseconds, so `60` for a minute would make the service refuse
 * fresh tokens.
 */
export function checkLeeway(written: WrittenDuration | undefined, name: string): void {
  const field = `Config.${name}`
  if (typeof written === 'string') {
    try {
      parseDurationMs(written)
    } catch (error) {
      if (!(error instanceof DurationSyntaxError)) throw error
      throw new AclError('field_type', `${field} is not a duration: ${shorten(error.message)}`, { field })
    }
  } else if (written !== undefined && written !== 0 && written !== -1 && Math.abs(written) < NS_PER_SECOND) {
    const hint = `a number is nanoseconds, and ${written} of them are ${formatDurationMs(toMs(written))}`
    const problem = `${field}: ${hint}; for seconds write ${JSON.stringify(`${written}s`)}`
    throw new AclError('field_invalid', problem, { field })
  }
}
