/** Which chunks of a file are as the database has them now, and what has to be read again. */
import type { ListPosition } from '@latchkey/service'
import type { ListChunk } from '../../storage/read/lists/list-chunks.ts'
import { type ChunkEntry, type ListIndex, placeBefore } from './list-file.ts'
import { tokensOf } from './list-writing.ts'

/** A range of the list to read; without an end: to the end of the list. */
export interface Range {
  readonly after?: ListPosition
  readonly until?: ListPosition
}

export type Segment = { readonly chunk: ChunkEntry } | { readonly range: Range }

/** A list, in its order. */
export interface Segments {
  readonly segments: readonly Segment[]
  /** Of its tokens, how many have to be read, as a fraction. */
  readonly readShare: number
}

/** Where the chunks of a file begin and end: the last range of create indexes begins at the last of them. */
export function startsOf({ chunks }: ListIndex): readonly number[] {
  return [...new Set(chunks.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
}

/**
 * @param starts of {@link startsOf}.
 * @param found what the database has in each of their ranges, and before the first.
 */
export function segmentsOf(
  index: ListIndex,
  starts: readonly number[],
  { found, now }: { readonly found: ReadonlyMap<number, ListChunk>; readonly now: number },
): Segments {
  const byStart = new Map(index.chunks.map((chunk) => [chunk.from, chunk]))
  const segments: Segment[] = []
  let [tokens, tokensRead] = [0, 0]
  for (let i = 0; i <= starts.length; i += 1) {
    const [from, to] = [starts[i - 1], starts[i]]
    const stored = found.get(i)
    tokens += stored?.tokens ?? 0
    const chunk = from === undefined ? undefined : byStart.get(from)
    if (chunk && stored && isCurrent(chunk, stored, now)) {
      segments.push({ chunk })
      continue
    }
    // The rest of the list is read even if it has no tokens: the last part ends nowhere.
    if (!stored && to !== undefined) continue
    tokensRead += stored?.tokens ?? 0
    const before = segments.at(-1)
    const isNext = before && 'range' in before && before.range.until?.createIndex === from
    const after = isNext ? before.range.after : from === undefined ? undefined : placeBefore(from)
    if (isNext) segments.pop()
    segments.push({
      range: { ...(after ? { after } : {}), ...(to === undefined ? {} : { until: placeBefore(to) }) },
    })
  }
  return { segments, readShare: tokens === 0 ? 0 : tokensRead / tokens }
}

function isCurrent({ parts, digest }: ChunkEntry, found: ListChunk, now: number): boolean {
  if (found.digest !== digest || found.tokens !== tokensOf(parts)) return false
  return parts.every(({ validUntil }) => validUntil === null || now < validUntil)
}
