/**
 * Removes expired, idle and orphaned tokens, and ends expired sessions, as the server does. Such tokens already act as if deleted;
 * their removal, at the instant of their expiry, wakes blocking queries.
 */
import {
  convertForMigration,
  type IdleLimit,
  idleHorizon,
  idleLimitOfMethod,
  NO_BATCHES,
  nextBatchAt,
  planBatch,
  type Random,
  recordBatch,
  type TokenRecord,
} from '@latchkey/acl'
import { parseInstant } from '@latchkey/contract'
import { aclModeOf, type Change, type MemoryStore, putSystem } from '@latchkey/service'
import type { MockClock } from '../mock-clock.ts'

/** Number of searches for idle tokens per idle limit. */
const IDLE_LOOKS = 10

/** @returns a function to call after every write, which schedules the removal of the next token to expire. */
export function createReaper(store: MemoryStore, clock: MockClock): () => void {
  let cancel = () => {}
  /** Index of the auth methods at the last search for their tokens. */
  let searchedAt = 0
  const remove = (tokens: Iterable<TokenRecord>) => {
    const changes = [...new Set(tokens)].map(
      (record) => ({ table: 'tokens', op: 'delete', record, expect: record.ModifyIndex }) as const,
    )
    if (changes.length > 0) store.commitNow(changes)
  }
  const reap = () => {
    const idle = idleLimits(store).flatMap(({ generation, limit }) => idleTokens(generation, limit))
    remove([...store.expiredNow(clock.now(), Number.POSITIVE_INFINITY), ...idle])
    const sessions = store.sessionTimes.expiredNow().flatMap((id) => store.catalog().sessions.get(id) ?? [])
    if (sessions.length > 0) {
      store.commitNow(
        sessions.map((record) => ({ table: 'sessions', op: 'delete', record, expect: undefined })),
      )
    }
    schedule()
  }
  const idleTokens = (generation: number, limit: IdleLimit): readonly TokenRecord[] => {
    const horizon = idleHorizon(limit, clock.now())
    return limit.since > horizon ? [] : store.idleNow({ generation, horizon })
  }
  const schedule = () => {
    cancel()
    const index = store.tableIndex('authMethods')
    if (index !== searchedAt) remove(store.orphansNow())
    searchedAt = index
    const untilSession = store.sessionTimes.untilExpiry()
    const inMs = Math.min(
      untilExpiry(),
      untilSession,
      ...idleLimits(store).map(({ limit }) => limit.ttlMs / IDLE_LOOKS),
    )
    if (inMs < Number.POSITIVE_INFINITY) cancel = clock.afterInBackground(inMs, reap)
  }
  const untilExpiry = (): number => {
    const [next] = store.expiredNow(Number.POSITIVE_INFINITY, 1)
    const expiresAt = parseInstant(next?.ExpirationTime ?? '')
    if (expiresAt === undefined) return Number.POSITIVE_INFINITY
    return Math.max(0, expiresAt - clock.now())
  }
  return schedule
}

/** The idle limits of auth methods that have tokens. */
function idleLimits(
  store: MemoryStore,
): readonly { readonly generation: number; readonly limit: IdleLimit }[] {
  const limits = []
  for (const method of store.directory().authMethods()) {
    const limit = idleLimitOfMethod(method)
    const generation = method.Generation
    if (limit && store.idleNow({ generation, horizon: Number.POSITIVE_INFINITY }).length > 0) {
      limits.push({ generation, limit })
    }
  }
  return limits
}

/** Delay between the write of a legacy token and its accessor, in milliseconds: the polling interval of servers. */
const LOOK_DELAY_MS = 250

/** @returns a function to call when legacy tokens may have been written; it schedules their accessors. */
export function createAccessorMigration(store: MemoryStore, clock: MockClock, random: Random): () => void {
  let cancel = () => {}
  const waiting = () => [...store.snapshot().tokens.values()].filter((token) => token.AccessorID === '')
  const recorded = () => {
    const system = store.directory().system('migration')
    return { last: system?.Value ?? NO_BATCHES, index: system?.ModifyIndex ?? 0 }
  }
  const convert = () => {
    const plan = planBatch(waiting(), { random, isTaken: () => false })
    const { last, index } = recorded()
    const Value = recordBatch(last, { at: clock.now(), tokens: plan.length })
    const changes = plan.map(({ token, accessorId }): Change => {
      const converted = convertForMigration(token, accessorId)
      return { table: 'tokens', op: 'put', record: converted, expect: token.ModifyIndex }
    })
    store.commitNow([...changes, putSystem('migration', Value, index)])
    schedule()
  }
  const schedule = () => {
    cancel()
    if (aclModeOf(store.directory()) === 'legacy' || waiting().length === 0) return
    const now = clock.now()
    cancel = clock.afterInBackground(
      nextBatchAt(recorded().last.lastBatchAt, now + LOOK_DELAY_MS) - now,
      convert,
    )
  }
  return schedule
}
