import type { KvRecord } from '@latchkey/acl'
import { invariant, limits } from '@latchkey/contract'
import { type KvKey, type KvRange, kvTopic, Semaphore } from '@latchkey/service'
import type { ChangeFollower } from '../follow/change-follower.ts'
import type { LocalState } from '../follow/local-state.ts'
import { type KvLongRow, type KvRow, kvKeyOfRow, kvOfRow } from '../kv-table.ts'
import type { KvCache } from './caches.ts'
import type { Queries, Snapshot } from './queries.ts'

/** Bytes of values of one page, which is read, decoded and rendered in one step. Not less than the longest value. */
const PAGE_BYTES = limits.KV_VALUE_BYTES_MAX
const PAGE_KEYS = 500
/** Concurrent page reads; the other connections are for other work. */
const PAGES_AT_ONCE = 2
/** Concurrent reads of long values, all of which may arrive in the same turn. */
const LONG_ENTRIES_AT_ONCE = 4
const UNBOUNDED = { waitingMax: Number.POSITIVE_INFINITY }
const SHORT_VALUE_BYTES_MAX = 65_536
/** Larger than any value. */
const VALUE_BYTES_MAX = 2_147_483_647

interface Page<T> {
  readonly records: readonly T[]
  readonly isFull: boolean
}

export interface KvReaderParts {
  readonly queries: Queries
  readonly state: LocalState
  readonly follower: ChangeFollower
  readonly cache: KvCache
}

/** Reads entries at the applied index: single ones through a cache, trees page by page. */
export class KvReader {
  private readonly parts: KvReaderParts
  private readonly pageReads = new Semaphore(PAGES_AT_ONCE, UNBOUNDED)
  private readonly longEntries = new Semaphore(LONG_ENTRIES_AT_ONCE, UNBOUNDED)

  constructor(parts: KvReaderParts) {
    this.parts = parts
  }

  /** Long values wait for one another; short ones do not wait for them. */
  async entry(namespace: string, key: string): Promise<KvRecord | undefined> {
    const short = await this.shortEntry(namespace, key, SHORT_VALUE_BYTES_MAX)
    if (short !== 'long') return short
    const whole = await this.longEntries.run(() => this.load(namespace, key, VALUE_BYTES_MAX))
    invariant(whole !== 'long', 'no value is longer than a value may be')
    return whole
  }

  async shortEntry(
    namespace: string,
    key: string,
    valueBytesMax: number,
  ): Promise<KvRecord | 'long' | undefined> {
    const known = this.parts.cache.get(kvTopic(namespace, key))
    return known ? known.record : this.load(namespace, key, valueBytesMax)
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

  /** Each page is one statement and one snapshot. Nothing stays open between pages, however slow the reader is. */
  private async *pages<T extends KvKey>(
    range: KvRange,
    read: (rest: KvRange, limit: number) => Promise<Snapshot<Page<T>>>,
  ): AsyncGenerator<readonly T[]> {
    let left = range.limit ?? Number.POSITIVE_INFINITY
    for (let rest = range; left > 0; ) {
      const start = rest
      const { index, value: page } = await this.pageReads.run(() => read(start, Math.min(left, PAGE_KEYS)))
      await this.parts.follower.reach(index)
      if (page.records.length > 0) yield page.records
      const last = page.records.at(-1)
      if (!last || !page.isFull) return
      left -= page.records.length
      rest = { ...range, after: last.Key }
    }
  }

  private async load(
    namespace: string,
    key: string,
    valueBytesMax: number,
  ): Promise<KvRecord | 'long' | undefined> {
    const { queries, follower, state, cache } = this.parts
    const topic = kvTopic(namespace, key)
    for (;;) {
      const { index, value: row } = await queries.kvEntry(namespace, key, valueBytesMax)
      await follower.reach(index)
      if (state.topics.changedAfter(topic, index) !== false) continue
      if (row && !isWhole(row)) return 'long'
      const record = row ? kvOfRow(row) : undefined
      cache.keep(topic, record)
      return record
    }
  }
}

function isWhole(row: KvRow | KvLongRow): row is KvRow {
  return row.value !== null
}
