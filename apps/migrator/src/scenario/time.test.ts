import { expect, test } from 'vitest'
import { formatSeconds, spanOf, windowText } from './time.ts'

test('a window is one time where both ends are shown as the same', () => {
  expect(windowText(60_750, 211_000, formatSeconds)).toBe('60.75 s to 3 min 31 s')
  expect(windowText(500_700, 501_400, formatSeconds)).toBe('8 min 21 s')
  expect(spanOf(500_700, 501_400, formatSeconds)).toBe('at 8 min 21 s')
})
