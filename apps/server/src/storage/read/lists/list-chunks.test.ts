import { expect, test } from 'vitest'
import { batchesOf, type ChunkRange, chunksOf } from './list-chunks.ts'

/** Adjacent ranges with these numbers of tokens. */
function ranges(...tokens: readonly number[]): readonly ChunkRange[] {
  return tokens.map((count, i) => ({ from: 10 * i, to: 10 * (i + 1), tokens: count }))
}

test.each([
  [[], []],
  [[25_000, 25_000], [2]],
  [
    [25_000, 25_001],
    [1, 1],
  ],
  [
    [1, 60_000, 1, 1],
    [1, 1, 2],
  ],
  [Array(7).fill(20_000), [2, 2, 2, 1]],
])('ranges of %j tokens are compared in statements of at most 50,000', (tokens, expected) => {
  const all = ranges(...tokens)
  const batches = batchesOf(all)
  expect(batches.map(({ length }) => length)).toEqual(expected)
  expect(batches.flat()).toEqual(all)
})

test('chunks of the database are matched to ranges, whether or not these are adjacent', () => {
  const batch: readonly ChunkRange[] = [
    { from: 3, to: 5, tokens: 1 },
    { from: 5, to: 6, tokens: 1 },
    { from: 9, to: 12, tokens: 1 },
  ]
  // The bounds are 3, 5, 6, 9 and 12: the third range of the database lies between two of the batch.
  const found = chunksOf(batch, [
    [1, 2, '-7'],
    [3, 4, '8'],
    [4, 5, '9'],
  ])
  expect(found).toEqual([{ tokens: 2, digest: -7n }, undefined, { tokens: 5, digest: 9n }])
})
