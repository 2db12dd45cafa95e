import { expect, test } from 'vitest'
import { stalledMs } from './stalls.ts'

const STALLS = [
  { from: 500, to: 900 },
  { from: 100, to: 200 },
  { from: 600, to: 700 },
  { from: 850, to: 1_000 },
]

test.each([
  [0, 2_000, 600],
  [150, 550, 100],
  [200, 500, 0],
  [640, 660, 20],
  [1_000, 3_000, 0],
])('from %d to %d, stalls cover %d ms, each instant once', (from, to, expected) => {
  expect(stalledMs(STALLS, from, to)).toBe(expected)
})
