/** How long sessions live, and how long their keys stay locked afterwards. */
import { parseDurationMs } from '@latchkey/contract'
import type { SessionRecord } from '../records/session-records.ts'

/** Longer lock delays are reduced to this value. */
const LOCK_DELAY_MS_MAX = 60_000
export const SESSION_TTL_MS_MIN = 10_000
export const SESSION_TTL_MS_MAX = 86_400_000
/** A session ends between its TTL and twice its TTL after its creation or last renewal: here, after twice its TTL. */
const LIFETIME_TTLS = 2
const NANOSECONDS_PER_MS = 1_000_000

/** How long after the end of a session no other session can lock its keys, in milliseconds. */
export function lockDelayMs({ LockDelay }: Pick<SessionRecord, 'LockDelay'>): number {
  return Math.min(LockDelay / NANOSECONDS_PER_MS, LOCK_DELAY_MS_MAX)
}

/** How long a session lives without renewal, in milliseconds; undefined if it does not expire. */
export function sessionLifetimeMs({ TTL }: Pick<SessionRecord, 'TTL'>): number | undefined {
  const ttlMs = TTL === '' ? 0 : parseDurationMs(TTL)
  return ttlMs ? ttlMs * LIFETIME_TTLS : undefined
}
