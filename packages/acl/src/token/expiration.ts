/** Expiry. Spec 2.1, 3, 4.2; decisions: tokens. Instants and durations in milliseconds. */
import { AclError, formatDurationMs, formatInstant, limits, parseInstant } from '@latchkey/contract'
import type { Directory } from '../records/directory.ts'
import type { AuthMethodRecord } from '../records/login-records.ts'
import type { TokenRecord } from '../records/records.ts'

/** When a token expires, in milliseconds since the epoch; `undefined` if never. */
export function expirationMs(token: TokenRecord): number | undefined {
  return token.ExpirationTime === undefined ? undefined : parseInstant(token.ExpirationTime)
}

/**
 * Whether now has reached the token's ExpirationTime. From then on it acts as deleted, reaped or not. Spec 3.
 */
export function isExpired(token: TokenRecord, now: number): boolean {
  const at = expirationMs(token)
  return at !== undefined && now >= at
}

/**
 * Whether the token was made by an auth method that is gone. Such a token acts as absent, whether or not its row was
 * removed: the generation of a later method of the same name differs. Decisions: auth methods.
 */
export function isOrphan(token: TokenRecord, directory: Directory): boolean {
  return isOfLoginHere(token, directory) && methodOf(token, directory) === undefined
}

/**
 * Whether a login at an auth method of this datacenter made the token. Methods of the primary are unknown in a secondary:
 * there, the primary decides about the end of global tokens.
 */
export function isOfLoginHere({ AuthMethodGeneration, Local }: TokenRecord, directory: Directory): boolean {
  return AuthMethodGeneration !== 0 && (Local || directory.system('replication') === undefined)
}

/** The auth method whose login made the token, unless it is gone. */
export function methodOf(token: TokenRecord, directory: Directory): AuthMethodRecord | undefined {
  const { AuthMethodGeneration, AuthMethodNamespace, AuthMethod } = token
  const method = directory.authMethod(AuthMethodNamespace, AuthMethod)
  return method?.Generation === AuthMethodGeneration ? method : undefined
}

/** Whether the token acts as absent: it is expired, or its auth method is gone. */
export function isGone(token: TokenRecord, now: number, directory: Directory): boolean {
  return isExpired(token, now) || isOrphan(token, directory)
}

/**
 * Decides the ExpirationTime of a new token.
 *
 * @param request at most one of an instant and a lifetime; a lifetime of 0 counts as none.
 * @returns the instant as it is stored, or `undefined` for a token that does not expire.
 * @throws AclError `expiration_conflict`, `expiration_out_of_bounds`. Both bounds are inclusive.
 */
export function decideExpiration(
  request: { readonly ExpirationTime?: number | undefined; readonly ExpirationTTL?: number | undefined },
  now: number,
): string | undefined {
  const { ExpirationTime, ExpirationTTL = 0 } = request
  if (ExpirationTTL < 0) {
    throw outOfBounds(
      'ExpirationTTL',
      `Token Expiration TTL '${formatDurationMs(ExpirationTTL)}' should be > 0`,
    )
  }
  if (ExpirationTTL > 0) {
    if (ExpirationTime !== undefined) {
      throw new AclError(
        'expiration_conflict',
        'Token Expiration TTL and Expiration Time cannot both be set',
        {
          field: 'ExpirationTTL',
        },
      )
    }
    checkLifetime(ExpirationTTL, 'ExpirationTTL')
    return formatInstant(now + Math.floor(ExpirationTTL))
  }
  if (ExpirationTime === undefined) return undefined
  if (ExpirationTime < now) throw outOfBounds('ExpirationTime', 'ExpirationTime cannot be before CreateTime')
  checkLifetime(ExpirationTime - now, 'ExpirationTime')
  return formatInstant(ExpirationTime)
}

/** Spec 4.2 rules 1 and 2, spec 8: between 1 minute and 24 hours. */
export function checkLifetime(lifetimeMs: number, field: 'ExpirationTime' | 'ExpirationTTL'): void {
  const what = field === 'ExpirationTTL' ? 'Token Expiration TTL' : 'ExpirationTime'
  const was = `(was ${formatDurationMs(lifetimeMs)})`
  if (lifetimeMs > limits.EXPIRATION_MS_MAX) {
    const bound = formatDurationMs(limits.EXPIRATION_MS_MAX)
    throw outOfBounds(field, `${what} cannot be more than ${bound} in the future ${was}`)
  }
  if (lifetimeMs < limits.EXPIRATION_MS_MIN) {
    const bound = formatDurationMs(limits.EXPIRATION_MS_MIN)
    throw outOfBounds(field, `${what} cannot be less than ${bound} in the future ${was}`)
  }
}

function outOfBounds(field: string, message: string): AclError {
  return new AclError('expiration_out_of_bounds', message, { field })
}
