import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
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
import { Alarm } from './members/alarm.ts'
import { PostgresChangeReaders } from './members/change-readers.ts'
import { DatabaseClock } from './members/database-clock.ts'
import { Housekeeping } from './members/housekeeping.ts'
import { Lease } from './members/leases/lease.ts'
import { MemberChanges } from './members/member-changes.ts'
import { type MemberInfo, Membership } from './members/membership.ts'
import { createPostgresStore, type PostgresStore } from './postgres-store.ts'
import { KvCache, TokenCache } from './read/caches.ts'
import { KvReader } from './read/kv-reader.ts'
import { TokenLists } from './read/lists/token-lists.ts'
import { Queries } from './read/queries.ts'
import { ReplicaReads } from './read/replica-reads.ts'
import { readReplicatedChanges } from './read/replicated-changes.ts'
import { TokenReader } from './read/token-reader.ts'
import { PostgresSessionTimes } from './session-times.ts'
import { PostgresTokenUses } from './token-uses.ts'
import { CommitQueue } from './write/commit-queue.ts'
import { CommitActivity } from './write/writes.ts'

export interface OpenStoreOptions {
  readonly database: Database
  /** The URL of the same database, for the connection of the change feed. */
  readonly url: string
  readonly ring: KeyRing
  readonly log: BaseLogger
  /** What this process publishes about itself to the other members. */
  readonly member: MemberInfo
  /** The datacenter where its global records are written. Default: this one. */
  readonly primaryDatacenter?: string
  /** A replica for `stale` reads that memory cannot answer. */
  readonly replica?: Database | undefined
  /** Maximum memory for cached tokens and keys, in bytes. Default 64 MiB. */
  readonly cacheBytes?: number
  /** False for `LATCHKEY_CACHE_BYTES=0`: every read queries the database. */
  readonly isCaching?: boolean
  /** Where an archive is stored until it is restored. Default: the temporary directory of the system. */
  readonly archiveFolder?: string
  /** Makes spans of commit groups. Default: none. */
  readonly spans?: CommitSpans | undefined
}

/** A larger difference between the clocks of the database and the machine is logged at the start. In milliseconds. */
const CLOCK_DIFFERENCE_MS_MAX = 60_000
const UNOPENED = 'other datacenters do not get these tokens, because their stored secrets do not open'
const CACHE_BYTES = 67_108_864
/** Keys may take a quarter of the cache. */
const KV_SHARE = 4

/**
 * Opens the store of a migrated database and joins the processes that share it.
 *
 * @throws StartError if the key ring does not match this database; AclError `unavailable`.
 */
export async function openStore(options: OpenStoreOptions): Promise<PostgresStore> {
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
  const heartbeat = new Alarm()
  const changes = new MemberChanges(lease, heartbeat)
  const kvCache = new KvCache(cacheBytes / KV_SHARE)
  const state = new LocalState({
    tokens: new TokenCache((cacheBytes * (KV_SHARE - 1)) / KV_SHARE),
    keys: kvCache,
    waiters: new Waiters(),
    members: changes,
  })
  const activity = new CommitActivity()
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
    onLost: () => changes.note(),
  })
  const isLeader = () => feed.leaderSignal !== undefined
  const { prisma } = database
  const membership = new Membership(
    { memberId, prisma, state, follower, clock, lease, feed, commits: activity, heartbeat, log },
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
  const housekeeping = new Housekeeping({ queries, membership, reseal, sessionTimes, isLeader, log })
  const archives = new ServerArchives({
    store: {
      url,
      ring,
      secrets,
      datacenter,
      serviceVersion: options.member.version,
      membership,
      seenIndex: () => state.appliedIndex,
    },
    folder: options.archiveFolder ?? tmpdir(),
    catchUp: () => follower.sync(),
    log,
  })
  const store = createPostgresStore({
    archives,
    state,
    follower,
    feed,
    membership,
    commits,
    tokens,
    lists,
    replica: replicaReads,
    kv,
    kvCache,
    loginStates: new PostgresLoginStates(database, secrets),
    tokenUses: new PostgresTokenUses(database.pool),
    changeReaders: new PostgresChangeReaders({ pool: database.pool, prisma, log }),
    sessionTimes,
    changes: async (index, parts) => {
      const changes = await readReplicatedChanges(prisma, index, { secrets, parts })
      const leftOut = changes?.leftOut ?? 0
      if (leftOut > 0) log.warn({ tokens: leftOut }, UNOPENED)
      return changes
    },
    clock,
    housekeeping,
  })
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
