import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { randomSegment } from '@latchkey/testkit/rules/random-rules'
import { expect, test } from 'vitest'
import { PrefixIndex } from './prefix-index.ts'

function anIndex(segments: Iterable<string>): PrefixIndex<{ segment: string }> {
  return new PrefixIndex([...segments].map((segment) => ({ segment })))
}

test('finds the same as a linear search', () => {
  const random = new SeededRandom(chooseSeed('prefix index'))
  for (let left = 5_000; left > 0; left--) {
    const segments = new Set(Array.from({ length: random.below(12) }, () => randomSegment(random)))
    const index = anIndex(segments)
    const text = randomSegment(random) + randomSegment(random)
    const prefixes = [...segments]
      .filter((segment) => text.startsWith(segment))
      .sort((a, b) => b.length - a.length)
    expect(index.longestPrefixOf(text)?.segment).toBe(prefixes[0])
    const longer = [...segments].filter((segment) => segment.startsWith(text))
    expect(index.firstStartingWith(text) !== undefined).toBe(longer.length > 0)
  }
})

test('an empty index finds nothing; the empty entry is a prefix of every text', () => {
  expect(anIndex([]).longestPrefixOf('a')).toBeUndefined()
  expect(anIndex([]).firstStartingWith('')).toBeUndefined()
  expect(anIndex(['']).longestPrefixOf('a')?.segment).toBe('')
})
