import { SeededRandom, seedOfRun } from '@latchkey/testkit/random'
import { describe, expect, test } from 'vitest'
import { compareTimes, T_MAX } from './welch.ts'

const SAMPLES = 5_000
const seed = seedOfRun()

/** Times as on a busy machine: a few of them many times as long. */
function times(offset: number, part: number): number[] {
  const random = new SeededRandom(seed + part)
  return Array.from(
    { length: SAMPLES },
    () =>
      500 +
      offset +
      random.below(100) +
      random.below(100) +
      (random.chance(1 / 50) ? random.below(5_000) : 0),
  )
}

describe(`TIM-01, seed ${seed}: comparison of two sets of times`, () => {
  test('a difference of half their spread is detected despite samples that took ten times as long', () => {
    expect(compareTimes(times(20, 1), times(0, 2)).t).toBeGreaterThan(T_MAX)
    expect(compareTimes(times(0, 1), times(20, 2)).t).toBeLessThan(-T_MAX)
  })

  test('equal distributions show no difference', () => {
    expect(Math.abs(compareTimes(times(0, 3), times(0, 4)).t)).toBeLessThan(T_MAX)
  })

  test('equal times have difference 0', () => {
    expect(compareTimes([1, 1, 1], [1, 1, 1])).toEqual({ t: 0, difference: 0, standardError: 0 })
  })
})
