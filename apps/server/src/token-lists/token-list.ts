/** A cached list of tokens and its parts. */
import type { ListPosition, WholeTokenList } from '@latchkey/service'
import type { CachedList } from './list-cache.ts'

export interface ListPart {
  /** The part shows what lies after the end of the one before, up to this place; undefined: up to the end of the list. */
  readonly end: ListPosition | undefined
  /** Its elements without brackets; empty where all of its tokens are expired, or there are none. */
  readonly bytes: Uint8Array
  /** Milliseconds since the epoch; Infinity where none of its tokens expires. */
  readonly validUntil: number
  /** Of the accessors of its tokens, hashed to 32 bits. */
  readonly fingerprints: Uint32Array
  /** Whether it has tokens that are expired, and not shown. */
  readonly leavesOutExpired: boolean
  /** Whether it has a token without an accessor, whose changes cannot be told. */
  readonly hasNameless: boolean
}

export interface TokenList extends CachedList, WholeTokenList {
  readonly tokensIndex: number
  readonly directoryVersion: number
  readonly parts: readonly ListPart[]
}
