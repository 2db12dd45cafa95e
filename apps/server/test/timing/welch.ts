/** Tests whether the means of two sets of times differ significantly. */

/** A |t| above this is a significant difference; by chance it occurs about seven times in a million. */
export const T_MAX = 4.5

/**
 * Fractions of the samples that are compared, without the slowest: a few samples that waited for something else hide a
 * difference of nanoseconds. The full set is compared too, to detect a difference only in the slowest samples.
 */
const KEPT_PARTS = [1, 0.99, 0.9, 0.5] as const

export interface Difference {
  /** Welch's t of the fraction in which it is farthest from 0. */
  readonly t: number
  /** Difference of the means of that fraction, and its standard error, in the unit of the samples. */
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
