import type { KvRecord } from '@latchkey/acl'
import { ownText } from '@latchkey/contract'
import { BoundedMap, type Topic } from '@latchkey/service'

interface Entry {
  /** Undefined: there is no such key. */
  readonly record: KvRecord | undefined
}

/** Size of an entry besides its texts and its value, in bytes. */
const ENTRY_BYTES = 700
/** The key is in the map and in the record, and a character takes up to two bytes. */
const KEY_BYTES = 4

/** Caches single entries of the key-value store at the applied index. */
export class KvCache {
  private readonly entries: BoundedMap<Topic, Entry>

  /** @param bytesMax 0 disables the cache. */
  constructor(bytesMax: number) {
    this.entries = new BoundedMap(bytesMax)
  }

  get usedBytes(): number {
    return this.entries.weight
  }

  /** @returns undefined if the cache has no answer; otherwise the record, or that none exists. */
  get(topic: Topic): Entry | undefined {
    return this.entries.get(topic)
  }

  keep(topic: Topic, record: KvRecord | undefined): void {
    const bytes = ENTRY_BYTES + KEY_BYTES * topic.length + (record?.Value.length ?? 0)
    this.entries.set(ownText(topic) as Topic, { record }, bytes)
  }

  forget(topic: Topic): void {
    this.entries.delete(topic)
  }

  clear(): void {
    this.entries.clear()
  }
}
