import { AclError } from '@latchkey/contract'
import { type Change, StoreConflict } from '@latchkey/service'
import type { SecretBox } from '../../secrets/secret-box.ts'
import type { OwnCommit } from '../follow/local-state.ts'
import type { CommitActivity } from './commit-activity.ts'
import { splitGroup } from './split-group.ts'
import { type EncodedWrite, encodeWrite, type GroupAnswer } from './writes.ts'

/** A write that waits for its group, or is in it. */
interface Write extends EncodedWrite {
  readonly resolve: (index: number) => void
  readonly reject: (error: unknown) => void
}

/** Writes that are committed together, in order. */
export interface CommitGroup {
  readonly writes: readonly EncodedWrite[]
  /** For tokens and keys only: how many of the writes, from the first on, share no id. */
  readonly apart: number
  /** True if every write changes the directory; false if none does. */
  readonly isOfDirectory: boolean
}

/** A committed group, or the committed part of it. */
export interface CommittedGroup {
  /** The index before the first commit. */
  readonly before: number
  /** The index of the last commit. */
  readonly last: number
  /** In order of their indexes. Undefined if only the database knows everything that changed. */
  readonly commits: readonly OwnCommit[] | undefined
  /** The database had lost commits that this process has seen. */
  readonly isBehind: boolean
}

export interface CommitQueueOptions {
  readonly secrets: SecretBox
  /** Busy while a group is in flight. */
  readonly activity: CommitActivity
  /** Commits a group. */
  readonly send: (group: CommitGroup) => Promise<GroupAnswer>
  /** Applies the commits of a group to the local state, before its callers are answered. */
  readonly apply: (group: CommittedGroup) => Promise<void> | undefined
}

/** Maximum writes, and characters, of one group: it holds the lock that all other writers wait for. */
const GROUP_WRITES_MAX = 256
const GROUP_CHARS_MAX = 4_194_304
/** Maximum writes of one group that change the directory, which takes several statements each. */
const DIRECTORY_WRITES_MAX = 16
/** Maximum writes of one group that share an id with another. They are committed one by one while the others wait. */
const REPEATED_WRITES_MAX = 32

/**
 * Group commit: while one group is in flight, the next collects, so concurrent writers share the cost of a
 * transaction and of its flush to disk. Each write keeps its own index and its own error.
 */
export class CommitQueue {
  private readonly options: CommitQueueOptions
  private waiting: Write[] = []
  private settled: Promise<void> = Promise.resolve()
  readonly counts = { writes: 0, groups: 0, conflicts: 0, failures: 0 }

  constructor(options: CommitQueueOptions) {
    this.options = options
  }

  /**
   * @returns the index, once the commit is durable and the local state shows it.
   * @throws StoreConflict, AclError `unavailable`
   */
  commit(changes: readonly Change[]): Promise<number> {
    const encoded = encodeWrite(changes, this.options.secrets)
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...encoded, resolve, reject })
      this.counts.writes += 1
      // Deferred, so that other requests of this turn of the event loop join the group.
      if (!this.options.activity.isBusy) {
        this.options.activity.isBusy = true
        setImmediate(() => void this.work())
      }
    })
  }

  private async work(): Promise<void> {
    for (let group = this.takeGroup(); group.length > 0; group = this.takeGroup()) {
      await this.commitGroup(group)
    }
    this.options.activity.isBusy = false
  }

  /** Takes writes of the same kind as the first in the queue; the other kind comes next. */
  private takeGroup(): readonly Write[] {
    const isOfDirectory = changesDirectory(this.waiting[0])
    const writesMax = isOfDirectory ? DIRECTORY_WRITES_MAX : GROUP_WRITES_MAX
    const group: Write[] = []
    const left: Write[] = []
    let chars = 0
    for (const write of this.waiting) {
      const isFull = group.length === writesMax || (group.length > 0 && chars + write.chars > GROUP_CHARS_MAX)
      if (isFull || changesDirectory(write) !== isOfDirectory) {
        left.push(write)
        continue
      }
      group.push(write)
      chars += write.chars
    }
    this.waiting = left
    return group
  }

  private async commitGroup(group: readonly Write[]): Promise<void> {
    const isOfDirectory = changesDirectory(group[0])
    const { apart, others } = isOfDirectory ? { apart: [], others: group } : splitGroup(group)
    // The rest of the group waits for writes that are committed one by one, so their number is bounded.
    const later = isOfDirectory ? [] : others.slice(REPEATED_WRITES_MAX)
    this.waiting.unshift(...later)
    const inOrder = [...apart, ...others.slice(0, others.length - later.length)]
    let answer: GroupAnswer
    try {
      answer = await this.options.send({ writes: inOrder, apart: apart.length, isOfDirectory })
    } catch (error) {
      this.counts.failures += 1
      return this.fail(inOrder, error)
    }
    this.counts.groups += 1
    // Settled in the order of the groups, but not awaited: other processes' changes may have to be read first,
    // while the next group is already in flight.
    this.settled = this.settled
      .then(() => this.settle(inOrder, answer))
      .catch((error: unknown) => {
        // Committed, but not visible here yet: the caller sees an unknown outcome. Never sent again.
        for (const write of inOrder) write.reject(error)
      })
  }

  /** @param group in the order of the answers. */
  private async settle(group: readonly Write[], answer: GroupAnswer): Promise<void> {
    const { before, results, isBehind } = answer
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
    if (last > before) await this.options.apply({ before, last, commits, isBehind })
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
   * A group failed as a whole. If the database is unreachable, the outcome is unknown, and waiting writes would fail
   * the same way: all fail now, not one time limit later. Any other error is the fault of one write, which must not
   * fail its neighbours, so each is sent alone.
   */
  private async fail(group: readonly Write[], error: unknown): Promise<void> {
    if (error instanceof AclError && error.code === 'unavailable') {
      for (const write of [...group, ...this.waiting.splice(0)]) write.reject(error)
    } else if (group.length === 1) {
      group[0]?.reject(error)
    } else {
      for (const write of group) await this.commitGroup([write])
    }
  }
}

function changesDirectory(write: EncodedWrite | undefined): boolean {
  return write !== undefined && write.directory.length > 0
}

/** Undefined if the write removes keys that only the database knows. */
function ownCommit({ changes, rows }: EncodedWrite, index: number): OwnCommit | undefined {
  const known = changes.filter((change) => change.op !== 'delete-tree')
  if (known.length < changes.length) return undefined
  const secretHashes: (string | undefined)[] = changes.map(() => undefined)
  for (const { place, change } of rows) secretHashes[place] = change.secretHash
  return { index, changes: known, secretHashes }
}
