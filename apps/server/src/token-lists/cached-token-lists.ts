import {
  BoundedMap,
  type TokenListCache,
  type TokenListRequest,
  type WholeTokenList,
} from '@latchkey/service'
import { type CachedList, makeTokenList, readParts, type TokenList } from './token-list-parts.ts'

export interface ListRequest {
  readonly key: string
  /** Must be unchanged since the list was built. */
  readonly version: string
  readonly now: number
}

interface Versioned<T> {
  readonly version: string
  readonly list: T
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
  private readonly entries: BoundedMap<string, Versioned<L>>
  private readonly making = new Map<string, Versioned<Promise<L | undefined>>>()
  /** Keys of lists that were too long when last read. */
  private readonly long = new BoundedMap<string, true>(LONG_KEYS_MAX)

  /** @param bytesMax 0 disables the cache. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
    this.entries = new BoundedMap(bytesMax)
    this.wholeBytesMax = Math.max(bytesMax / 2, WHOLE_BYTES_MIN)
  }

  /**
   * The cached list, or builds it once for all concurrent callers. @param make returns `undefined` if it is longer
   * than {@link wholeBytesMax}. @returns `undefined` if the caller must stream the list.
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
      if (!list) this.long.set(key, true, 1)
      else {
        const bytes = ENTRY_BYTES + 2 * key.length + list.bytes.length
        if (bytes <= this.bytesMax / 2) this.entries.set(key, { list, version }, bytes)
      }
      return list
    } finally {
      if (this.making.get(key) === making) this.making.delete(key)
    }
  }
}

/** Token lists cached as text, and patched when only a few of their tokens have changed. */
export class CachedTokenLists implements TokenListCache {
  private readonly cache: ListCache<TokenList>

  /** @param bytesMax maximum size of all lists together; 0 disables the cache. */
  constructor(bytesMax: number) {
    this.cache = new ListCache(bytesMax)
  }

  known(request: TokenListRequest): WholeTokenList | undefined {
    return this.cache.known(listRequestOf(request))
  }

  whole(request: TokenListRequest): Promise<WholeTokenList | undefined> {
    const bytesMax = this.cache.wholeBytesMax
    return this.cache.whole(listRequestOf(request), (previous) =>
      makeTokenList(request, { previous, bytesMax }),
    )
  }

  async *streamed(request: TokenListRequest): AsyncGenerator<Uint8Array> {
    let length = 0
    for await (const { bytes } of readParts(request, request.filter)) {
      length += bytes.length
      yield bytes
    }
    this.cache.noteStreamed(keyOf(request), length)
  }
}

/** While the version of its sources is the same, so is the list, except for tokens that expire. */
function listRequestOf(request: TokenListRequest): ListRequest {
  const { tokensIndex, directoryVersion, now } = request
  return { key: keyOf(request), version: `${tokensIndex}:${directoryVersion}`, now }
}

function keyOf({ filter, secrets }: TokenListRequest): string {
  return JSON.stringify([filter, secrets])
}
