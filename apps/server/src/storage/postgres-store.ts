import type { Clock, Directory, KvRecord, TokenRecord } from '@latchkey/acl'
import type { Catalog } from '@latchkey/catalog'
import { isOutage } from '@latchkey/contract'
import type {
  Archives,
  ConsistencyMode,
  Freshness,
  IdleQuery,
  IndexName,
  InParts,
  KvKey,
  KvRange,
  ListPosition,
  LoginGroup,
  LoginQuery,
  LoginStates,
  ReplicatedSnapshot,
  SessionTimes,
  Store,
  StoreChanges,
  StoreMemory,
  TokenFilter,
  TokenScope,
  Topic,
  WaitOutcome,
} from '@latchkey/service'
import type { ChangeFeed } from './follow/change-feed.ts'
import type { ChangeFollower } from './follow/change-follower.ts'
import type { LocalState } from './follow/local-state.ts'
import type { PostgresChangeReaders } from './members/change-readers.ts'
import type { DatabaseClock } from './members/database-clock.ts'
import type { Housekeeping } from './members/housekeeping.ts'
import type { Membership } from './members/membership.ts'
import type { KvCache } from './read/kv-cache.ts'
import type { KvReader } from './read/kv-reader.ts'
import type { TokenLists } from './read/lists/token-lists.ts'
import type { ReplicaReads } from './read/replica-reads.ts'
import { StaleReads } from './read/stale-reads.ts'
import type { TokenReader } from './read/token-reader.ts'
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
  readonly sessionTimes: SessionTimes
  readonly changes: Store['changesAfter']
  readonly snapshot: Store['replicatedSnapshot']
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

/** PostgreSQL implementation of `Store`; see the port for its guarantees. */
export class PostgresStore implements Store {
  private readonly parts: StoreParts
  private leasedReads = 0
  readonly clock: Clock
  readonly membership: Membership
  /**
   * This store for reads after `refresh('stale')`: what is not in memory may be read from the replica, if there is one.
   */
  readonly stale: Store | undefined
  readonly memory: StoreMemory
  /** Backup and restore of the whole store. */
  readonly archives: Archives
  readonly loginStates: LoginStates
  readonly tokenUses: PostgresTokenUses
  readonly changeReaders: PostgresChangeReaders
  readonly sessionTimes: SessionTimes
  readonly commit: Store['commit']

  constructor(parts: StoreParts) {
    this.parts = parts
    this.clock = parts.clock
    this.membership = parts.membership
    this.loginStates = parts.loginStates
    this.tokenUses = parts.tokenUses
    this.changeReaders = parts.changeReaders
    this.sessionTimes = parts.sessionTimes
    this.archives = parts.archives
    this.commit = parts.commits.commit.bind(parts.commits)
    this.stale = parts.replica && new StaleReads(this, parts)
    this.memory = {
      freshness: (mode) => this.freshness(mode),
      tokenByAccessor: (accessorId) => parts.tokens.knownByAccessor(accessorId),
      tokenBySecret: (secretId) => parts.tokens.knownBySecret(secretId),
    }
  }

  async refresh(mode: ConsistencyMode): Promise<Freshness> {
    return this.freshness(mode) ?? this.confirm()
  }

  private freshness(mode: ConsistencyMode): Freshness | undefined {
    if (mode === 'stale') return this.staleness()
    if (mode !== 'default') return undefined
    if (this.membership.lease.isValid()) {
      this.leasedReads += 1
      return CURRENT
    }
    this.membership.seekLease()
    return undefined
  }

  directory(): Directory {
    return this.parts.state.directory()
  }

  catalog(): Catalog {
    return this.parts.state.catalog
  }

  tableIndex(table: IndexName): number {
    return this.parts.state.topics.table(table)
  }

  commitIndex(): number {
    return this.parts.state.appliedIndex
  }

  async changesAfter(index: number, parts?: InParts): Promise<StoreChanges | undefined> {
    const changes = await this.parts.changes(index, parts)
    if (changes) await this.parts.follower.reach(changes.index)
    return changes
  }

  replicatedSnapshot<T>(use: (snapshot: ReplicatedSnapshot) => Promise<T>): Promise<T> {
    return this.parts.snapshot(async (snapshot) => {
      await this.parts.follower.reach(snapshot.index)
      return use(snapshot)
    })
  }

  tokenByAccessor(accessorId: string): Promise<TokenRecord | undefined> {
    return this.parts.tokens.byAccessor(accessorId)
  }

  tokenBySecret(secretId: string): Promise<TokenRecord | undefined> {
    return this.parts.tokens.bySecret(secretId)
  }

