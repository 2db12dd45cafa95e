import type { Clock } from '@latchkey/acl'
import { isOutage } from '@latchkey/contract'
import {
  type Archives,
  type ConsistencyMode,
  type Freshness,
  KeyedMutex,
  type LoginStates,
  type Store,
  type StoreMemory,
  type TokenFilter,
} from '@latchkey/service'
import type { ChangeFeed } from './follow/change-feed.ts'
import type { ChangeFollower } from './follow/change-follower.ts'
import type { LocalState } from './follow/local-state.ts'
import type { PostgresChangeReaders } from './members/change-readers.ts'
import type { DatabaseClock } from './members/database-clock.ts'
import type { Housekeeping } from './members/housekeeping.ts'
import type { Membership } from './members/membership.ts'
import type { KvCache } from './read/caches.ts'
import type { KvReader } from './read/kv-reader.ts'
import type { TokenLists } from './read/lists/token-lists.ts'
import type { ReplicaReads } from './read/replica-reads.ts'
import type { TokenReader } from './read/token-reader.ts'
import type { PostgresSessionTimes } from './session-times.ts'
import type { PostgresTokenUses } from './token-uses.ts'
import type { CommitQueue } from './write/commit-queue.ts'

interface StoreParts {
  readonly archives: Archives
  readonly state: LocalState
  readonly follower: ChangeFollower
  readonly feed: ChangeFeed
  readonly membership: Membership
  readonly commits: CommitQueue
  readonly tokens: TokenReader
  readonly lists: TokenLists
  readonly replica: ReplicaReads | undefined
  readonly kv: KvReader
  readonly kvCache: KvCache
  readonly loginStates: LoginStates
  readonly tokenUses: PostgresTokenUses
  readonly changeReaders: PostgresChangeReaders
  readonly sessionTimes: PostgresSessionTimes
  readonly changes: Store['changesAfter']
  readonly clock: DatabaseClock
  readonly housekeeping: Housekeeping
}

/** For metrics and operators. Counts start with the process. */
export interface StoreStatus {
  readonly appliedIndex: number
  /** Whether the change feed is connected; without it, polling finds changes within a second. */
  readonly isFeedConnected: boolean
  /** Whether this process has a lease, and so answers default reads from its own state. */
  readonly hasLease: boolean
  /** Whether it has a lease as the only member, which it keeps during its own commits. */
  readonly isAlone: boolean
  readonly isLeader: boolean
  /** Known age of the local state, in milliseconds. */
  readonly lastContactMs: number
  readonly waiters: number
  /** How far the database's clock is ahead of service time, and how many of its steps were rejected. */
  readonly clock: { readonly aheadMs: number; readonly stepsRefused: number }
  readonly cache: {
    readonly tokens: number
    readonly bytes: number
    readonly hits: number
    readonly misses: number
    readonly replicaReads: number
  }
  readonly commits: {
    readonly writes: number
    readonly groups: number
    readonly conflicts: number
    readonly failures: number
  }
  readonly feed: { readonly connections: number; readonly notifications: number }
  /** How often leases had to end before a commit or a join of this process, and the longest time this took. */
  readonly closings: { readonly count: number; readonly longestMs: number }
  /** Default reads answered under a lease, without querying the database. */
  readonly leasedReads: number
  /** Queries for new changes, each shared by all readers waiting for it. */
  readonly confirmations: number
}

const CURRENT: Freshness = { knownLeader: true, lastContactMs: 0 }
/** Every process queries the database each second. After this silence, the database is considered unreachable. */
const LEADER_SILENT_MS_MAX = 3_000

export type PostgresStore = ReturnType<typeof createPostgresStore>

