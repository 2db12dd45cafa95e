/**
 * Whole lists as JSON text, bounded in bytes, keys included. A key and a version hold everything that an answer depends
 * on: the filter and who may see what; the index of the table and the version of the directory. A list also holds only
 * until one of its tokens expires.
 */

export interface CachedList {
  readonly bytes: Uint8Array
  /** Milliseconds since the epoch; Infinity where no token of the list expires. */
  readonly validUntil: number
}

export interface ListRequest {
  readonly key: string
  /** What must not have changed since the list was made. */
  readonly version: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

interface Entry<L> {
  readonly version: string
  readonly list: L
}

/** A list on its way. */
interface Making<L> {
  readonly version: string
  readonly list: Promise<L | undefined>
}

/** @param previous the list as it was kept last, for another version or until a token expired. */
export type MakeList<L> = (previous: L | undefined) => Promise<L | undefined>

/** What an entry takes besides its texts, in bytes. */
const ENTRY_BYTES = 1_000
/** Most keys of long lists that are remembered. One that is forgotten is read once more before it is streamed. */
const LONG_KEYS_MAX = 1_000

/** Without room for lists, or with little, a list of this length is still answered in one piece, in bytes. */
const WHOLE_BYTES_MIN = 4_194_304

export class ListCache<L extends CachedList = CachedList> {
  /** Longer lists are streamed, in bytes. Half the room, so that a long list is not pushed out by each of its variants. */
  readonly wholeBytesMax: number
  private readonly bytesMax: number
  private bytes = 0
  /** In order of last use. */
  private readonly entries = new Map<string, Entry<L>>()
  private readonly making = new Map<string, Making<L>>()
  /** Keys of lists that were too long when they were last looked at. */
  private readonly long = new Set<string>()

  /** @param bytesMax 0 keeps nothing. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
    this.wholeBytesMax = Math.max(bytesMax / 2, WHOLE_BYTES_MIN)
  }

  /**
   * The list as it is kept, or as it is made: once for all who ask for it meanwhile, such as thousands of waiters that
   * one write has woken.
   *
   * @param make answers `undefined` where the list is longer than {@link wholeBytesMax}.
   * @returns `undefined` for a list that is to be streamed.
   */
  async whole(request: ListRequest, make: MakeList<L>): Promise<L | undefined> {
    const { key } = request
    if (this.long.has(key)) return undefined
    return this.get(request) ?? this.made(request, make)
  }

  /** Takes note of the length of a list that was streamed: it may have become shorter. */
  noteStreamed(key: string, bytes: number): void {
    if (bytes <= this.wholeBytesMax) this.long.delete(key)
  }

  private get({ key, version, now }: ListRequest): L | undefined {
    const entry = this.entries.get(key)
    if (!entry || entry.version !== version || now >= entry.list.validUntil) return undefined
    this.remove(key)
    this.add(key, entry)
    return entry.list
  }

  private async made(request: ListRequest, make: MakeList<L>): Promise<L | undefined> {
    const { key, version, now } = request
    const running = this.making.get(key)
    if (running?.version === version) {
      const list = await running.list
      // Whoever asked later may not see a token that has expired since.
      if (!list || now < list.validUntil) return list
    }
    const making = { version, list: make(this.entries.get(key)?.list) }
    this.making.set(key, making)
    try {
      const list = await making.list
      this.remove(key)
      if (list) this.keep(key, { list, version })
      else this.noteLong(key)
      return list
    } finally {
      if (this.making.get(key) === making) this.making.delete(key)
    }
  }

  private noteLong(key: string): void {
    this.long.add(key)
    const [oldest] = this.long
    if (this.long.size > LONG_KEYS_MAX && oldest !== undefined) this.long.delete(oldest)
  }

  private keep(key: string, entry: Entry<L>): void {
    if (bytesOf(key, entry.list) > this.bytesMax / 2) return
    this.add(key, entry)
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.bytesMax) break
      this.remove(oldest)
    }
  }

  private add(key: string, entry: Entry<L>): void {
    this.entries.set(key, entry)
    this.bytes += bytesOf(key, entry.list)
  }

  private remove(key: string): void {
    const entry = this.entries.get(key)
    if (!entry) return
    this.bytes -= bytesOf(key, entry.list)
    this.entries.delete(key)
  }
}

function bytesOf(key: string, { bytes }: CachedList): number {
  return ENTRY_BYTES + 2 * key.length + bytes.length
}
