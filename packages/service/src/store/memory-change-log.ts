/** The latest changes of a memory store, for readers that follow it. */
import { isReplicated, type Touched } from './replicated.ts'
import type { Change } from './store.ts'

interface Logged extends Touched {
  readonly index: number
}

/** Minimum number of remembered changes. */
const CHANGES_KEPT = 10_000

export class MemoryChangeLog {
  /** In the order of their indexes. */
  private changes: Logged[] = []
  /** Changes above this index are remembered. */
  private floor = 0

  note(change: Change, index: number): void {
    if (change.op === 'delete-tree') return
    const { table, op } = change
    if (!isReplicated(table)) return
    const key = keyOfReplicated(change)
    if (key === undefined) return
    this.changes.push({ index, table, key, wasDeleted: op === 'delete' })
    if (this.changes.length < 2 * CHANGES_KEPT) return
    this.floor = this.changes.splice(0, CHANGES_KEPT).at(-1)?.index ?? this.floor
  }

  /** Forgets all changes. @param index of the last change. */
  reset(index: number): void {
    this.changes = []
    this.floor = index
  }

  /** Each record that changed above an index, once; `undefined` if that is not remembered. */
  after(index: number): readonly Touched[] | undefined {
    if (index < this.floor) return undefined
    const touched = new Map<string, Touched>()
    for (const { table, key, wasDeleted, ...at } of this.changes) {
      if (at.index <= index) continue
      const id = `${table}/${key}`
      touched.set(id, { table, key, wasDeleted: wasDeleted || touched.get(id)?.wasDeleted === true })
    }
    return [...touched.values()]
  }
}

/** `undefined` for a token without an accessor. */
function keyOfReplicated(change: Exclude<Change, { op: 'delete-tree' }>): string | undefined {
  switch (change.table) {
    case 'tokens':
      return change.record.AccessorID.toLowerCase() || undefined
    case 'namespaces':
      return change.record.Name
    case 'policies':
    case 'roles':
      return change.record.ID
    default:
      return undefined
  }
}
