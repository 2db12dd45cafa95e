import { type Change, type ConflictReason, StoreConflict } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import type { SecretBox } from '../secrets/secret-box.ts'
import { type EncodedChange, encodeChange } from './encode-change.ts'
import type { OwnCommit } from './local-state.ts'
import type { CommitAnswer } from './queries.ts'

/** A write that waits for its group, or is in it. */
interface Write {
  readonly changes: readonly Change[]
  readonly encoded: readonly EncodedChange[]
  /** As it goes to the database. */
  readonly json: string
  readonly resolve: (index: number) => void
  readonly reject: (error: unknown) => void
}

export interface CommitQueueOptions {
  readonly secrets: SecretBox
  /** Commits a group; see `latchkey_commit`. */
  readonly send: (writes: string) => Promise<GroupAnswer>
  /** Makes the local state show the commits of a group, before its callers are told. */
  readonly apply: (group: CommittedGroup) => Promise<void>
}

/** A group that was committed, or parts of it. */
export interface CommittedGroup {
  /** The index that the first commit follows. */
  readonly before: number
  /** The index of the last commit. */
  readonly last: number
  /** Undefined where only the database knows all that changed. */
  readonly commits: readonly OwnCommit[] | undefined
  /** The database had lost commits that this process has seen. */
  readonly isBehind: boolean
}

export type GroupAnswer = Exclude<CommitAnswer, { readonly is_fenced: true }>

/** Most writes, and characters of JSON, of one group: it holds the lock that all other writers wait for. */
const GROUP_WRITES_MAX = 256
const GROUP_CHARS_MAX = 4_194_304

/**
 * Group commit: while one group is on its way, the next collects; so the cost of a transaction and of its flush to the
 * disk is shared by all who write at the same time. Each write keeps its own index and its own error.
 */
export class CommitQueue {
  private readonly options: CommitQueueOptions
  private waiting: Write[] = []
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
    const json = JSON.stringify(encoded)
    return new Promise((resolve, reject) => {
      this.waiting.push({ changes, encoded, json, resolve, reject })
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
    for (const { json } of this.waiting) {
      chars += json.length
      if (count === GROUP_WRITES_MAX || (count > 0 && chars > GROUP_CHARS_MAX)) break
      count += 1
    }
    return this.waiting.splice(0, count)
  }

  private async commitGroup(group: readonly Write[]): Promise<void> {
    let answer: GroupAnswer
    try {
      answer = await this.options.send(`[${group.map(({ json }) => json).join(',')}]`)
    } catch (error) {
      this.counts.failures += 1
      return this.fail(group, error)
    }
    this.counts.groups += 1
    try {
      await this.settle(group, answer)
    } catch (error) {
      // Committed, but not to be seen here yet: to the caller, an unknown outcome. Never sent again.
      for (const write of group) write.reject(error)
    }
  }

  private async settle(group: readonly Write[], answer: GroupAnswer): Promise<void> {
    const { before, results } = answer
    const commits: OwnCommit[] = []
    let isKnown = true
    let last = before
    for (const [i, write] of group.entries()) {
      const index = Number(results[i])
      if (Number.isNaN(index)) continue
      last = index
      const own = ownCommit(write, index)
      if (own) commits.push(own)
      else isKnown = false
    }
    if (last > before) {
      const group = { before, last, commits: isKnown ? commits : undefined, isBehind: answer.is_behind }
      await this.options.apply(group)
    }
    for (const [i, write] of group.entries()) {
      const result = results[i] ?? ''
      const index = Number(result)
      if (!Number.isNaN(index)) write.resolve(index)
      else {
        this.counts.conflicts += 1
        write.reject(new StoreConflict(result as ConflictReason))
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
  return { index, changes: known, secretHashes: encoded.map(secretHashOf) }
}

function secretHashOf({ row }: EncodedChange): string | undefined {
  if (typeof row !== 'object' || row === null || !('secret_hash' in row)) return undefined
  return String(row.secret_hash).slice(2)
}
