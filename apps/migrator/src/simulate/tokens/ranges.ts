/** Sets of token numbers as sorted, disjoint, half-open ranges: ten million tokens cost as much as one. */

export type Range = readonly [from: number, to: number]
export type Ranges = readonly Range[]

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

export function subtract(ranges: Ranges, removed: Ranges): Range[] {
  const rest = new RangeSet(ranges)
  rest.remove(removed)
  return rest.ranges
}

export function* numbers(ranges: Ranges): Generator<number> {
  for (const [from, to] of ranges) for (let n = from; n < to; n++) yield n
}

/** A mutable set. Binary search makes a hundred thousand batches and events on a scattered set cheap. */
export class RangeSet {
  /** Sorted, with a gap after each range. */
  private list: Range[] = []
  size = 0

  constructor(ranges: Ranges = []) {
    this.add(ranges)
  }

  get ranges(): Range[] {
    return this.list.slice()
  }

  add(ranges: Ranges): void {
    for (const [from, to] of ranges) {
      if (to <= from) continue
      const begin = this.firstAbove(1, from - 1)
      const end = this.firstAbove(0, to)
      const start = Math.min(from, this.list[begin]?.[0] ?? from)
      const stop = end > begin ? Math.max(to, this.list[end - 1]?.[1] ?? to) : to
      this.replace(begin, end, [[start, stop]])
    }
  }

  remove(ranges: Ranges): void {
    for (const [from, to] of ranges) {
      if (to <= from) continue
      const begin = this.firstAbove(1, from)
      const end = this.firstAbove(0, to - 1)
      if (end <= begin) continue
      const start = this.list[begin]?.[0] ?? from
      const stop = this.list[end - 1]?.[1] ?? to
      const rest: Range[] = [
        [start, from],
        [to, stop],
      ]
      this.replace(
        begin,
        end,
        rest.filter(([a, b]) => a < b),
      )
    }
  }

  within(ranges: Ranges): Range[] {
    const found: Range[] = []
    for (const [from, to] of ranges) {
      for (let i = this.firstAbove(1, from); ; i++) {
        const [start, stop] = this.list[i] ?? [to, to]
        if (start >= to) break
        found.push([Math.max(from, start), Math.min(to, stop)])
      }
    }
    return found
  }

  slice(count: number, offset = 0): Range[] {
    return slice(this.list, count, offset)
  }

  private replace(begin: number, end: number, by: Ranges): void {
    this.size += size(by) - size(this.list.splice(begin, end - begin, ...by))
  }

  /** Index of the first range whose start (0) or end (1) is greater than a number. */
  private firstAbove(side: 0 | 1, number: number): number {
    let low = 0
    let high = this.list.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.list[middle]?.[side] ?? 0) <= number) low = middle + 1
      else high = middle
    }
    return low
  }
}
