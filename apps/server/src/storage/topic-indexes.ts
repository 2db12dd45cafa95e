import type { TableName, Topic } from '@latchkey/acl'

/** The tables of the port, in the order of the columns of `commit_index`. */
export const TABLE_NAMES: readonly TableName[] = ['tokens', 'policies', 'roles', 'kv', 'namespaces', 'system']

/** Most topics of single records that are remembered, about 150 bytes each. */
const RECENT_MAX = 50_000
/** Forgotten at once: a map looks for its oldest entry among all places of entries that were removed before. */
const FORGOTTEN = 5_000

/**
 * At which index each topic last changed: of tables always, of single tokens and keys for the latest changes.
 * What is no longer remembered has not changed since {@link floor}.
 */
export class TopicIndexes {
  private readonly tables = new Map<Topic, number>(TABLE_NAMES.map((name) => [name, 0]))
  /** In order of the last change. */
  private readonly recent = new Map<Topic, number>()
  private floor: number

  constructor(floor: number) {
    this.floor = floor
  }

  table(name: TableName): number {
    return this.tables.get(name) ?? 0
  }

  /** Whether a topic changed above `after`; undefined where that is not remembered. */
  changedAfter(topic: Topic, after: number): boolean | undefined {
    const last = this.tables.get(topic) ?? this.recent.get(topic)
    if (last !== undefined) return last > after
    // Nothing of its table has changed, or nothing at all that is not remembered.
    return this.table(tableOf(topic)) <= after || after >= this.floor ? false : undefined
  }

  touch(topic: Topic, index: number): void {
    if (this.tables.has(topic)) {
      this.tables.set(topic, index)
      return
    }
    this.recent.delete(topic)
    this.recent.set(topic, index)
    if (this.recent.size > RECENT_MAX) this.forget()
  }

  private forget(): void {
    const kept = this.recent.size - FORGOTTEN
    for (const [oldest, at] of this.recent) {
      if (this.recent.size === kept) return
      this.recent.delete(oldest)
      this.floor = at
    }
  }

  /** Starts anew at an index, with the last index of each table. */
  reset(index: number, tables: Readonly<Record<TableName, number>>): void {
    for (const name of TABLE_NAMES) this.tables.set(name, tables[name])
    this.recent.clear()
    this.floor = index
  }
}

/** The table of the record that a topic is about. */
function tableOf(topic: Topic): TableName {
  return topic.startsWith('kv:') ? 'kv' : 'tokens'
}
