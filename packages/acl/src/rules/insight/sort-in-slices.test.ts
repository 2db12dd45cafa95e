import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { atOnce, STEPS_PER_SLICE } from '../../turns.ts'
import { sortInSlices } from './sort-in-slices.ts'

const byFirst = (a: readonly number[], b: readonly number[]) => (a[0] ?? 0) - (b[0] ?? 0)

test('sorts stably like toSorted, and yields in proportion to the number of values', () => {
  const random = new SeededRandom(chooseSeed('sort in slices'))
  for (const length of [0, 1, 2, 255, 256, 257, 512, 1_000, 5_000]) {
    const values = Array.from({ length }, (_, i) => [random.below(50), i] as const)
    expect(atOnce(sortInSlices(values, byFirst))).toEqual(values.toSorted(byFirst))
  }
  const slices = [
    ...sortInSlices(
      Array.from({ length: 10_000 }, () => [random.below(50)]),
      byFirst,
    ),
  ].length
  expect(slices).toBeGreaterThan(10_000 / STEPS_PER_SLICE)
})
