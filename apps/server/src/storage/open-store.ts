import { AclError } from '@latchkey/contract'
import type { BaseLogger } from 'pino'
import type { Database } from '../database/connect.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { ChangeFeed } from './change-feed.ts'
import { ChangeFollower } from './change-follower.ts'
import { CommitQueue, type CommittedGroup, type GroupAnswer } from './commit-queue.ts'
import { DatabaseClock } from './database-clock.ts'
import { Housekeeping } from './housekeeping.ts'
import { KvReader } from './kv-reader.ts'
import { LocalState } from './local-state.ts'
import { type MemberInfo, Membership } from './membership.ts'
import { openSecrets } from './open-secrets.ts'
import { PostgresStore } from './postgres-store.ts'
import { type CommitGroup, Queries } from './queries.ts'
import { ReplicaReads } from './replica-reads.ts'
import { Reseal } from './reseal.ts'
import { TokenCache } from './token-cache.ts'
import { TokenLists } from './token-lists.ts'
import { TokenReader } from './token-reader.ts'
import { Waiters } from './waiters.ts'

export interface OpenStoreOptions {
  readonly database: Database
  /** The URL of the same database, for the connection of the change feed. */
  readonly url: string
  readonly ring: KeyRing
  readonly log: BaseLogger
  /** What the other processes on this database are told of this one. */
  readonly member: MemberInfo
  /** A replica, for `stale` reads of what is not in memory. */
  readonly replica?: Database | undefined
  /** Bound of what is kept in memory of tokens and keys, in bytes. Default 64 MiB. */
  readonly cacheBytes?: number
  /** False for `LATCHKEY_CACHE=off`: every answer from the database. */
  readonly isCaching?: boolean
}

const CACHE_BYTES = 67_108_864
/** Keys may take a fourth of that. */
const KV_SHARE = 4

/**
 * Opens the store of a migrated database, and joins the processes that share it.
 *
 * @throws StartError where the key ring is not the one of this database; AclError `unavailable`.
 */
export async function openStore(options: OpenStoreOptions): Promise<PostgresStore> {
  const { database, replica, url, log, ring, isCaching = true } = options
  const secrets = await openSecrets(database.prisma, ring)
  const queries = new Queries(database)
  const clock = new DatabaseClock()
  const cacheBytes = isCaching ? (options.cacheBytes ?? CACHE_BYTES) : 0
  const state = new LocalState(new TokenCache((cacheBytes * (KV_SHARE - 1)) / KV_SHARE), new Waiters())
  const follower = new ChangeFollower(queries, state, { isReloading: !isCaching })
  follower.onDatabaseTime = (databaseMs, askedAt, answeredAt) =>
    clock.measure(databaseMs, askedAt, answeredAt)
  const feed = new ChangeFeed({ url, log, onCommit: (index) => follower.hear(index) })
  const isLeader = () => feed.leaderSignal !== undefined
  const { prisma } = database
  const membership = new Membership(
    { prisma, queries, state, follower, clock, log, isLeader },
    options.member,
  )
  const commits = new CommitQueue({ secrets, send, apply })
  follower.isCommitting = () => commits.isBusy
  const replicaReads = replica && new ReplicaReads(new Queries(replica), state)
  const reading = { queries, state, follower, secrets, replica: replicaReads }
  const tokens = new TokenReader(reading)
  const lists = new TokenLists(reading)
  const kv = new KvReader({ queries, state, follower, cacheBytes: cacheBytes / KV_SHARE })
  const reseal = new Reseal({ prisma, ring, secrets, isLeader, log })
  const housekeeping = new Housekeeping({ queries, membership, reseal, isLeader, log })
  const store = new PostgresStore({
    state,
    follower,
    feed,
    membership,
    commits,
    tokens,
    lists,
    replica: replicaReads,
    kv,
    clock,
    housekeeping,
  })
  try {
    await follower.reload()
    await Promise.all([feed.start(), membership.start()])
  } catch (error) {
    await store.close()
    throw error
  }
  return store

  /** A process that was taken for dead joins again first: then nobody relies on being alone any more. */
  async function send(group: CommitGroup): Promise<GroupAnswer> {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await membership.ready()
      const answer =
        (await sendAtOnce(group)) ?? (await queries.commit(group, membership.memberId, state.appliedIndex))
      if (!answer.is_fenced) return answer
      await membership.join()
    }
    throw new AclError('unavailable', 'This server was taken for dead by the others; try again', {
      headers: { 'Retry-After': '1' },
    })
  }

  /** Undefined where the group has to go the long way. */
  async function sendAtOnce({ tokens, writes }: CommitGroup): Promise<GroupAnswer | undefined> {
    if (writes.length > 0) return undefined
    const before = await queries.commitAtOnce(tokens, membership.memberId, state.appliedIndex)
    if (before === undefined) return undefined
    return { before, tokens: tokens.map((_, i) => `${before + 1 + i}`), writes: [], is_behind: false }
  }

  function apply({ before, last, commits, isBehind }: CommittedGroup): Promise<void> | undefined {
    if (isBehind) return follower.reload()
    if (!commits || !isCaching || before !== state.appliedIndex) return follower.reach(last)
    state.applyOwn(commits)
    return undefined
  }
}
