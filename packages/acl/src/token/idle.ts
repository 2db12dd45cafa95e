/** The idle limit of login tokens, an extension. Instants and durations in milliseconds. Decisions: login limits. */
import { parseDurationMs, parseInstant } from '@latchkey/contract'
import type { AuthMethodRecord } from '../records/login-records.ts'
import type { TokenRecord } from '../records/records.ts'

/** Uses are kept in memory. A use is written if the last written use is older than this fraction of the limit. */
const WRITTEN_AFTER = 1 / 20
/** A token expires late by this fraction of the limit, because its latest uses may not have been written yet. */
const GRACE = 1 / 10

/** How long a token may be idle. */
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

/** Whether a use must be written. */
export function isUseWritten(lastWritten: number, { ttlMs }: IdleLimit, use: number): boolean {
  return use >= lastWritten + ttlMs * WRITTEN_AFTER
}
