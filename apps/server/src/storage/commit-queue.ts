import { type Change, type ConflictReason, StoreConflict } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import type { SecretBox } from '../secrets/secret-box.ts'
import { type EncodedChange, encodeChange } from './encode-change.ts'
import type { OwnCommit } from './local-state.ts'
import type { CommitAnswer, CommitGroup } from './queries.ts'
import { splitGroup } from './split-group.ts'

/** A write that waits for its group, or is in it. */
export interface Write {
  readonly changes: readonly Change[]
  /** Each change as it goes to the database. */
  readonly encoded: readonly EncodedChange[]
  readonly resolve: (index: number) => void
  readonly reject: (error: unknown) => void
}

export type GroupAnswer = Exclude<CommitAnswer, { readonly is_fenced: true }>

/** A group that was committed, or parts of it. */
export interface CommittedGroup {
  /** The index that the first commit follows. */
  readonly before: number
  /** The index of the last commit. */
  readonly last: number
  /** In order of their index. Undefined where only the database knows all that changed. */
  readonly commits: readonly OwnCommit[] | undefined
  /** The database had lost commits that this process has seen. */
  readonly isBehind: boolean
}

export interface CommitQueueOptions {
  readonly secrets: SecretBox
  /** Commits a group. */
  readonly send: (group: CommitGroup) => Promise<GroupAnswer>
  /** Makes the local state show the commits of a group, before its callers are told. */
  readonly apply: (group: CommittedGroup) => Promise<void> | undefined
}

/** Most writes, and characters, of one group: it holds the lock that all other writers wait for. */
const GROUP_WRITES_MAX = 256
const GROUP_CHARS_MAX = 4_194_304

/**
 * Group commit: while one group is on its way, the next collects; so the cost of a transaction and of its flush to the
 * disk is shared by all who write at the same time. Each write keeps its own index and its own error.
 */
export class CommitQueue {
  private readonly options: CommitQueueOptions
  private waiting: Write[] = []
  private settled: Promise<void> = Promise.resolve()
  /** Whether a group is on its way. */
  isBusy = false
  readonly counts = { writes: 0, groups: 0, conflicts: 0, failures: 0 }

  constructor(options: CommitQueueOptions) {
    this.options = options
  }

  /**
   * @returns the index, once the commit is durable and the local state shows it.
   * @throws StoreConflict, AclError `unavailable`
   */
  commit(changes: readonly Change[]): Promise<number> {
    const encoded = changes.map((change) => encodeChange(change, this.options.secrets))
    return new Promise((resolve, reject) => {
      this.waiting.push({ changes, encoded, resolve, reject })
      this.counts.writes += 1
      // Not at once: the other requests of this turn of the event loop come along.
      if (!this.isBusy) {
        this.isBusy = true
        setImmediate(() => void this.work())
      }
    })
  }

  private async work(): Promise<void> {
    for (let group = this.takeGroup(); group.length > 0; group = this.takeGroup()) {
      await this.commitGroup(group)
    }
    this.isBusy = false
  }

  private takeGroup(): Write[] {
    let chars = 0
    let count = 0
    for (const { encoded } of this.waiting) {
      for (const { change } of encoded) chars += charsOf(change)
      if (count === GROUP_WRITES_MAX || (count > 0 && chars > GROUP_CHARS_MAX)) break
      count += 1
    }
    return this.waiting.splice(0, count)
  }

  private async commitGroup(group: readonly Write[]): Promise<void> {
    const { tokens, others } = splitGroup(group)
    let answer: GroupAnswer
    try {
      answer = await this.options.send({
        tokens: tokens.flatMap(({ encoded }) => encoded),
        writes: others.map(({ encoded }) => encoded),
      })
    } catch (error) {
      this.counts.failures += 1
      return this.fail(group, error)
    }
    this.counts.groups += 1
    const inOrder = [...tokens, ...others]
    // In the order of the groups, and not waited for: where other processes commit too, their changes are read first,
    // while the next group is on its way.
    this.settled = this.settled
      .then(() => this.settle(inOrder, answer))
      .catch((error: unknown) => {
        // Committed, but not to be seen here yet: to the caller, an unknown outcome. Never sent again.
        for (const write of group) write.reject(error)
      })
  }

  /** @param group in the order of the answers. */
  private async settle(group: readonly Write[], answer: GroupAnswer): Promise<void> {
    const results = [...answer.tokens, ...answer.writes]
    const { before, is_behind: isBehind } = answer
    let commits: OwnCommit[] | undefined = []
    let last = before
    for (const [i, write] of group.entries()) {
      const index = Number(results[i])
      if (Number.isNaN(index)) continue
      last = index
      const own = ownCommit(write, index)
      if (own) commits?.push(own)
      else commits = undefined
    }
    if (last > before) await this.options.apply({ before, last, commits, isBehind })
    for (const [i, { resolve, reject }] of group.entries()) {
      const result = results[i]
      const index = Number(result)
      if (!Number.isNaN(index)) resolve(index)
      else {
        this.counts.conflicts += 1
        reject(new StoreConflict(result as ConflictReason))
      }
    }
  }

  /**
   * A group failed as a whole. Where the database cannot be reached, nobody knows whether it was committed, and those
   * who wait would meet the same: all are told now, not one time limit later. Any other error is of one write, which
   * must not fail its neighbours: each goes alone.
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

/** Undefined where the write removes keys that only the database knows. */
function ownCommit({ changes, encoded }: Write, index: number): OwnCommit | undefined {
  const known = changes.filter((change) => change.op !== 'delete-tree')
  if (known.length < changes.length) return undefined
  return { index, changes: known, secretHashes: encoded.map(({ secretHash }) => secretHash) }
}

/** All characters of the texts in it. */
function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let chars = 0
  for (const part of Object.values(value)) chars += charsOf(part)
  return chars
}
