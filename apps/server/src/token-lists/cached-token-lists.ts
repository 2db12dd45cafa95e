import type { TokenListCache, TokenListRequest, WholeTokenList } from '@latchkey/service'
import type { KeptLists } from './kept/kept-lists.ts'
import { ListCache, type ListRequest } from './list-cache.ts'
import { readParts } from './read-parts.ts'
import type { ListPart, TokenList } from './token-list.ts'
import { makeTokenList } from './token-list-parts.ts'

/** Token lists cached as text, and patched when only a few of their tokens have changed. */
export class CachedTokenLists implements TokenListCache {
  private readonly cache: ListCache<TokenList>
  private readonly kept: KeptLists | undefined

  /**
   * @param bytesMax of all lists together; 0 disables the cache.
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
    const bytesMax = this.cache.wholeBytesMax
    const allParts = () => this.parts(request, false)
    const key = keyOf(request)
    return this.cache.whole(listRequestOf(request), async (previous) => {
      if (!previous && (await this.kept?.isLonger(bytesMax, request, key))) return undefined
      const list = await makeTokenList(request, { previous, bytesMax, allParts })
      if (list) this.kept?.offer(request, key, () => this.cache.latest(key))
      return list
    })
  }

  async *streamed(request: TokenListRequest): AsyncGenerator<Uint8Array> {
    let length = 0
    for await (const { bytes } of this.parts(request, true)) {
      length += bytes.length
      yield bytes
    }
    this.cache.noteStreamed(keyOf(request), length)
  }

  /** Writes to files what has changed. */
  async close(): Promise<void> {
    await this.kept?.close()
  }

  private parts(request: TokenListRequest, isStreamed: boolean): AsyncIterable<ListPart> {
    return this.kept?.parts(request, keyOf(request), isStreamed) ?? readParts(request, request.filter)
  }
}

function listRequestOf(request: TokenListRequest): ListRequest {
  const { tokensIndex, directoryVersion, now } = request
  return { key: keyOf(request), version: `${tokensIndex}:${directoryVersion}`, now }
}

function keyOf({ filter, secrets }: TokenListRequest): string {
  return JSON.stringify([filter, secrets])
}
