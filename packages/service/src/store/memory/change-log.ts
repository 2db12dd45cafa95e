/** The latest changes of a memory store, for readers that follow it. */
import type { ChangeReader, ChangeReaders, ReaderContact, Touched } from '../replicated.ts'
import {
  isReplicated,
  READER_KEPT_MS,
  READER_LINES_MAX,
  READERS_MAX,
  type ReplicatedRecord,
  replicatedKey,
} from '../replicated.ts'
import type { Change } from '../store.ts'

interface Logged extends Pick<Touched, 'table' | 'key' | 'wasDeleted'> {
  readonly index: number
}

const CHANGES_KEPT = 10_000

export class MemoryChangeReaders implements ChangeReaders {
  private readonly readers = new Map<string, ChangeReader>()

  note({ name, now, index = this.readers.get(name)?.index }: ReaderContact): void {
    this.forget(now)
    const isKept = this.readers.has(name) || this.readers.size < READERS_MAX
    if (index !== undefined && isKept) this.readers.set(name, { name, index, contactAt: now })
  }

  async list(now: number): Promise<readonly ChangeReader[]> {
    this.forget(now)
    return [...this.readers.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  heldFrom(): number {
    let index = Number.POSITIVE_INFINITY
    for (const reader of this.readers.values()) index = Math.min(index, reader.index)
    return index
  }

  private forget(now: number): void {
    for (const { name, contactAt } of this.readers.values())
      if (contactAt <= now - READER_KEPT_MS) this.readers.delete(name)
  }
}

export class MemoryChangeLog {
  private readonly readers: Pick<MemoryChangeReaders, 'heldFrom'>
  private changes: Logged[] = []
  private floor = 0

  constructor(readers: Pick<MemoryChangeReaders, 'heldFrom'>) {
    this.readers = readers
  }

  note(change: Change, index: number): void {
    if (change.op === 'delete-tree') return
    const { table, op } = change
    if (!isReplicated(table)) return
    const key = replicatedKey(change.record as ReplicatedRecord)
    if (key === '') return
    this.changes.push({ index, table, key, wasDeleted: op === 'delete' })
    if (this.changes.length < 2 * CHANGES_KEPT) return
    const held = this.placeAfter(this.readers.heldFrom())
    const isTooLong = this.changes.length >= READER_LINES_MAX + CHANGES_KEPT
    if (held < CHANGES_KEPT && !isTooLong) return
    this.floor = this.changes.splice(0, CHANGES_KEPT).at(-1)?.index ?? this.floor
  }

  reset(index: number): void {
    this.changes = []
    this.floor = index
  }

  /**
   * Each record that changed above an index, once, in the order of the first changes; `undefined` if the changes are no longer
   * kept.
   */
  after(index: number): readonly Touched[] | undefined {
    if (index < this.floor) return undefined
    const touched = new Map<string, Touched>()
    for (let at = this.placeAfter(index); at < this.changes.length; at += 1) {
      const { table, key, wasDeleted, index: first } = this.changes[at] as Logged
      const id = `${table}/${key}`
      const known = touched.get(id)
      if (known === undefined) touched.set(id, { table, key, wasDeleted, first })
      else if (wasDeleted && !known.wasDeleted) touched.set(id, { ...known, wasDeleted })
    }
    return [...touched.values()]
  }

  /** Position of the first change above an index. */
  private placeAfter(index: number): number {
    return this.changes.findLastIndex((change) => change.index <= index) + 1
  }
}

type TokenChange = { readonly index: number; readonly accessorKey: string | undefined }

/** Minimum number of changes to keep; a list further behind is rebuilt. */
const TOKEN_CHANGES_KEPT = 256

/** The tokens that the latest commits touched, so that cached lists can be patched instead of rebuilt. */
export class RecentTokenChanges {
  private changes: TokenChange[] = []
  private floor = 0

  /** @param accessorKey in lower case; undefined for a token without one. */
  note(accessorKey: string | undefined, index: number): void {
    this.changes.push({ index, accessorKey })
    if (this.changes.length < 2 * TOKEN_CHANGES_KEPT) return
    const forgotten = this.changes.splice(0, TOKEN_CHANGES_KEPT)
    this.floor = forgotten.at(-1)?.index ?? this.floor
  }

  reset(index: number): void {
    this.changes = []
    this.floor = index
  }

  /** See `tokensChangedAfter` of the store. */
  after(index: number): readonly string[] | undefined {
    if (index < this.floor) return undefined
    const found = new Set<string>()
    for (let i = this.changes.length - 1; i >= 0; i -= 1) {
      const change = this.changes[i]
      if (!change || change.index <= index) break
      if (change.accessorKey === undefined) return undefined
      found.add(change.accessorKey)
    }
    return [...found]
  }
}
