import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RangeSet } from './range-set.ts'
import { numbers, type Range, slice } from './ranges.ts'

const range = fc.tuple(fc.nat(60), fc.nat(12)).map(([from, length]): Range => [from, from + length])
const changes = fc.array(fc.record({ adds: fc.boolean(), range }), { maxLength: 30 })

test('a range set holds what a set of numbers holds, and its ranges are sorted, disjoint and joined', () => {
  fc.assert(
    fc.property(changes, range, fc.nat(20), fc.nat(20), (list, asked, count, offset) => {
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
      expect(ours.size).toBe(sorted.length)
      expect([...numbers(ours.within([asked]))]).toEqual(sorted.filter((n) => asked[0] <= n && n < asked[1]))
      expect(ours.slice(count, offset)).toEqual(slice(ours.ranges, count, offset))
      expect(ours.has(asked[0])).toBe(expected.has(asked[0]))
      const copy = ours.clone()
      copy.add([[100, 101]])
      expect(ours.has(100)).toBe(false)
    }),
  )
})
