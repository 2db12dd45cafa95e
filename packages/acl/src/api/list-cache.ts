/**
 * Whole lists as JSON text, bounded in bytes. A key holds everything that an answer depends on: the filter, who may
 * see what, the index of the table, the version of the directory; and a list holds until one of its tokens expires.
 */
export interface CachedList {
  readonly bytes: Uint8Array
  /** Milliseconds since the epoch; Infinity where no token of the list expires. */
  readonly validUntil: number
}

interface Entry extends CachedList {
  readonly version: string
}

export class ListCache {
  private readonly bytesMax: number
  private bytes = 0
  /** In order of last use. */
  private readonly entries = new Map<string, Entry>()

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** @param version what must not have changed since the list was made. */
  get(key: string, version: string, now: number): Uint8Array | undefined {
    const entry = this.entries.get(key)
    if (!entry) return undefined
    this.remove(key, entry)
    if (entry.version !== version || now >= entry.validUntil) return undefined
    this.add(key, entry)
    return entry.bytes
  }

  set(key: string, version: string, list: CachedList): void {
    // One list may take a quarter: a cache that holds a single answer serves a single question.
    if (list.bytes.length > this.bytesMax / 4) return
    const old = this.entries.get(key)
    if (old) this.remove(key, old)
    this.add(key, { ...list, version })
    for (const [oldest, entry] of this.entries) {
      if (this.bytes <= this.bytesMax) break
      this.remove(oldest, entry)
    }
  }

  private add(key: string, entry: Entry): void {
    this.entries.set(key, entry)
    this.bytes += entry.bytes.length
  }

  private remove(key: string, entry: Entry): void {
    this.entries.delete(key)
    this.bytes -= entry.bytes.length
  }
}
