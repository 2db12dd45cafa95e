import { expect, test } from 'vitest'
import { durationText, expiryText } from './time-text.ts'

test.each([
  [0, '0s'],
  [59_000, '59s'],
  [60_000, '1m'],
  [3_599_700, '1h'],
  [28_799_000, '8h'],
  [29_999_000, '8h 20m'],
  [90_000_000, '1d 1h'],
])('%i ms are shown as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test('a token for eight hours expires in 8h, also a moment after it was made', () => {
  const now = Date.parse('2026-11-21T05:13:24.000Z')
  expect(expiryText('2026-11-21T13:13:23.837Z', now)).toBe('in 8h (2026-11-21T13:13:23.837Z)')
})