  tokens(filter: TokenFilter): AsyncIterable<readonly TokenRecord[]> {
    return this.parts.lists.pages(filter)
  }

  placeOf(token: TokenRecord): ListPosition {
    return this.parts.lists.placeOf(token)
  }

  tokensChangedAfter(index: number): readonly string[] | undefined {
    return this.parts.state.recentTokens.after(index)
  }

  countTokens(filter: TokenFilter): Promise<number> {
    return this.parts.lists.count(filter)
  }

  expiredTokens(now: number, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.parts.lists.expired(now, limit, scope)
  }

  orphanedTokens(limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.parts.lists.orphaned(limit, scope)
  }

  idleTokens(idle: IdleQuery, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.parts.lists.idle(idle, limit, scope)
  }

  logins(query: LoginQuery): Promise<readonly LoginGroup[]> {
    return this.parts.lists.logins(query)
  }

  countLogins(): Promise<ReadonlyMap<number, number>> {
    return this.parts.lists.countLogins()
  }

  /** Deletes the recorded uses of tokens that no longer exist. */
  reapTokenUses(): Promise<void> {
    return this.parts.lists.reapUses()
  }

  kvEntry(namespace: string, key: string): Promise<KvRecord | undefined> {
    return this.parts.kv.entry(namespace, key)
  }

  kvShortEntry(
    namespace: string,
    key: string,
    valueBytesMax: number,
  ): Promise<KvRecord | 'long' | undefined> {
    return this.parts.kv.shortEntry(namespace, key, valueBytesMax)
  }

  kvEntries(range: KvRange): AsyncIterable<readonly KvRecord[]> {
    return this.parts.kv.list(range)
  }

  kvKeys(range: KvRange): AsyncIterable<readonly KvKey[]> {
    return this.parts.kv.keys(range)
  }

  async wait(topic: Topic, after: number, timeoutMs: number, signal?: AbortSignal): Promise<WaitOutcome> {
    const { topics, waiters } = this.parts.state
    if (signal?.aborted) return 'aborted'
    // A forgotten topic is treated as changed: the caller reads again and waits from the index it then sees.
    if (topics.changedAfter(topic, after) ?? true) return 'changed'
    return waiters.add(topic, timeoutMs, signal)
  }

  /**
   * Runs work in only one of the processes that share the database: the leader. If another process becomes leader while
   * work is running, the signal aborts.
   *
   * @returns undefined if this process is not the leader.
   */
  async asLeader<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const signal = this.parts.feed.leaderSignal
    return signal && work(signal)
  }

  /** Why this process should not receive requests now; empty if it should. For `/readyz`. */
  async notReady(): Promise<readonly string[]> {
    try {
      await this.parts.follower.sync()
      return this.membership.ready() ? ['joining the other servers on the database'] : []
    } catch (error) {
      return [isOutage(error) ? error.message : 'The database cannot be read']
    }
  }

  status(): StoreStatus {
    const { closings, longestMs } = this.membership.closing.counts
    const { state, feed, commits, tokens, replica, kvCache, follower, clock } = this.parts
    return {
      appliedIndex: state.appliedIndex,
      isFeedConnected: feed.isConnected,
      hasLease: this.membership.lease.isValid(),
      isAlone: this.membership.isAlone(),
      isLeader: feed.leaderSignal !== undefined,
      lastContactMs: this.staleness().lastContactMs,
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
      closings: { count: closings, longestMs },
      leasedReads: this.leasedReads,
      confirmations: follower.rounds,
    }
  }

  /** Ends every wait as if it had timed out: the first step of a shutdown. */
  closeAllWaiters(): void {
    this.parts.state.waiters.close()
  }

  /**
   * Leaves the cluster and closes the change feed. The connections to the database stay open.
   *
   * @param isForGood the others do not wait for a successor.
   */
  async close(isForGood = false): Promise<void> {
    this.closeAllWaiters()
    await this.parts.housekeeping.close()
    await this.parts.tokenUses.close()
    await this.changeReaders.write()
    await this.membership.close(isForGood)
    await this.parts.feed.close()
  }

  private async confirm(): Promise<Freshness> {
    await this.parts.follower.sync()
    return CURRENT
  }

  private staleness(): Freshness {
    if (this.membership.lease.isValid()) return CURRENT
    const { currentAt, failedAt } = this.parts.follower
    const ageMs = performance.now() - currentAt
    return {
      knownLeader: currentAt > failedAt && ageMs < LEADER_SILENT_MS_MAX,
      lastContactMs: Math.ceil(ageMs),
    }
  }
}
