import { expect, test } from 'vitest'
import { type Sampled, sampled } from './series.ts'

test('keeps the first and the newest sample, however many there were', () => {
  let all: Sampled<number> | undefined
  for (let at = 0; at < 5_000; at += 1) all = sampled(all, at * 2, at)
  expect(all?.value).toBe(9_998)
  expect(all?.samples[0]).toEqual({ at: 0, value: 0 })
  expect(all?.samples.at(-1)).toEqual({ at: 4_999, value: 9_998 })
  expect(all?.samples.length).toBeLessThanOrEqual(601)
  expect(all?.samples.map(({ at }) => at)).toEqual(all?.samples.map(({ at }) => at).toSorted((a, b) => a - b))
})
