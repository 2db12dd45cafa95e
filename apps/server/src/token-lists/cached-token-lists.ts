import type { TokenListCache, TokenListRequest, WholeTokenList } from '@latchkey/service'
import { ListCache, type ListRequest } from './list-cache.ts'
import type { TokenList } from './token-list.ts'
import { makeTokenList } from './token-list-parts.ts'

/** Token lists cached as text, and patched when only a few of their tokens have changed. */
export class CachedTokenLists implements TokenListCache {
  private readonly cache: ListCache<TokenList>

  /** @param bytesMax of all lists together; 0 disables the cache. */
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

  noteStreamed(request: TokenListRequest, length: number): void {
    this.cache.noteStreamed(keyOf(request), length)
  }
}

function listRequestOf(request: TokenListRequest): ListRequest {
  const { tokensIndex, directoryVersion, now } = request
  return { key: keyOf(request), version: `${tokensIndex}:${directoryVersion}`, now }
}

function keyOf({ filter, secrets }: TokenListRequest): string {
  return JSON.stringify([filter, secrets])
}
