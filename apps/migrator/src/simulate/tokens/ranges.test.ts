import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numbers, type Range, RangeSet, size, slice, subtract } from './ranges.ts'

const range = fc.tuple(fc.nat(60), fc.nat(12)).map(([from, length]): Range => [from, from + length])
const changes = fc.array(fc.record({ adds: fc.boolean(), range }), { maxLength: 30 })
/** Sorted, disjoint ranges, as the functions expect and return them. */
const ranges = fc.array(range, { maxLength: 8 }).map((list) => new RangeSet(list).ranges)

test('a range set holds what a set of numbers holds, and its ranges are sorted, disjoint and joined', () => {
  fc.assert(
    fc.property(changes, range, (list, asked) => {
      const ours = new RangeSet()
      const expected = new Set<number>()
      for (const { adds, range: each } of list) {
        if (adds) ours.add([each])
        else ours.remove([each])
        for (const number of numbers([each])) {
          if (adds) expected.add(number)
          else expected.delete(number)
        }
      }
      const sorted = [...expected].sort((a, b) => a - b)
      expect([...numbers(ours.ranges)]).toEqual(sorted)
      for (const [i, [from, to]] of ours.ranges.entries()) {
        expect(from).toBeGreaterThan(ours.ranges[i - 1]?.[1] ?? -1)
        expect(to).toBeGreaterThan(from)
      }
      expect([ours.size, size(ours.ranges)]).toEqual([sorted.length, sorted.length])
      expect([...numbers(ours.within([asked]))]).toEqual(sorted.filter((n) => asked[0] <= n && n < asked[1]))
    }),
  )
})

test('subtract is that of sets, and slice takes the lowest numbers after an offset', () => {
  fc.assert(
    fc.property(ranges, ranges, fc.nat(40), fc.nat(40), (a, b, offset, count) => {
      const removed = new Set(numbers(b))
      expect([...numbers(subtract(a, b))]).toEqual([...numbers(a)].filter((each) => !removed.has(each)))
      expect([...numbers(slice(a, count, offset))]).toEqual([...numbers(a)].slice(offset, offset + count))
    }),
  )
})
