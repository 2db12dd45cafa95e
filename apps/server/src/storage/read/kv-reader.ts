import type { KvRecord } from '@latchkey/acl'
import { limits } from '@latchkey/contract'
import { type KvKey, type KvRange, kvTopic, type Topic } from '@latchkey/service'
import type { ChangeFollower } from '../follow/change-follower.ts'
import type { LocalState } from '../follow/local-state.ts'
import { type KvLongRow, type KvRow, kvKeyOfRow, kvOfRow } from '../kv-table.ts'
import type { KvCache } from './kv-cache.ts'
import { Lanes } from './lanes.ts'
import type { Queries, Snapshot } from './queries.ts'

/**
 * Maximum size of the values of one page, in bytes: read, decoded and rendered in one step. At least the longest
 * value.
 */
const PAGE_BYTES = limits.KV_VALUE_BYTES_MAX
const PAGE_KEYS = 500
/** Concurrent page reads; the other connections are for other work. */
const PAGES_AT_ONCE = 2
/** Long values that are read at the same time, as all that were read may come in one turn. */
const LONG_ENTRIES_AT_ONCE = 4
const SHORT_VALUE_BYTES_MAX = 65_536
/** More than any value has. */
const VALUE_BYTES_MAX = 2_147_483_647

/** A page as it was read. */
interface Page<T> {
  readonly records: readonly T[]
  /** Whether more may follow. */
  readonly isFull: boolean
}

export interface KvReaderParts {
  readonly queries: Queries
  readonly state: LocalState
  readonly follower: ChangeFollower
  readonly cache: KvCache
}

/**
 * Reads entries of the key-value store at the applied index. Single entries are cached; trees come from the database,
 * page by page.
 */
export class KvReader {
  private readonly parts: KvReaderParts
  private readonly lanes = new Lanes(PAGES_AT_ONCE)
  private readonly longEntries = new Lanes(LONG_ENTRIES_AT_ONCE)

  constructor(parts: KvReaderParts) {
    this.parts = parts
  }

  async entry(namespace: string, key: string): Promise<KvRecord | undefined> {
    const topic = kvTopic(namespace, key)
    const known = this.parts.cache.get(topic)
    return known ? known.record : this.load(topic, namespace, key)
  }

  list(range: KvRange): AsyncGenerator<readonly KvRecord[]> {
    return this.pages(range, async (rest, limit) => {
      const { index, value } = await this.parts.queries.kvEntryPage(rest, limit, PAGE_BYTES)
      const { rows, found } = value
      return { index, value: { records: rows.map(kvOfRow), isFull: rows.length < found || found === limit } }
    })
  }

  keys(range: KvRange): AsyncGenerator<readonly KvKey[]> {
    return this.pages(range, async (rest, limit) => {
      const { index, value: rows } = await this.parts.queries.kvKeyPage(rest, limit)
      return { index, value: { records: rows.map(kvKeyOfRow), isFull: rows.length === limit } }
    })
  }

  /** Each page is one statement and one snapshot; nothing is held between pages, however slow the reader is. */
  private async *pages<T extends KvKey>(
    range: KvRange,
    read: (rest: KvRange, limit: number) => Promise<Snapshot<Page<T>>>,
  ): AsyncGenerator<readonly T[]> {
    let left = range.limit ?? Number.POSITIVE_INFINITY
    for (let rest = range; left > 0; ) {
      const start = rest
      const { index, value: page } = await this.lanes.run(() => read(start, Math.min(left, PAGE_KEYS)))
      await this.parts.follower.reach(index)
      if (page.records.length > 0) yield page.records
      const last = page.records.at(-1)
      if (!last || !page.isFull) return
      left -= page.records.length
      rest = { ...range, after: last.Key }
    }
  }

  /** A long value is read behind other long ones; the short ones do not wait for them. */
  private async row(namespace: string, key: string): Promise<Snapshot<KvRow | null>> {
    for (let bytesMax = SHORT_VALUE_BYTES_MAX; ; bytesMax = VALUE_BYTES_MAX) {
      const read = () => this.parts.queries.kvEntry(namespace, key, bytesMax)
      const { index, value } = await (bytesMax === VALUE_BYTES_MAX ? this.longEntries.run(read) : read())
      if (value === null || isWhole(value)) return { index, value }
    }
  }

  private async load(topic: Topic, namespace: string, key: string): Promise<KvRecord | undefined> {
    const { follower, state, cache } = this.parts
    for (;;) {
      const { index, value: row } = await this.row(namespace, key)
      await follower.reach(index)
      if (state.topics.changedAfter(topic, index) !== false) continue
      const record = row ? kvOfRow(row) : undefined
      cache.keep(topic, record)
      return record
    }
  }
}

function isWhole(row: KvRow | KvLongRow): row is KvRow {
  return row.value !== null
}
