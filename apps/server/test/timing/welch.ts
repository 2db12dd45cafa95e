/** Whether two sets of times differ in their means by more than chance explains. */

/** A |t| beyond this is taken for a difference: by chance it comes about seven times in a million. */
export const T_MAX = 4.5

/**
 * Parts of all samples that are compared, the slowest left out: a difference of nanoseconds drowns in the few samples that
 * waited for something else, and one in the slowest alone would be missed without them.
 */
const KEPT_PARTS = [1, 0.99, 0.9, 0.5] as const

export interface Difference {
  /** Welch's t of the part in which it is farthest from 0. */
  readonly t: number
  /** Difference of the means of that part, and its standard error, in the unit of the samples. */
  readonly difference: number
  readonly standardError: number
}

/** Compares the means of two sets of samples. Both are cut at the same value, so equal sources stay equal. */
export function compareTimes(left: readonly number[], right: readonly number[]): Difference {
  const all = Float64Array.from([...left, ...right]).sort()
  let farthest: Difference = { t: 0, difference: 0, standardError: 0 }
  for (const part of KEPT_PARTS) {
    const bound = all[Math.ceil(all.length * part) - 1] ?? 0
    const found = welch(
      left.filter((time) => time <= bound),
      right.filter((time) => time <= bound),
    )
    if (Math.abs(found.t) > Math.abs(farthest.t)) farthest = found
  }
  return farthest
}

function welch(left: readonly number[], right: readonly number[]): Difference {
  const [a, b] = [momentsOf(left), momentsOf(right)]
  const standardError = Math.sqrt(a.variance / left.length + b.variance / right.length)
  const difference = a.mean - b.mean
  return { t: standardError > 0 ? difference / standardError : 0, difference, standardError }
}

function momentsOf(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, variance: squares / (values.length - 1) }
}
