import { expect, test } from 'vitest'
import { durationText } from './instants.ts'

test('names the two largest units', () => {
  expect(durationText(0)).toBe('0 seconds')
  expect(durationText(999)).toBe('1 second')
  expect(durationText(4_800_000)).toBe('1 hour 20 minutes')
  expect(durationText(86_400_000)).toBe('1 day')
})
