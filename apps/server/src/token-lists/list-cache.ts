/**
 * Caches whole lists as JSON text, limited in bytes including keys. Together, key and version cover everything that an
 * answer depends on: the filter and the rights of its caller; the index of the table and the version of the directory.
 * A list also becomes invalid when one of its tokens expires.
 */
import { BoundedMap } from '@latchkey/service'

export interface CachedList {
  readonly bytes: Uint8Array
  /** Milliseconds since the epoch; Infinity if no token of the list expires. */
  readonly validUntil: number
}

export interface ListRequest {
  readonly key: string
  /** Must be unchanged since the list was built. */
  readonly version: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

interface Entry<L> {
  readonly version: string
  readonly list: L
}

/** A list being built. */
interface Making<L> {
  readonly version: string
  readonly list: Promise<L | undefined>
}

/** @param previous the last cached list, from another version or with an expired token. */
type MakeList<L> = (previous: L | undefined) => Promise<L | undefined>

/** Size of an entry besides its texts, in bytes. */
const ENTRY_BYTES = 1_000
/** Maximum remembered keys of long lists. A list whose key was forgotten is read once more before it is streamed. */
const LONG_KEYS_MAX = 1_000

/** Even with little or no cache, a list up to this length, in bytes, is answered in one piece. */
const WHOLE_BYTES_MIN = 4_194_304

export class ListCache<L extends CachedList = CachedList> {
  /** Longer lists are streamed, in bytes. Half the cache, so that variants of a long list do not evict it. */
  readonly wholeBytesMax: number
  private readonly bytesMax: number
  private readonly entries: BoundedMap<string, Entry<L>>
  private readonly making = new Map<string, Making<L>>()
  /** Keys of lists that were too long when last read. */
  private readonly long = new BoundedMap<string, true>(LONG_KEYS_MAX)

  /** @param bytesMax 0 disables the cache. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
    this.entries = new BoundedMap(bytesMax)
    this.wholeBytesMax = Math.max(bytesMax / 2, WHOLE_BYTES_MIN)
  }

  /**
   * Returns the cached list, or builds it once for all concurrent callers, such as thousands of waiters woken by one
   * write.
   *
   * @param make returns `undefined` if the list is longer than {@link wholeBytesMax}.
   * @returns `undefined` if the caller must stream the list.
   */
  async whole(request: ListRequest, make: MakeList<L>): Promise<L | undefined> {
    const { key } = request
    if (this.long.get(key)) return undefined
    return this.known(request) ?? this.made(request, make)
  }

  /** Records the length of a streamed list, which may have become shorter. */
  noteStreamed(key: string, bytes: number): void {
    if (bytes <= this.wholeBytesMax) this.long.delete(key)
  }

  /** The cached list, if there is one. */
  known({ key, version, now }: ListRequest): L | undefined {
    const entry = this.entries.get(key)
    if (!entry || entry.version !== version || now >= entry.list.validUntil) return undefined
    return entry.list
  }

  private async made(request: ListRequest, make: MakeList<L>): Promise<L | undefined> {
    const { key, version, now } = request
    const running = this.making.get(key)
    if (running?.version === version) {
      const list = await running.list
      // A later caller must not see a token that has meanwhile expired.
      if (!list || now < list.validUntil) return list
    }
    const making = { version, list: make(this.entries.get(key)?.list) }
    this.making.set(key, making)
    try {
      const list = await making.list
      this.entries.delete(key)
      if (list) this.keep(key, { list, version })
      else this.long.set(key, true, 1)
      return list
    } finally {
      if (this.making.get(key) === making) this.making.delete(key)
    }
  }

  private keep(key: string, entry: Entry<L>): void {
    const bytes = bytesOf(key, entry.list)
    if (bytes <= this.bytesMax / 2) this.entries.set(key, entry, bytes)
  }
}

function bytesOf(key: string, { bytes }: CachedList): number {
  return ENTRY_BYTES + 2 * key.length + bytes.length
}
