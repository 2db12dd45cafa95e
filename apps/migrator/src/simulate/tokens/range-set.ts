/**
 * A mutable set of token numbers. Ranges are found by binary search, which makes a hundred thousand batches and events
 * on a scattered set cheap.
 */
import type { Range, Ranges } from './ranges.ts'

export class RangeSet {
  /** Range `i` goes from `starts[i]` to `ends[i]`, exclusive. Sorted, with a gap after each range. */
  private starts: number[] = []
  private ends: number[] = []
  private count = 0

  constructor(ranges: Ranges = []) {
    this.add(ranges)
  }

  get size(): number {
    return this.count
  }

  get ranges(): Range[] {
    return this.starts.map((from, i): Range => [from, this.ends[i] ?? from])
  }

  clone(): RangeSet {
    const copy = new RangeSet()
    copy.starts = this.starts.slice()
    copy.ends = this.ends.slice()
    copy.count = this.count
    return copy
  }

  has(number: number): boolean {
    const i = firstAbove(this.ends, number)
    return (this.starts[i] ?? Number.POSITIVE_INFINITY) <= number
  }

  add(ranges: Ranges): void {
    for (const [from, to] of ranges) {
      if (to <= from) continue
      const begin = firstAbove(this.ends, from - 1)
      const end = firstAbove(this.starts, to)
      const touched = end > begin
      const start = touched ? Math.min(from, this.starts[begin] ?? from) : from
      const stop = touched ? Math.max(to, this.ends[end - 1] ?? to) : to
      this.replace(begin, end, [[start, stop]])
    }
  }

  remove(ranges: Ranges): void {
    for (const [from, to] of ranges) {
      const begin = firstAbove(this.ends, from)
      const end = firstAbove(this.starts, to - 1)
      if (end <= begin || to <= from) continue
      const start = this.starts[begin] ?? from
      const stop = this.ends[end - 1] ?? to
      const rest: Range[] = []
      if (start < from) rest.push([start, from])
      if (stop > to) rest.push([to, stop])
      this.replace(begin, end, rest)
    }
  }

  /** The part of the given ranges that is in the set. */
  within(ranges: Ranges): Range[] {
    const found: Range[] = []
    for (const [from, to] of ranges) {
      for (let i = firstAbove(this.ends, from); (this.starts[i] ?? to) < to; i++) {
        found.push([Math.max(from, this.starts[i] ?? from), Math.min(to, this.ends[i] ?? to)])
      }
    }
    return found
  }

  /** The lowest `count` numbers after the first `offset`; fewer if there are not enough. */
  slice(count: number, offset = 0): Range[] {
    const taken: Range[] = []
    let skip = offset
    let left = count
    for (let i = 0; i < this.starts.length && left > 0; i++) {
      const to = this.ends[i] ?? 0
      const from = this.starts[i] ?? to
      const start = Math.min(to, from + skip)
      skip -= start - from
      const stop = Math.min(to, start + left)
      if (stop > start) taken.push([start, stop])
      left -= stop - start
    }
    return taken
  }

  /** Replaces the ranges from `begin` to `end`, exclusive. */
  private replace(begin: number, end: number, by: Ranges): void {
    for (let i = begin; i < end; i++) this.count -= (this.ends[i] ?? 0) - (this.starts[i] ?? 0)
    for (const [from, to] of by) this.count += to - from
    const [only] = by
    if (only !== undefined && by.length === 1 && end - begin === 1) {
      this.starts[begin] = only[0]
      this.ends[begin] = only[1]
      return
    }
    this.starts.splice(begin, end - begin, ...by.map(([from]) => from))
    this.ends.splice(begin, end - begin, ...by.map(([, to]) => to))
  }
}

/** Index of the first element greater than a number; the length if there is none. */
function firstAbove(sorted: readonly number[], number: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) <= number) low = middle + 1
    else high = middle
  }
  return low
}
