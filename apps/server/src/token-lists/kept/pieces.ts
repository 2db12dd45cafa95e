/** Determines which chunks of a file match the database, and what has to be read again. */
import type { ListPosition } from '@latchkey/service'
import type { ChunkRange, ListChunk } from '../../storage/read/lists/list-chunks.ts'
import { type ChunkEntry, type ListIndex, type PartEntry, placeBefore } from './list-file.ts'

/** A range of the list to read; without `until`, to the end of the list. */
export interface Range {
  readonly after?: ListPosition
  readonly until?: ListPosition
}

export type ListPiece = { readonly chunk: ChunkEntry } | { readonly range: Range }

function tokensOf(parts: readonly PartEntry[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0)
}

export function rangesOf({ chunks }: ListIndex): readonly ChunkRange[] {
  return chunks.map(({ from, to, parts }) => ({ from, to, tokens: tokensOf(parts) }))
}

/**
 * Which chunks of a file are current.
 *
 * @param found the database's state of each chunk's range.
 */
export function currentChunks(
  { chunks }: ListIndex,
  found: readonly (ListChunk | undefined)[],
  now: number,
): ReadonlySet<ChunkEntry> {
  return new Set(chunks.filter((chunk, i) => isCurrent(chunk, found[i], now)))
}

function isCurrent({ parts }: ChunkEntry, found: ListChunk | undefined, now: number): boolean {
  if (found?.tokens !== tokensOf(parts)) return false
  if (found.digest !== parts.reduce((sum, { digest }) => sum ^ BigInt(digest), 0n)) return false
  return parts.every(({ validUntil }) => validUntil === null || now < validUntil)
}

/** A list in order: the current chunks, and the ranges before, between and after them. */
export function piecesOf({ chunks }: ListIndex, current: ReadonlySet<ChunkEntry>): readonly ListPiece[] {
  const pieces: ListPiece[] = []
  let after: ListPosition | undefined
  let nextIndex: number | undefined
  for (const chunk of chunks.filter((one) => current.has(one))) {
    // There is nothing between adjacent chunks. Tokens created before the first chunk are looked up.
    if (chunk.from !== nextIndex)
      pieces.push({ range: { ...(after ? { after } : {}), until: placeBefore(chunk.from) } })
    pieces.push({ chunk })
    nextIndex = chunk.to
    after = placeBefore(chunk.to)
  }
  pieces.push({ range: after ? { after } : {} })
  return pieces
}
