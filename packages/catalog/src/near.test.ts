/** Distances and the order of `near`. */
import { expect, test } from 'vitest'
import { distance, sortByDistance } from './near.ts'

const at = (x: number, { Height = 0, Adjustment = 0 } = {}) => ({
  Vec: [x, 0, 0, 0, 0, 0, 0, 0],
  Error: 1.5,
  Height,
  Adjustment,
})

test('distance: vectors and heights, plus the adjustments unless that is not positive', () => {
  expect(distance(at(3), at(-1))).toBe(4)
  expect(distance({ ...at(0), Vec: [3, 4, 0, 0, 0, 0, 0, 0] }, at(0))).toBe(5)
  expect(distance(at(1, { Height: 0.5 }), at(2, { Height: 0.25 }))).toBe(1.75)
  expect(distance(at(1, { Adjustment: 0.5 }), at(2, { Adjustment: -0.25 }))).toBe(1.25)
  expect(distance(at(1, { Adjustment: -1 }), at(2))).toBe(1)
  expect(distance(at(1, { Adjustment: -0.75 }), at(2))).toBe(0.25)
})

test('near: by distance, equal ones in their order, those without a coordinate last in theirs', () => {
  const places: Readonly<Record<string, number>> = { a: 5, b: 1, c: -1, d: 5 }
  const sorted = (names: string, from: number | undefined) =>
    sortByDistance([...names], from === undefined ? undefined : at(from), (name) => {
      const place = places[name]
      return place === undefined ? undefined : at(place)
    }).join('')
  expect(sorted('xadbyc', 0)).toBe('bcadxy')
  expect(sorted('xdacby', 0)).toBe('cbdaxy')
  expect(sorted('xadbyc', 5)).toBe('adbcxy')
  expect(sorted('xadbyc', undefined)).toBe('xadbyc')
})
