import { endedSessions } from '@latchkey/catalog'
import { AclError, isOutage } from '@latchkey/contract'
import {
  type Change,
  type CommitOptions,
  checkReplicatedWrites,
  checkTogether,
  isOfCatalog,
  type Place,
  type Store,
  StoreConflict,
} from '@latchkey/service'
import type { Span } from '@opentelemetry/api'
import type { Database } from '../../database/connect.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import type { CommitSpans } from '../../tracing/commit-spans.ts'
import type { ChangeFollower } from '../follow/change-follower.ts'
import type { LocalState, OwnCommit } from '../follow/local-state.ts'
import type { Closing } from '../members/leases/lease.ts'
import type { Membership } from '../members/membership.ts'
import { isOfCatalogAlone } from './catalog/commit-together.ts'
import { commitInTransaction } from './held-commits.ts'
import { commitRows, onPool } from './row-commits.ts'
import {
  type EncodedWrite,
  encodeInTurns,
  encodeWrite,
  type GroupAnswer,
  STATEMENT_ROWS_MAX,
  splitGroup,
  TURN_CHANGES_MAX,
} from './writes.ts'

/** A process may be fenced while it rejoins; if that repeats, the database is in trouble. */
const JOINS_MAX = 2

interface Arrived extends CommitOptions {
  readonly changes: readonly Change[]
  readonly span: Span | undefined
  readonly resolve: (index: number) => void
  readonly reject: (error: unknown) => void
}

interface Write extends EncodedWrite, Pick<Arrived, 'span' | 'resolve' | 'reject'> {}

interface CommitQueueOptions {
  readonly database: Database
  readonly secrets: SecretBox
  readonly state: LocalState
  readonly follower: ChangeFollower
  readonly membership: Membership
  readonly place: Place
  readonly activity: { isBusy: boolean }
  /** False for `LATCHKEY_CACHE_BYTES=0`: own commits are read back from the database. */
  readonly isCaching: boolean
  readonly spans: Pick<CommitSpans, 'current' | 'detached' | 'group'> | undefined
}

/** Maximum writes, and characters, of one group, which holds the lock that all other writers wait for. */
const GROUP_WRITES_MAX = 256
const GROUP_CHARS_MAX = 262_144
/** Writes up to this length join any group, so that they do not wait behind every long write. */
const SHORT_CHARS_MAX = 16_384
/** Maximum writes of one group that each need several statements. */
const TRANSACTION_WRITES_MAX = 16
/** Maximum writes that share an id with another, which are committed one by one while the others wait. */
const REPEATED_WRITES_MAX = 32

/**
 * The write side of the store. Group commit: while one group is in flight, the next one collects, so concurrent
 * writers share the cost of a transaction and of its flush to disk. Each write keeps its own index and its own error.
 */
export class CommitQueue implements Pick<Store, 'commit'> {
  private readonly options: CommitQueueOptions
  private arrived: Arrived[] = []
  private isEncoding = false
  private waiting: Write[] = []
  private settled: Promise<void> = Promise.resolve()
  readonly counts = { writes: 0, groups: 0, conflicts: 0, failures: 0 }

  constructor(options: CommitQueueOptions) {
    this.options = options
  }

  async commit(changes: readonly Change[], { above, expects }: CommitOptions = {}): Promise<number> {
    const { secrets, state, place, spans } = this.options
    checkTogether(changes)
    checkReplicatedWrites(changes, state, place)
    try {
      const long =
        changes.length > TURN_CHANGES_MAX ? await encodeInTurns(changes, secrets, state.tokens) : undefined
      return await new Promise((resolve, reject) => {
        const write: Arrived = { changes, above, expects, span: spans?.current(), resolve, reject }
        if (long) this.waiting.push({ ...write, ...long })
        else this.arrived.push(write)
        this.counts.writes += 1
        this.begin()
      })
    } finally {
      // Catch up with other processes' commits that were announced during this one.
      this.options.follower.hear(0)
    }
  }

  /** Deferred, so that other requests of this turn of the event loop join the group. */
  private begin(): void {
    const { activity, spans } = this.options
    if (!activity.isBusy) {
      activity.isBusy = true
      const work = () => void this.work()
      setImmediate(spans ? spans.detached(work) : work)
    } else if (!this.isEncoding) {
      this.isEncoding = true
      setImmediate(() => {
        this.isEncoding = false
        this.encodeArrived()
      })
    }
  }

  /** Right after one another: hashing and encryption then take a third of the time. */
  private encodeArrived(): void {
    const { secrets, state } = this.options
    let count = 0
    let changes = 0
    for (const write of this.arrived) {
      if (changes >= TURN_CHANGES_MAX) break
      count += 1
      changes += write.changes.length
      try {
        this.waiting.push({ ...write, ...encodeWrite(write.changes, secrets, state.tokens) })
      } catch (error) {
        write.reject(error)
      }
    }
    this.arrived.splice(0, count)
    if (this.arrived.length > 0) this.begin()
  }

  private async work(): Promise<void> {
    for (let group = this.takeGroup(); group.length > 0; group = this.takeGroup()) {
      await this.commitGroup(group)
    }
    this.options.activity.isBusy = false
  }

  /** Takes writes of the same kind as the first in the queue; the other kind follows. */
  private takeGroup(): readonly Write[] {
    this.encodeArrived()
    const isLong = takesTransaction(this.waiting[0])
    const group: Write[] = []
    const left: Write[] = []
    let chars = 0
    let alone = 0
    for (const write of this.waiting) {
      const isTooLong = write.chars > SHORT_CHARS_MAX && chars + write.chars > GROUP_CHARS_MAX
      const isFull = group.length === GROUP_WRITES_MAX || alone === TRANSACTION_WRITES_MAX
      if (isFull || (group.length > 0 && isTooLong) || takesTransaction(write) !== isLong) {
        left.push(write)
        continue
      }
      group.push(write)
      chars += write.chars
      if (isLong && this.goesAlone(write)) alone += 1
    }
    this.waiting = left
    return group
  }

