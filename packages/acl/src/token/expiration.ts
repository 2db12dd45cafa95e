/** Expiry. Spec 2.1, 3, 4.2; decisions: tokens. Instants and durations in milliseconds. */
import {
  AclError,
  formatDurationMs,
  formatInstant,
  limits,
  parseDurationMs,
  parseInstant,
} from '@latchkey/contract'
import type { Directory } from '../records/directory.ts'
import type { AuthMethodRecord } from '../records/login-records.ts'
import type { TokenRecord } from '../records/records.ts'

/** When a token expires, in milliseconds since the epoch; `undefined` if never. */
export function expirationMs(token: TokenRecord): number | undefined {
  return token.ExpirationTime === undefined ? undefined : parseInstant(token.ExpirationTime)
}

/**
 * Whether the token's ExpirationTime has been reached. From then on, the token behaves as if it were deleted, whether
 * or not it has been reaped. Spec 3.
 */
export function isExpired(token: TokenRecord, now: number): boolean {
  const at = expirationMs(token)
  return at !== undefined && now >= at
}

/**
 * Whether the token was created by an auth method that no longer exists. The token behaves as if it were deleted, even
 * before its row is removed. A later method with the same name has another generation. Decisions: auth methods.
 */
export function isOrphan(token: TokenRecord, directory: Directory): boolean {
  return isOfLoginHere(token, directory) && methodOf(token, directory) === undefined
}

/**
 * Whether a login with an auth method of this datacenter created the token. A secondary does not know the methods of
 * the primary, which alone decides when global tokens end.
 */
export function isOfLoginHere({ AuthMethodGeneration, Local }: TokenRecord, directory: Directory): boolean {
  return AuthMethodGeneration !== 0 && (Local || directory.system('replication') === undefined)
}

/** The auth method whose login created the token, if it still exists. */
export function methodOf(token: TokenRecord, directory: Directory): AuthMethodRecord | undefined {
  const { AuthMethodGeneration, AuthMethodNamespace, AuthMethod } = token
  const method = directory.authMethod(AuthMethodNamespace, AuthMethod)
  return method?.Generation === AuthMethodGeneration ? method : undefined
}

/** Whether the token behaves as if it were deleted: it is expired, or its auth method no longer exists. */
export function isGone(token: TokenRecord, now: number, directory: Directory): boolean {
  return isExpired(token, now) || isOrphan(token, directory)
}

/**
 * Decides the ExpirationTime of a new token.
 * @param request an instant, a lifetime, or neither; a lifetime of 0 means none.
 * @returns the instant to store, or `undefined` for a token that does not expire.
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
      const message = 'Token Expiration TTL and Expiration Time cannot both be set'
      throw new AclError('expiration_conflict', message, { field: 'ExpirationTTL' })
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

/** Uses are kept in memory. A use is written if the last written use is older than this fraction of the limit. */
const WRITTEN_AFTER = 1 / 20
/** A token expires late by this fraction of the limit, because its latest uses may not have been written yet. */
const GRACE = 1 / 10

export interface IdleLimit {
  readonly ttlMs: number
  /** Treated as a use: when the token was created, or when the limit was set. */
  readonly since: number
}

/** The idle limit of a token that a method created; `undefined` for none. */
export function idleLimitOf(token: TokenRecord, method: AuthMethodRecord): IdleLimit | undefined {
  const limit = idleLimitOfMethod(method)
  if (limit === undefined) return undefined
  return { ...limit, since: Math.max(limit.since, parseInstant(token.CreateTime) ?? 0) }
}

/** Like {@link idleLimitOf}, for all tokens of the method: `since` is when the limit was set. */
export function idleLimitOfMethod({ IdleTTL, IdleSince = '' }: AuthMethodRecord): IdleLimit | undefined {
  if (IdleTTL === undefined) return undefined
  return { ttlMs: parseDurationMs(IdleTTL), since: parseInstant(IdleSince) ?? 0 }
}

/** A token whose last known use was at or before this instant has expired. */
export function idleHorizon({ ttlMs }: IdleLimit, now: number): number {
  return now - ttlMs * (1 + GRACE)
}

/** Whether one process knows that a token is still valid. Otherwise, all processes must be asked for later uses. */
export function isSurelyUsed(lastUse: number, { ttlMs }: IdleLimit, now: number): boolean {
  return now < lastUse + ttlMs
}

export function isUseWritten(lastWritten: number, { ttlMs }: IdleLimit, use: number): boolean {
  return use >= lastWritten + ttlMs * WRITTEN_AFTER
}
