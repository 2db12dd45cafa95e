import type { TokenListCache, TokenListRequest, WholeTokenList } from '@latchkey/service'
import { ListCache, type ListRequest } from './list-cache.ts'
import { readParts } from './read-parts.ts'
import type { TokenList } from './token-list.ts'
import { makeTokenList } from './token-list-parts.ts'

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

function listRequestOf(request: TokenListRequest): ListRequest {
  return { key: keyOf(request), version: versionOf(request), now: request.now }
}

/** The version of a list's sources. While it is the same, so is the list, except for tokens that expire. */
function versionOf({ tokensIndex, directoryVersion }: TokenListRequest): string {
  return `${tokensIndex}:${directoryVersion}`
}

function keyOf({ filter, secrets }: TokenListRequest): string {
  return JSON.stringify([filter, secrets])
}