  private goesAlone(write: Write): boolean {
    if (!isOfCatalogAlone(write)) return true
    const changes = write.directory.map(({ change }) => change).filter(isOfCatalog)
    return endedSessions(changes, this.options.state.catalog).length > 0
  }

  private async commitGroup(group: readonly Write[]): Promise<void> {
    const isLong = takesTransaction(group[0])
    const { apart, others } = isLong ? { apart: [], others: group } : splitGroup(group)
    // The rest of the group waits for writes that are committed one by one, so their number is limited.
    const later = isLong ? [] : others.slice(REPEATED_WRITES_MAX)
    this.waiting.unshift(...later)
    const inOrder = [...apart, ...others.slice(0, others.length - later.length)]
    const { spans } = this.options
    const send = () => this.send(inOrder, { apart: apart.length, isLong })
    let answer: GroupAnswer
    try {
      answer = await (spans === undefined
        ? send()
        : spans.group(
            inOrder.map(({ span }) => span),
            send,
          ))
    } catch (error) {
      this.counts.failures += 1
      return this.fail(inOrder, error)
    }
    this.counts.groups += 1
    // Settled in the order of the groups, but not awaited: changes of other processes may have to be read first, while
    // the next group is already in flight.
    this.settled = this.settled
      .then(() => this.settle(inOrder, answer))
      .catch((error: unknown) => {
        // Committed, but not visible here yet, so the caller gets an unknown outcome. Never sent again.
        for (const write of inOrder) write.reject(error)
      })
  }

  /** Commits a group. @param options.apart how many of the first writes share no id with each other. */
  private async send(
    writes: readonly EncodedWrite[],
    { apart, isLong }: { readonly apart: number; readonly isLong: boolean },
  ): Promise<GroupAnswer> {
    const { database, secrets, membership, state } = this.options
    const rows = writes.map((write) => write.rows)
    let joins = 0
    let closing: Closing | undefined
    while (joins < JOINS_MAX) {
      await membership.ready()
      const leases = closing ? membership.withoutLease() : membership.forCommit()
      const author = { ...leases, waited: closing?.id, known: state.appliedIndex }
      const answer = isLong
        ? await commitInTransaction(database, secrets, writes, author)
        : await commitRows(onPool(database.pool), rows, apart, author)
      if (answer === undefined) {
        await membership.join()
        joins += 1
      } else if ('epoch' in answer) {
        closing = answer
        await membership.closing.ended(closing)
      } else return answer
    }
    throw new AclError('unavailable', 'The other servers have fenced this one; try again', {
      headers: { 'Retry-After': '1' },
    })
  }

  /** Applies the commits of a group, in the order of the answers, and answers its callers. */
  private async settle(group: readonly Write[], answer: GroupAnswer): Promise<void> {
    const { before, results, isBehind, isMore } = answer
    // In order of their indexes. Undefined if only the database can determine everything that changed.
    let commits: OwnCommit[] | undefined = []
    let last = before
    for (const [i, write] of group.entries()) {
      const index = results[i]
      if (typeof index !== 'number') continue
      last = index
      const own = ownCommit(write, index)
      if (own) commits?.push(own)
      else commits = undefined
    }
    if (last > before) {
      const { state, follower, isCaching } = this.options
      if (isBehind) await follower.reload()
      else if (!commits || isMore || !isCaching || before !== state.appliedIndex) await follower.reach(last)
      else state.applyOwn(commits)
    }
    for (const [i, { resolve, reject }] of group.entries()) {
      const result = results[i]
      if (typeof result === 'number') {
        resolve(result)
        continue
      }
      this.counts.conflicts += 1
      reject(new StoreConflict(result ?? 'changed'))
    }
  }

  /**
   * If the database is unreachable, waiting writes would fail the same way: all fail now, not one time limit later.
   * Any other error is caused by a single write, which must not fail the others, so each is sent alone.
   */
  private async fail(group: readonly Write[], error: unknown): Promise<void> {
    if (isOutage(error)) {
      for (const write of [...group, ...this.waiting.splice(0), ...this.arrived.splice(0)])
        write.reject(error)
    } else if (group.length === 1) {
      group[0]?.reject(error)
    } else {
      for (const write of group) await this.commitGroup([write])
    }
  }
}

/**
 * Whether a write takes several statements: it changes the directory, is long, leaves a gap in the indexes, depends on
 * records that it does not change, or may replace records that it deletes.
 */
function takesTransaction(write: EncodedWrite | undefined): boolean {
  if (write === undefined) return false
  const { rows, directory, above, expects } = write
  if (directory.length > 0 || rows.length > STATEMENT_ROWS_MAX || above !== undefined) return true
  if (expects !== undefined || (rows.length > 1 && rows.some(({ change }) => change.op === 'delete-tree')))
    return true
  const has = (op: 'put' | 'delete') =>
    rows.some(({ change }) => change.table === 'tokens' && change.op === op)
  return rows.length > 1 && has('delete') && has('put')
}

/** Undefined if the write removes keys that are only known to the database. */
function ownCommit({ changes, rows }: EncodedWrite, index: number): OwnCommit | undefined {
  const known = changes.filter((change) => change.op !== 'delete-tree')
  if (known.length < changes.length) return undefined
  const secretHashes: (string | undefined)[] = changes.map(() => undefined)
  for (const { place, change } of rows) secretHashes[place] = change.secretHash
  return { index, changes: known, secretHashes }
}
