/** The idle limit of login tokens, an extension. Instants and durations in milliseconds. Decisions: login limits. */
import { parseDurationMs, parseInstant } from '@latchkey/contract'
import type { AuthMethodRecord } from '../records/login-records.ts'
import type { TokenRecord } from '../records/records.ts'

/** Uses are kept in memory, and written when the last one that was written is older than this part of the limit. */
const WRITTEN_AFTER = 1 / 20
/** A token ends this part of the limit late, so that uses which are not written yet never shorten its life. */
const GRACE = 1 / 10

/** How long a token may be idle. */
export interface IdleLimit {
  readonly ttlMs: number
  /** Counts as a use: when the token was made, or when the limit was set. */
  readonly since: number
}

/** The idle limit of a token that a method made; `undefined` for none. */
export function idleLimitOf(token: TokenRecord, method: AuthMethodRecord): IdleLimit | undefined {
  const limit = idleLimitOfMethod(method)
  if (limit === undefined) return undefined
  return { ...limit, since: Math.max(limit.since, parseInstant(token.CreateTime) ?? 0) }
}

/** As {@link idleLimitOf}, for all tokens of the method: `since` is when the limit was set. */
export function idleLimitOfMethod({ IdleTTL, IdleSince = '' }: AuthMethodRecord): IdleLimit | undefined {
  if (IdleTTL === undefined) return undefined
  return { ttlMs: parseDurationMs(IdleTTL), since: parseInstant(IdleSince) ?? 0 }
}

/** A token whose last known use was at or before this has ended. */
export function idleHorizon({ ttlMs }: IdleLimit, now: number): number {
  return now - ttlMs * (1 + GRACE)
}

/** Whether a token lives by what one process knows, or all of them must be asked for later uses. */
export function isSurelyUsed(lastUse: number, { ttlMs }: IdleLimit, now: number): boolean {
  return now < lastUse + ttlMs
}

/** Whether a use is to be written. */
export function isUseWritten(lastWritten: number, { ttlMs }: IdleLimit, use: number): boolean {
  return use >= lastWritten + ttlMs * WRITTEN_AFTER
}