/** PostgreSQL implementation of `Store`; see the port for its guarantees. */
export function createPostgresStore(parts: StoreParts) {
  const { state, follower, feed, membership, commits, tokens, lists, replica, kv, kvCache, clock } = parts
  let leasedReads = 0

  const staleness = (): Freshness => {
    if (membership.lease.isValid()) return CURRENT
    const { currentAt, failedAt } = follower
    const ageMs = performance.now() - currentAt
    const knownLeader = currentAt > failedAt && ageMs < LEADER_SILENT_MS_MAX
    return { knownLeader, lastContactMs: Math.ceil(ageMs) }
  }
  const freshness = (mode: ConsistencyMode): Freshness | undefined => {
    if (mode === 'stale') return staleness()
    if (mode !== 'default') return undefined
    if (membership.lease.isValid()) {
      leasedReads += 1
      return CURRENT
    }
    membership.seekLease()
    return undefined
  }
  const confirm = async (): Promise<Freshness> => {
    await follower.sync()
    return CURRENT
  }

  const memory: StoreMemory = {
    freshness,
    tokenByAccessor: (accessorId) => tokens.knownByAccessor(accessorId),
    tokenBySecret: (secretId) => tokens.knownBySecret(secretId),
  }
  const store: Store = {
    loginStates: parts.loginStates,
    tokenUses: parts.tokenUses,
    changeReaders: parts.changeReaders,
    sessionTimes: parts.sessionTimes,
    contested: new KeyedMutex(),
    memory,
    refresh: async (mode) => freshness(mode) ?? confirm(),
    directory: () => state.directory(),
    catalog: () => state.catalog,
    tableIndex: (table) => state.topics.table(table),
    commitIndex: () => state.appliedIndex,
    async changesAfter(index, inParts) {
      const changes = await parts.changes(index, inParts)
      if (changes) await follower.reach(changes.index)
      return changes
    },
    tokenByAccessor: (accessorId) => tokens.byAccessor(accessorId),
    tokenBySecret: (secretId) => tokens.bySecret(secretId),
    tokens: (filter) => lists.pages(filter),
    placeOf: (token) => lists.placeOf(token),
    tokensChangedAfter: (index) => state.recentTokens.after(index),
    countTokens: (filter) => lists.count(filter),
    expiredTokens: (now, limit, scope) => lists.expired(now, limit, scope),
    orphanedTokens: (limit, scope) => lists.orphaned(limit, scope),
    idleTokens: (idle, limit, scope) => lists.idle(idle, limit, scope),
    logins: (query) => lists.logins(query),
    countLogins: () => lists.countLogins(),
    kvEntry: (namespace, key) => kv.entry(namespace, key),
    kvShortEntry: (namespace, key, valueBytesMax) => kv.shortEntry(namespace, key, valueBytesMax),
    kvEntries: (range) => kv.list(range),
    kvKeys: (range) => kv.keys(range),
    commit: (changes, options) => commits.commit(changes, options),
    async wait(topic, after, timeoutMs, signal) {
      if (signal?.aborted) return 'aborted'
      // A forgotten topic is treated as changed: the caller reads again and waits from the index it then sees.
      if (state.topics.changedAfter(topic, after) ?? true) return 'changed'
      return state.waiters.add(topic, timeoutMs, signal)
    },
  }

  return {
    ...store,
    memory,
    changeReaders: parts.changeReaders,
    /**
     * This store for reads after `refresh('stale')`: what is not in memory is read from the replica, if there is one
     * and it has reached the local state. The reported age therefore also applies to its answers.
     */
    stale: replica && {
      ...store,
      tokenByAccessor: (accessorId: string) => tokens.byAccessor(accessorId, true),
      tokenBySecret: (secretId: string) => tokens.bySecret(secretId, true),
      tokens: (filter: TokenFilter) => lists.pages(filter, true),
    },
    clock: clock as Clock,
    membership,
    /** Backup and restore of the whole store. */
    archives: parts.archives,
    /** Deletes the recorded uses of tokens that no longer exist. */
    reapTokenUses: () => lists.reapUses(),
    /**
     * Runs work in only one of the processes that share the database: the leader. If another process becomes leader
     * while work is running, the signal aborts.
     *
     * @returns undefined if this process is not the leader.
     */
    async asLeader<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
      const signal = feed.leaderSignal
      return signal && work(signal)
    },
    /** Why this process should not receive requests now; empty if it should. For `/readyz`. */
    async notReady(): Promise<readonly string[]> {
      try {
        await follower.sync()
        return membership.ready() ? ['joining the other servers on the database'] : []
      } catch (error) {
        return [isOutage(error) ? error.message : 'The database cannot be read']
      }
    },
    status: (): StoreStatus => ({
      appliedIndex: state.appliedIndex,
      isFeedConnected: feed.isConnected,
      hasLease: membership.lease.isValid(),
      isAlone: membership.isAlone(),
      isLeader: feed.leaderSignal !== undefined,
      lastContactMs: staleness().lastContactMs,
      waiters: state.waiters.count,
      clock: { aheadMs: clock.aheadMs, stepsRefused: clock.stepsRefused },
      cache: {
        tokens: state.tokens.size,
        bytes: state.tokens.usedBytes + kvCache.usedBytes,
        hits: tokens.counts.hits,
        misses: tokens.counts.misses,
        replicaReads: replica?.count ?? 0,
      },
      commits: commits.counts,
      feed: feed.counts,
      closings: { count: membership.closing.counts.closings, longestMs: membership.closing.counts.longestMs },
      leasedReads,
      confirmations: follower.rounds,
    }),
    /** Ends every wait as if it had timed out: the first step of a shutdown. */
    closeAllWaiters: () => state.waiters.close(),
    /**
     * Leaves the cluster and closes the change feed. The connections to the database stay open.
     *
     * @param isForGood the others do not wait for a successor.
     */
    async close(isForGood = false): Promise<void> {
      state.waiters.close()
      await parts.housekeeping.close()
      await parts.tokenUses.close()
      await parts.changeReaders.write()
      await membership.close(isForGood)
      await feed.close()
    },
  }
}
