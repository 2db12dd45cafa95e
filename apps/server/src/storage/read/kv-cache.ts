import type { KvRecord } from '@latchkey/acl'
import { ownText } from '@latchkey/contract'
import type { Topic } from '@latchkey/service'
import { KEPT_AT_EVICTION } from './token-cache.ts'

interface Entry {
  /** Undefined: there is no such key. */
  readonly record: KvRecord | undefined
  readonly bytes: number
}

/** Size of an entry besides its texts and its value, in bytes. */
const ENTRY_BYTES = 700
/** The key is in the map and in the record, and a character takes up to two bytes. */
const KEY_BYTES = 4

/** Single entries of the key-value store at the applied index. Bounded in bytes; the oldest reads are evicted first. */
export class KvCache {
  private readonly bytesMax: number
  /** In the order in which they were read from the database. */
  private readonly entries = new Map<Topic, Entry>()
  private bytes = 0

  /** @param bytesMax 0 keeps nothing. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  get usedBytes(): number {
    return this.bytes
  }

  /** @returns undefined if nothing is known; otherwise the record, or that there is none. */
  get(topic: Topic): { readonly record: KvRecord | undefined } | undefined {
    return this.entries.get(topic)
  }

  keep(topic: Topic, record: KvRecord | undefined): void {
    const bytes = ENTRY_BYTES + KEY_BYTES * topic.length + (record?.Value.length ?? 0)
    this.forget(topic)
    if (bytes > this.bytesMax) return
    this.entries.set(ownText(topic) as Topic, { record, bytes })
    this.bytes += bytes
    if (this.bytes > this.bytesMax) this.evict()
  }

  forget(topic: Topic): void {
    this.bytes -= this.entries.get(topic)?.bytes ?? 0
    this.entries.delete(topic)
  }

  clear(): void {
    this.entries.clear()
    this.bytes = 0
  }

  /** Evicts in bulk, as the token cache does. */
  private evict(): void {
    const enough = this.bytesMax * KEPT_AT_EVICTION
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= enough) return
      this.forget(oldest)
    }
  }
}
