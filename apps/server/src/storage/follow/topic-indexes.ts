import { ownText } from '@latchkey/contract'
import {
  CATALOG_INDEX_TABLES,
  type IndexName,
  REPLICATED_TABLES,
  type TableName,
  type Topic,
} from '@latchkey/service'
import { HELD_TABLES } from '../held-tables.ts'

const TABLE_NAMES: readonly TableName[] = ['tokens', 'kv', ...HELD_TABLES]

/** Index names that stand for several tables. */
const GROUPS = { changes: REPLICATED_TABLES, catalog: CATALOG_INDEX_TABLES } as const satisfies {
  readonly [N in Exclude<IndexName, TableName>]: readonly TableName[]
}

/** Maximum number of remembered topics of single records, about 150 bytes each besides a long key. */
const RECENT_MAX = 50_000
/** Maximum total length of remembered topics: keys may be long. */
const RECENT_LENGTH_MAX = 8_388_608
/** Eviction in bulk is cheaper: a Map scans past deleted entries to find its oldest. */
const KEPT_WHEN_FORGETTING = 0.9

/**
 * The index at which each topic last changed: always for tables, recently changed ones for single tokens and keys. A
 * topic that is not remembered has not changed since {@link floor}.
 */
export class TopicIndexes {
  private readonly tables = new Map<Topic, number>(TABLE_NAMES.map((name) => [name, 0]))
  private readonly recent = new Map<Topic, number>()
  private recentLength = 0
  private floor: number

  constructor(floor: number) {
    this.floor = floor
  }

  table(name: IndexName): number {
    if (isGroup(name)) return Math.max(...GROUPS[name].map((table) => this.table(table)))
    return this.tables.get(name) ?? 0
  }

  /** Whether a topic changed after `after`; undefined if that is not remembered. */
  changedAfter(topic: Topic, after: number): boolean | undefined {
    if (isGroup(topic)) return this.table(topic) > after
    const last = this.tables.get(topic) ?? this.recent.get(topic)
    if (last !== undefined) return last > after
    // Its table has not changed, or every forgotten change is at or below `after`.
    return this.table(tableOf(topic)) <= after || after >= this.floor ? false : undefined
  }

  touch(topic: Topic, index: number): void {
    if (this.tables.has(topic)) {
      this.tables.set(topic, index)
      return
    }
    if (!this.recent.delete(topic)) this.recentLength += topic.length
    this.recent.set(ownText(topic) as Topic, index)
    if (this.recent.size > RECENT_MAX || this.recentLength > RECENT_LENGTH_MAX) this.forget()
  }

  private forget(): void {
    for (const [oldest, at] of this.recent) {
      const isEnough =
        this.recent.size <= RECENT_MAX * KEPT_WHEN_FORGETTING &&
        this.recentLength <= RECENT_LENGTH_MAX * KEPT_WHEN_FORGETTING
      if (isEnough) return
      this.recent.delete(oldest)
      this.recentLength -= oldest.length
      this.floor = at
    }
  }

  reset(index: number, tables: Readonly<Record<TableName, number>>): void {
    for (const name of TABLE_NAMES) this.tables.set(name, tables[name])
    this.recent.clear()
    this.recentLength = 0
    this.floor = index
  }
}

function tableOf(topic: Topic): IndexName {
  if (topic.startsWith('kv:')) return 'kv'
  return topic.startsWith('token:') ? 'tokens' : 'catalog'
}

function isGroup(topic: string): topic is keyof typeof GROUPS {
  return Object.hasOwn(GROUPS, topic)
}
