import { Pace, type Sliced } from '../../turns.ts'

/** A run that can be sorted within a slice. */
const RUN_LENGTH = 256

/** Stable merge sort in slices. */
export function* sortInSlices<T>(
  values: readonly T[],
  compare: (a: T, b: T) => number,
): Sliced<readonly T[]> {
  if (values.length <= RUN_LENGTH) return values.toSorted(compare)
  const pace = new Pace()
  let runs: (readonly T[])[] = []
  for (let start = 0; start < values.length; start += RUN_LENGTH) {
    runs.push(values.slice(start, start + RUN_LENGTH).sort(compare))
    if (pace.isDue(RUN_LENGTH)) yield
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = []
    for (let i = 0; i < runs.length; i += 2)
      longer.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? [], compare, pace))
    runs = longer
  }
  return runs[0] ?? []
}

function* merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
  pace: Pace,
): Sliced<readonly T[]> {
  const merged: T[] = []
  let l = 0
  let r = 0
  while (l < left.length || r < right.length) {
    if (pace.isDue()) yield
    const takesLeft = r >= right.length || (l < left.length && compare(left[l] as T, right[r] as T) <= 0)
    merged.push((takesLeft ? left[l++] : right[r++]) as T)
  }
  return merged
}
