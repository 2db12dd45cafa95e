import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { Clock } from '@latchkey/acl'
import { isOutage } from '@latchkey/contract'
import {
  type ConsistencyMode,
  cleansUpServers,
  type Freshness,
  KeyedMutex,
  type Store,
  type StoreMemory,
  type TokenFilter,
} from '@latchkey/service'
import type { BaseLogger } from 'pino'
import { ServerArchives } from '../archive/server-archives.ts'
import type { Database } from '../database/connect.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import type { CommitSpans } from '../tracing/commit-spans.ts'
import { ChangeFeed } from './follow/change-feed.ts'
import { ChangeFollower } from './follow/change-follower.ts'
import { LocalState } from './follow/local-state.ts'
import { Waiters } from './follow/waiters.ts'
import { openSecrets } from './keys/open-secrets.ts'
import { Reseal } from './keys/reseal.ts'
import { PostgresLoginStates } from './login-states.ts'
import { PostgresChangeReaders } from './members/change-readers.ts'
import { DatabaseClock } from './members/database-clock.ts'
import { Lease } from './members/leases/lease.ts'
import { type MemberInfo, Membership } from './members/membership.ts'
import { KvCache, TokenCache } from './read/caches.ts'
import { KvReader } from './read/kv-reader.ts'
import { TokenLists } from './read/lists/token-lists.ts'
import { Queries } from './read/queries.ts'
import { readReplicatedChanges } from './read/replicated-changes.ts'
import { ReplicaReads, TokenReader } from './read/token-reader.ts'
import { PostgresSessionTimes } from './session-times.ts'
import { PostgresTokenUses } from './token-uses.ts'
import { CommitQueue } from './write/commit-queue.ts'

export type PostgresStore = Awaited<ReturnType<typeof openStore>>
export type StoreStatus = ReturnType<PostgresStore['status']>

export interface OpenStoreOptions {
  readonly database: Database
  readonly url: string
  readonly ring: KeyRing
  readonly log: BaseLogger
  readonly member: MemberInfo
  /** The datacenter where its global records are written. Default: this one. */
  readonly primaryDatacenter?: string
  /** A replica for `stale` reads that memory cannot answer. */
  readonly replica?: Database | undefined
  readonly cacheBytes?: number
  /** False for `LATCHKEY_CACHE_BYTES=0`: every read queries the database. */
  readonly isCaching?: boolean
  readonly archiveFolder?: string
  readonly spans?: CommitSpans | undefined
}

/** A larger difference between the clocks of the database and the machine is logged at the start. In milliseconds. */
const CLOCK_DIFFERENCE_MS_MAX = 60_000
const UNOPENED = 'other datacenters do not get these tokens, because their stored secrets do not open'
const CACHE_BYTES = 67_108_864
/** Keys may take a quarter of the cache. */
const KV_SHARE = 4
const CURRENT: Freshness = { knownLeader: true, lastContactMs: 0 }
/** Every process queries the database each second. After this silence, the database is considered unreachable. */
const LEADER_SILENT_MS_MAX = 3_000
const HOUSEKEEPING_INTERVAL_MS = 60_000
/** Minimum age of pruned changes, even if all members and readers have them: a fenced member may come back. */
const CHANGES_KEPT_MS = 600_000

/**
 * Opens the PostgreSQL implementation of `Store` on a migrated database, and joins the processes that share it. See
 * the port for its guarantees.
 *
 * @throws StartError if the key ring does not match this database; AclError `unavailable`.
 */
