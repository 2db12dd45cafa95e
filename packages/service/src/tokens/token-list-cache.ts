/** The port to a cache of whole lists. The server has one, in a layout of its own; without one each list is made when asked for. */
import type { TokenRecord } from '@latchkey/acl'
import type { TokenListEntry } from '@latchkey/contract'
import type { JsonElements } from '../reply/json-text.ts'
import type { Store, TokenFilter } from '../store/store.ts'

export interface TokenListCache {
  /**
   * The list as one JSON text.
   *
   * @returns `undefined` for a list that is too long to be held: it is streamed.
   */
  whole(request: TokenListRequest): Promise<WholeTokenList | undefined>
  /** Takes note of the length of a list that was streamed: it may have become shorter. */
  noteStreamed(request: TokenListRequest, length: number): void
}

/** What a list depends on, and what it is made from. */
export interface TokenListRequest {
  readonly filter: TokenFilter
  /** Whose secrets the list shows; `ordinary`: those of tokens without global management. */
  readonly secrets: 'none' | 'ordinary' | 'all'
  /** The highest index of the tokens when the request was admitted: the list is no older. */
  readonly tokensIndex: number
  readonly directoryVersion: number
  /** Milliseconds since the epoch: tokens that have expired by then are not shown. */
  readonly now: number
  readonly store: Pick<Store, 'tokens' | 'placeOf' | 'tokenByAccessor' | 'tokensChangedAfter'>
  readonly show: (tokens: readonly TokenRecord[]) => ShownTokens
}

export interface WholeTokenList {
  readonly bytes: Uint8Array
  /** Whether it has tokens that are expired, and not shown. */
  readonly leavesOutExpired: boolean
}

/** Tokens as elements of a JSON array, without its brackets. */
export interface ShownTokens {
  readonly text: JsonElements<TokenListEntry[]>
  /** When the first of them expires, in milliseconds since the epoch; Infinity where none does. */
  readonly validUntil: number
  readonly leavesOutExpired: boolean
}
