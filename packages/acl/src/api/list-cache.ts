/**
 * Whole lists as JSON text, bounded in bytes. A key and a version hold everything that an answer depends on: the filter
 * and who may see what; the index of the table and the version of the directory. A list also holds only until one of its
 * tokens expires.
 */
import type { MaybePromise } from '../maybe-promise.ts'

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
  whole(request: ListRequest, make: MakeList<L>): MaybePromise<Uint8Array | undefined> {
    const { key } = request
    if (this.long.has(key)) return undefined
    return this.get(request) ?? this.made(request, make)
  }

  /** Takes note of the length of a list that was streamed: it may have become shorter. */
  noteStreamed(key: string, bytes: number): void {
    if (bytes <= this.wholeBytesMax) this.long.delete(key)
  }

  private get({ key, version, now }: ListRequest): Uint8Array | undefined {
    const entry = this.entries.get(key)
    if (!entry || entry.version !== version || now >= entry.list.validUntil) return undefined
    this.remove(key)
    this.add(key, entry)
    return entry.list.bytes
  }

  private async made(request: ListRequest, make: MakeList<L>): Promise<Uint8Array | undefined> {
    const { key, version, now } = request
    const running = this.making.get(key)
    if (running?.version === version) {
      const list = await running.list
      // Whoever asked later may not see a token that has expired since.
      if (!list || now < list.validUntil) return list?.bytes
    }
    const making = { version, list: make(this.entries.get(key)?.list) }
    this.making.set(key, making)
    try {
      const list = await making.list
      this.remove(key)
      if (list) this.keep(key, { list, version })
      else this.long.add(key)
      return list?.bytes
    } finally {
      if (this.making.get(key) === making) this.making.delete(key)
    }
  }

  private keep(key: string, entry: Entry<L>): void {
    if (entry.list.bytes.length > this.bytesMax / 2) return
    this.add(key, entry)
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.bytesMax) break
      this.remove(oldest)
    }
  }

  private add(key: string, entry: Entry<L>): void {
    this.entries.set(key, entry)
    this.bytes += entry.list.bytes.length
  }

  private remove(key: string): void {
    this.bytes -= this.entries.get(key)?.list.bytes.length ?? 0
    this.entries.delete(key)
  }
}
