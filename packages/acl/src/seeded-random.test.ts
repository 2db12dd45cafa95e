import { expect, test } from 'vitest'
import { SeededRandom } from './seeded-random.ts'

test('a seed gives the same numbers on every machine and version, so that printed seeds replay', () => {
  const random = new SeededRandom(7)
  expect(Array.from({ length: 5 }, () => random.below(1_000_000))).toEqual([
    11_704, 61_958, 976_907, 699_028, 521_445,
  ])
  expect(random.uuid()).toBe('67773d8d-ba42-27c3-8432-5e4b884bfa3f')
})

test('a weight of 0 is never drawn, a probability of 0 or 1 is certain', () => {
  const random = new SeededRandom(1)
  const draws = Array.from({ length: 1_000 }, () =>
    random.weighted([
      [0, 'never'],
      [1, 'rare'],
      [9, 'often'],
    ]),
  )
  expect(draws).not.toContain('never')
  expect(draws.filter((value) => value === 'often').length).toBeGreaterThan(800)
  expect(draws).toContain('rare')
  expect([random.chance(0), random.chance(1)]).toEqual([false, true])
})

test('shuffling keeps every value and does not modify its argument', () => {
  const values = Object.freeze([1, 2, 3, 4, 5, 6, 7, 8])
  const order = new SeededRandom(1).shuffled(values)
  expect(order).not.toEqual(values)
  expect(order.sort()).toEqual(values)
})
