/** A cached list of tokens and its parts. */
import type { ListPosition, WholeTokenList } from '@latchkey/service'
import type { CachedList } from './list-cache.ts'

export interface ListPart {
  /**
   * The position of the last token that the part covers, from the end of the previous part; undefined: to the end of
   * the list.
   */
  readonly end: ListPosition | undefined
  /** Its elements without brackets; empty if it has no tokens, or all of them are expired. */
  readonly bytes: Uint8Array
  /** Milliseconds since the epoch; Infinity if none of its tokens expires. */
  readonly validUntil: number
  /** The accessors of its tokens, hashed to 32 bits. */
  readonly fingerprints: Uint32Array
  /** Whether it has expired tokens, which are not shown. */
  readonly leavesOutExpired: boolean
  /** Whether it has a token without an accessor, whose changes cannot be tracked. */
  readonly hasNameless: boolean
}

export interface TokenList extends CachedList, WholeTokenList {
  readonly tokensIndex: number
  readonly directoryVersion: number
  readonly parts: readonly ListPart[]
}
