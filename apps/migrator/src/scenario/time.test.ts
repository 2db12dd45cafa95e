import { expect, test } from 'vitest'
import { formatMeasured, formatSeconds, spanOf, windowText } from './time.ts'

test('a window is one time where both ends are shown as the same', () => {
  expect(windowText(60_750, 211_000, formatSeconds)).toBe('1 min 1 s to 3 min 31 s')
  expect(windowText(500_700, 501_400, formatSeconds)).toBe('8 min 21 s')
  expect(spanOf(500_700, 501_400, formatSeconds)).toBe('at 8 min 21 s')
})

test.each([
  [59_999, '59.999 s'],
  [60_000, '1 min'],
  [80_600, '1 min 21 s'],
  [119_600, '2 min'],
  [3_599_600, '1 h 0 min'],
])('%i ms is written as %s', (ms, text) => {
  expect(formatSeconds(ms)).toBe(text)
})

test('a measured time is rounded to 10 ms', () => {
  expect([25_553.4, 59_996, 80_600].map(formatMeasured)).toEqual(['25.55 s', '1 min', '1 min 21 s'])
})