export async function openStore(options: OpenStoreOptions) {
  const { database, replica, url, log, ring, isCaching = true } = options
  const secrets = await openSecrets(database.prisma, ring)
  const queries = new Queries(database, secrets)
  const clock = new DatabaseClock({
    onStepRefused: (stepMs) =>
      log.warn(
        { stepMs },
        "the database's clock stepped; service time ignores the step and corrects it slowly",
      ),
  })
  const cacheBytes = isCaching ? (options.cacheBytes ?? CACHE_BYTES) : 0
  const memberId = randomUUID()
  const lease = new Lease()
  const kvCache = new KvCache(cacheBytes / KV_SHARE)
  const state = new LocalState({
    tokens: new TokenCache((cacheBytes * (KV_SHARE - 1)) / KV_SHARE),
    keys: kvCache,
    waiters: new Waiters(),
    onMembers: () => membership.noteChange(),
  })
  const activity = { isBusy: false }
  const follower = new ChangeFollower({
    memberId,
    queries,
    state,
    clock,
    commits: activity,
    rejoin: () => membership.rejoin(),
    isReloading: !isCaching,
  })
  const feed = new ChangeFeed({
    url,
    log,
    onCommit: (index) => follower.hear(index),
    onLease: (message) => membership.closing.hear(message),
    onLost: () => membership.noteChange(),
  })
  const isLeader = () => feed.leaderSignal !== undefined
  const { prisma } = database
  const membership = new Membership(
    { memberId, prisma, state, follower, clock, lease, feed, commits: activity, log },
    options.member,
  )
  const { datacenter } = options.member
  const place = { datacenter, primaryDatacenter: options.primaryDatacenter ?? datacenter }
  const commits = new CommitQueue({
    database,
    secrets,
    state,
    follower,
    membership,
    activity,
    place,
    isCaching,
    spans: options.spans,
  })
  const replicaReads = replica && new ReplicaReads(new Queries(replica, secrets), state)
  const reading = { queries, state, follower, secrets, replica: replicaReads }
  const tokens = new TokenReader(reading)
  const lists = new TokenLists(reading)
  const kv = new KvReader({ queries, state, follower, cache: kvCache })
  const reseal = new Reseal({ prisma, ring, secrets, isLeader, log })
  const sessionTimes = new PostgresSessionTimes(database)
  const loginStates = new PostgresLoginStates(database, secrets)
  const tokenUses = new PostgresTokenUses(database.pool)
  const changeReaders = new PostgresChangeReaders({ pool: database.pool, prisma, log })
  const archives = new ServerArchives({
    url,
    ring,
    secrets,
    datacenter,
    serviceVersion: options.member.version,
    membership,
    seenIndex: () => state.appliedIndex,
    folder: options.archiveFolder ?? tmpdir(),
    catchUp: () => follower.sync(),
    log,
  })
  const prune = async () => {
    while (isLeader() && (await queries.prune(CHANGES_KEPT_MS)) > 0);
    if (isLeader()) await membership.forget(cleansUpServers(state.directory()))
    if (isLeader()) await sessionTimes.prune()
  }
  const housekeeping = setInterval(() => {
    const again = (what: string) => (error: unknown) =>
      log.warn({ err: error }, `${what} failed; it runs again in a minute`)
    prune().catch(again('housekeeping'))
    // It may take longer.
    reseal.look().catch(again('re-sealing secrets of retired keys'))
  }, HOUSEKEEPING_INTERVAL_MS).unref()

  let leasedReads = 0
  const staleness = (): Freshness => {
    if (lease.isValid()) return CURRENT
    const { currentAt, failedAt } = follower
    const ageMs = performance.now() - currentAt
    const knownLeader = currentAt > failedAt && ageMs < LEADER_SILENT_MS_MAX
    return { knownLeader, lastContactMs: Math.ceil(ageMs) }
  }
  const freshness = (mode: ConsistencyMode): Freshness | undefined => {
    if (mode === 'stale') return staleness()
    if (mode !== 'default') return undefined
    if (lease.isValid()) {
      leasedReads += 1
      return CURRENT
    }
    membership.seekLease()
    return undefined
  }
  const memory: StoreMemory = {
    freshness,
    tokenByAccessor: (accessorId) => tokens.knownByAccessor(accessorId),
    tokenBySecret: (secretId) => tokens.knownBySecret(secretId),
  }
  const port: Store = {
    loginStates,
    tokenUses,
    changeReaders,
    sessionTimes,
    contested: new KeyedMutex(),
    memory,
    async refresh(mode) {
      const known = freshness(mode)
      if (known) return known
      await follower.sync()
      return CURRENT
    },
    directory: () => state.directory(),
    catalog: () => state.catalog,
    tableIndex: (table) => state.topics.table(table),
    commitIndex: () => state.appliedIndex,
    async changesAfter(index, parts) {
      const changes = await readReplicatedChanges(prisma, index, { secrets, parts })
      const leftOut = changes?.leftOut ?? 0
      if (leftOut > 0) log.warn({ tokens: leftOut }, UNOPENED)
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
    commit: (changes, conditions) => commits.commit(changes, conditions),
    async wait(topic, after, timeoutMs, signal) {
      if (signal?.aborted) return 'aborted'
      // A forgotten topic is treated as changed: the caller reads again and waits from the index it then sees.
      if (state.topics.changedAfter(topic, after) ?? true) return 'changed'
      return state.waiters.add(topic, timeoutMs, signal)
    },
  }
  const store = {
    ...port,
    memory,
    changeReaders,
    /**
     * For reads after `refresh('stale')`: what is not in memory is read from the replica, if it has reached the local
     * state, so that the reported age also applies to its answers.
     */
    stale: replicaReads && {
      ...port,
      tokenByAccessor: (accessorId: string) => tokens.byAccessor(accessorId, true),
      tokenBySecret: (secretId: string) => tokens.bySecret(secretId, true),
      tokens: (filter: TokenFilter) => lists.pages(filter, true),
    },
    clock: clock as Clock,
    membership,
    archives,
    /** Deletes the recorded uses of tokens that no longer exist. */
    reapTokenUses: () => queries.reapUses(),
    /** Runs work in the leader alone. The signal aborts when another process takes over. */
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
    status: () => ({
      appliedIndex: state.appliedIndex,
      isFeedConnected: feed.isConnected,
      hasLease: lease.isValid(),
      isAlone: membership.isAlone(),
      isLeader: isLeader(),
      lastContactMs: staleness().lastContactMs,
      waiters: state.waiters.count,
      clock: { aheadMs: clock.aheadMs, stepsRefused: clock.stepsRefused },
      cache: {
        tokens: state.tokens.size,
        bytes: state.tokens.usedBytes + kvCache.usedBytes,
        ...tokens.counts,
        replicaReads: replicaReads?.count ?? 0,
      },
      commits: commits.counts,
      feed: feed.counts,
      closings: membership.closing.counts,
      leasedReads,
      confirmations: follower.rounds,
    }),
    /** Ends every wait as if it had timed out: the first step of a shutdown. */
    closeAllWaiters: () => state.waiters.close(),
    /** Leaves the cluster and closes the change feed. @param isForGood the others do not wait for a successor. */
    async close(isForGood = false): Promise<void> {
      state.waiters.close()
      clearInterval(housekeeping)
      await reseal.close()
      await tokenUses.close()
      await changeReaders.write()
      await membership.close(isForGood)
      await feed.close()
    },
  }
  try {
    await follower.open()
    warnOfWrongClock(clock, log)
    // A join may need to receive the message that leases have ended.
    await feed.start()
    await membership.start()
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}

/** The first process trusts the database's clock, even if it is wrong. */
function warnOfWrongClock(clock: DatabaseClock, log: BaseLogger): void {
  const aheadMs = Math.round(clock.databaseNow() - Date.now())
  if (Math.abs(aheadMs) <= CLOCK_DIFFERENCE_MS_MAX) return
  log.warn({ aheadMs }, "the database's clock and this machine's differ; tokens expire by the database's")
}
