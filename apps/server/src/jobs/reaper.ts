import {
  expirationMs,
  idleHorizon,
  idleLimitOfMethod,
  isExpired,
  isOrphan,
  type TokenRecord,
} from '@latchkey/acl'
import type { Change, Store, TokenScope } from '@latchkey/service'
import { commitOnce } from './legacy-mode.ts'

export const REAP_INTERVAL_MS = 1_000
/** Minimum time between two rounds that found less than a batch: tokens that expire almost together share a commit. */
const REAP_INTERVAL_MS_MIN = 5
/** Maximum tokens removed by one commit, so that no write waits long behind it (EXP-05). */
const BATCH_SIZE_MAX = 256

/** The tokens that a datacenter removes itself: a secondary leaves global tokens to the primary. */
export function reapedHere(isSecondary: boolean): TokenScope {
  return isSecondary ? { local: true } : {}
}

/**
 * Removes expired tokens, which already act as deleted. No token lives for less than {@link REAP_INTERVAL_MS}, so a
 * round that looks this far ahead finds the instant of the next one. @returns how many, and when to come again.
 */
export async function reapExpiredTokens(store: Store, now: number, scope: TokenScope = {}) {
  const found = await store.expiredTokens(now + REAP_INTERVAL_MS, BATCH_SIZE_MAX, scope)
  const expired = found.filter((token) => isExpired(token, now))
  const removed = await remove(store, expired)
  if (isFullBatch(removed)) return { removed, nextInMs: 0 }
  const next = found.find((token) => !isExpired(token, now))
  const inMs = next ? (expirationMs(next) ?? now) - now : REAP_INTERVAL_MS
  return { removed, nextInMs: Math.max(REAP_INTERVAL_MS_MIN, Math.min(inMs, REAP_INTERVAL_MS)) }
}

/**
 * Removes tokens of deleted auth methods, in the process that wins each round. Searches only after a change of an auth
 * method or of the scope: a search without results reads all login tokens.
 */
export function orphanReaper(
  store: Store,
  win: (work: () => Promise<number>) => Promise<number | undefined>,
  scope: () => TokenScope = () => ({}),
): () => Promise<number> {
  let done: { readonly index: number; readonly local: boolean | undefined } | undefined
  return async () => {
    const index = store.tableIndex('authMethods')
    const searched = scope()
    const { local } = searched
    if (index === done?.index && local === done.local) return REAP_INTERVAL_MS
    const found = await win(() => reapOrphanedTokens(store, searched))
    if (found === 0) done = { index, local }
    return isFullBatch(found ?? 0) ? 0 : REAP_INTERVAL_MS
  }
}

/** Removes tokens of deleted auth methods, which act as deleted. @returns how many were found. */
async function reapOrphanedTokens(store: Store, scope: TokenScope): Promise<number> {
  const orphans = await store.orphanedTokens(BATCH_SIZE_MAX, scope)
  await remove(
    store,
    orphans.filter((token) => isOrphan(token, store.directory())),
  )
  return orphans.length
}

/** Removes idle tokens, which act as deleted. @returns the largest number found for one method. */
export async function reapIdleTokens(store: Store, now: number, scope: TokenScope = {}): Promise<number> {
  let most = 0
  for (const method of store.directory().authMethods()) {
    const limit = idleLimitOfMethod(method)
    const horizon = limit && idleHorizon(limit, now)
    if (limit === undefined || horizon === undefined || limit.since > horizon) continue
    const query = { generation: method.Generation, horizon }
    const idle = await store.idleTokens(query, BATCH_SIZE_MAX, scope)
    await remove(store, idle)
    most = Math.max(most, idle.length)
  }
  return most
}

async function remove(store: Store, tokens: readonly TokenRecord[]): Promise<number> {
  if (tokens.length === 0) return 0
  const changes = tokens.map(
    (record): Change => ({ table: 'tokens', op: 'delete', record, expect: record.ModifyIndex }),
  )
  // Otherwise one of them was deleted concurrently, and the next round removes the rest.
  return (await commitOnce(store, changes)) ? tokens.length : 0
}

/** Whether a batch was full, so that more may be waiting. */
export function isFullBatch(removed: number): boolean {
  return removed === BATCH_SIZE_MAX
}
