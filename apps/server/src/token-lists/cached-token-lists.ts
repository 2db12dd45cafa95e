import type { TokenListCache, TokenListRequest, WholeTokenList } from '@latchkey/service'
import type { KeptLists, Preparation, Reading } from './kept/kept-lists.ts'
import { ListCache, type ListRequest } from './list-cache.ts'
import { readParts } from './read-parts.ts'
import type { ListPart, TokenList } from './token-list.ts'
import { makeTokenList } from './token-list-parts.ts'

/** Token lists cached as text, and patched when only a few of their tokens have changed. */
export class CachedTokenLists implements TokenListCache {
  private readonly cache: ListCache<TokenList>
  private readonly kept: KeptLists | undefined

  /**
   * @param bytesMax maximum size of all lists together; 0 disables the cache.
   * @param kept files of long lists. Default: none.
   */
  constructor(bytesMax: number, kept?: KeptLists) {
    this.cache = new ListCache(bytesMax)
    this.kept = kept
  }

  known(request: TokenListRequest): WholeTokenList | undefined {
    return this.cache.known(listRequestOf(request))
  }

  whole(request: TokenListRequest): Promise<WholeTokenList | undefined> {
    const { kept } = this
    const bytesMax = this.cache.wholeBytesMax
    const key = keyOf(request)
    return this.cache.whole(listRequestOf(request), async (previous) => {
      if (!previous && (await kept?.isLonger(bytesMax, request, key))) return undefined
      const list = await makeTokenList(request, {
        previous,
        bytesMax,
        allParts: () => this.parts(request, key, { bytesMax }),
        partsOf: (range) => kept?.digestedParts(request, range) ?? readParts(request, range),
      })
      if (list) kept?.offer(request, key, () => this.cache.latest(key))
      return list
    })
  }

  async *streamed(request: TokenListRequest): AsyncGenerator<Uint8Array> {
    const key = keyOf(request)
    let length = 0
    for await (const { bytes } of this.parts(request, key, 'streamed')) {
      length += bytes.length
      yield bytes
    }
    this.cache.noteStreamed(key, length)
  }

  private parts(request: TokenListRequest, key: string, reading: Reading): AsyncIterable<ListPart> {
    return this.kept?.parts(request, key, reading) ?? readParts(request, request.filter)
  }

  /** Whether lists are kept in files. */
  get areKept(): boolean {
    return this.kept !== undefined
  }

  /** Writes a long list to its file before it is requested. */
  async prepare(request: TokenListRequest, preparation: Preparation): Promise<void> {
    await this.kept?.prepare(request, keyOf(request), preparation)
  }

  /** Writes the lists that have changed since they were last written to their files. */
  async close(): Promise<void> {
    await this.kept?.close()
  }
}

function listRequestOf(request: TokenListRequest): ListRequest {
  return { key: keyOf(request), version: versionOf(request), now: request.now }
}

/** The version of a list's sources. While it is the same, so is the list, except for tokens that expire. */
export function versionOf({ tokensIndex, directoryVersion }: TokenListRequest): string {
  return `${tokensIndex}:${directoryVersion}`
}

function keyOf({ filter, secrets }: TokenListRequest): string {
  return JSON.stringify([filter, secrets])
}
