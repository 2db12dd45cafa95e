import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RangeSet } from './range-set.ts'
import { numbers, type Range, size, slice, subtract } from './ranges.ts'

/** Sorted, disjoint ranges, as the functions expect and return them. */
const ranges = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 })), { maxLength: 8 })
  .map((pairs) => new RangeSet(pairs.map(([from, length]): Range => [from, from + length])).ranges)

const set = (given: readonly Range[]) => new Set(numbers(given))

test('subtract is that of sets', () => {
  fc.assert(
    fc.property(ranges, ranges, (a, b) => {
      expect([...numbers(subtract(a, b))]).toEqual([...set(a)].filter((each) => !set(b).has(each)))
    }),
  )
})

test('slice takes the lowest numbers after an offset', () => {
  fc.assert(
    fc.property(ranges, fc.nat(40), fc.nat(40), (a, count, offset) => {
      expect([...numbers(slice(a, count, offset))]).toEqual([...numbers(a)].slice(offset, offset + count))
    }),
  )
})

test('size counts', () => {
  fc.assert(
    fc.property(ranges, (a) => {
      expect(size(a)).toBe(set(a).size)
    }),
  )
})
