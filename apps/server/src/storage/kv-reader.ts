import { type KvRecord, kvTopic, type MaybePromise, type Topic } from '@latchkey/acl'
import type { ChangeFollower } from './change-follower.ts'
import { kvOfRow } from './decode-rows.ts'
import type { LocalState } from './local-state.ts'
import type { Queries } from './queries.ts'
import { KEPT_AT_EVICTION } from './token-cache.ts'

interface Entry {
  /** Undefined: there is no such key. */
  readonly record: KvRecord | undefined
  readonly bytes: number
}

/** What an entry takes besides its texts, in bytes. */
const ENTRY_BYTES = 500

export interface KvReaderParts {
  readonly queries: Queries
  readonly state: LocalState
  readonly follower: ChangeFollower
  /** Bound of what is kept; 0 keeps nothing. */
  readonly cacheBytes: number
}

/**
 * Entries of the key-value store, as they are at the applied index. Single ones are kept in memory, those read longest
 * ago go first; lists come from the database.
 */
export class KvReader {
  private readonly parts: KvReaderParts
  /** In the order in which they were read from the database. */
  private readonly entries = new Map<Topic, Entry>()
  private bytes = 0

  constructor(parts: KvReaderParts) {
    this.parts = parts
    parts.state.onKvChange = (topic) => this.forget(topic)
  }

  get usedBytes(): number {
    return this.bytes
  }

  entry(namespace: string, key: string): MaybePromise<KvRecord | undefined> {
    const topic = kvTopic(namespace, key)
    const known = this.entries.get(topic)
    return known ? known.record : this.load(topic, namespace, key)
  }

  async list(namespace: string, prefix: string): Promise<readonly KvRecord[]> {
    const { queries, follower } = this.parts
    const { index, value: rows } = await queries.kvEntries(namespace, prefix)
    await follower.reach(index)
    return rows.map(kvOfRow)
  }

  private async load(topic: Topic, namespace: string, key: string): Promise<KvRecord | undefined> {
    const { queries, follower, state } = this.parts
    for (;;) {
      const { index, value: row } = await queries.kvEntry(namespace, key)
      await follower.reach(index)
      if (state.topics.changedAfter(topic, index) !== false) continue
      const record = row ? kvOfRow(row) : undefined
      this.keep(topic, { record, bytes: ENTRY_BYTES + topic.length + (record?.Value.length ?? 0) })
      return record
    }
  }

  private keep(topic: Topic, entry: Entry): void {
    this.forget(topic)
    if (entry.bytes > this.parts.cacheBytes) return
    this.entries.set(topic, entry)
    this.bytes += entry.bytes
    if (this.bytes > this.parts.cacheBytes) this.evict()
  }

  /** Makes room for many at once, as the token cache does. */
  private evict(): void {
    const enough = this.parts.cacheBytes * KEPT_AT_EVICTION
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= enough) return
      this.forget(oldest)
    }
  }

  /** @param topic undefined: everything. */
  private forget(topic: Topic | undefined): void {
    if (topic === undefined) {
      this.entries.clear()
      this.bytes = 0
      return
    }
    this.bytes -= this.entries.get(topic)?.bytes ?? 0
    this.entries.delete(topic)
  }
}
