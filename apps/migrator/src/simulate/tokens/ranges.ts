/**
 * Sets of token numbers as sorted, disjoint, half-open ranges: ten million equal tokens cost as much as one. Functions
 * return new arrays and never modify their arguments.
 */

/** Numbers from the first to the second, exclusive. */
export type Range = readonly [from: number, to: number]
export type Ranges = readonly Range[]

/** How many numbers are in the ranges. */
export function size(ranges: Ranges): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from, 0)
}

/** The lowest `count` numbers after the first `offset`; fewer if there are not enough. */
export function slice(ranges: Ranges, count: number, offset = 0): Range[] {
  const taken: Range[] = []
  let skip = offset
  let left = count
  for (const [from, to] of ranges) {
    if (left <= 0) break
    const start = Math.min(to, from + skip)
    skip -= start - from
    const end = Math.min(to, start + left)
    if (end > start) taken.push([start, end])
    left -= end - start
  }
  return taken
}

/** The numbers of `ranges` that are not in `removed`. */
export function subtract(ranges: Ranges, removed: Ranges): Range[] {
  const result: Range[] = []
  let i = 0
  for (const [from, to] of ranges) {
    let start = from
    while (i < removed.length && end(removed, i) <= start) i += 1
    for (let j = i; j < removed.length; j++) {
      const [cutFrom, cutTo] = removed[j] ?? [to, to]
      if (cutFrom >= to) break
      if (cutFrom > start) result.push([start, cutFrom])
      start = Math.max(start, cutTo)
    }
    if (start < to) result.push([start, to])
  }
  return result
}

/** Every number, in order. For small sets only. */
export function* numbers(ranges: Ranges): Generator<number> {
  for (const [from, to] of ranges) for (let n = from; n < to; n++) yield n
}

function end(ranges: Ranges, i: number): number {
  return ranges[i]?.[1] ?? Number.POSITIVE_INFINITY
}
