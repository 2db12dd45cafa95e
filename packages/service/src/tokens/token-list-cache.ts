/** Whole lists of tokens: the port for caching and streaming them, implemented by the server. */
import type { TokenRecord } from '@latchkey/acl'
import type { TokenListEntry } from '@latchkey/contract'
import type { JsonElements } from '../reply/json-text.ts'
import type { Store, TokenFilter } from '../store/store.ts'

export interface TokenListCache {
  /** The list as one JSON text, if it is cached. */
  known(request: TokenListRequest): WholeTokenList | undefined
  /** The list as one JSON text. @returns `undefined` for a list too long to cache, which is streamed. */
  whole(request: TokenListRequest): Promise<WholeTokenList | undefined>
  /** The elements of a list as UTF-8, page by page, in bounded memory; a page may be empty. */
  streamed(request: TokenListRequest): AsyncIterable<Uint8Array>
}

export interface TokenListRequest {
  readonly filter: TokenFilter
  /** Whose secrets the list shows; `ordinary`: those of all tokens without global management. */
  readonly secrets: 'none' | 'ordinary' | 'all'
  /** Highest token index at admission; the list must not be older. */
  readonly tokensIndex: number
  readonly directoryVersion: number
  /** Milliseconds since the epoch. Tokens that have expired by this time are omitted. */
  readonly now: number
  readonly store: Pick<Store, 'tokens' | 'placeOf' | 'tokenByAccessor' | 'tokensChangedAfter' | 'directory'>
  readonly show: (tokens: readonly TokenRecord[]) => ShownTokens
}

export interface WholeTokenList {
  readonly bytes: Uint8Array
  /** Whether expired tokens were omitted. */
  readonly leavesOutExpired: boolean
}

export interface ShownTokens {
  readonly text: JsonElements<TokenListEntry[]>
  /** When the first of the tokens expires, in milliseconds since the epoch; Infinity if none does. */
  readonly validUntil: number
  readonly leavesOutExpired: boolean
}
