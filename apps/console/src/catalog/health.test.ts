import { expect, test } from 'vitest'
import { countChecks, isSearched, readListSearch, worstOf } from './health.ts'

test('the worst check decides, and an unknown state is critical', () => {
  expect(worstOf(countChecks([{ Status: 'passing' }, { Status: 'warning' }]))).toBe('warning')
  expect(worstOf(countChecks([{ Status: 'passing' }, { Status: 'odd' }]))).toBe('critical')
  expect(worstOf(countChecks([]))).toBeUndefined()
})

test('a search matches every word anywhere, and the state', () => {
  const record = { texts: ['shop-web', 'v2'], counts: { critical: 0, warning: 1, passing: 3 } }
  expect(isSearched(readListSearch({ q: 'V2 shop' }), record)).toBe(true)
  expect(isSearched(readListSearch({ q: 'v3' }), record)).toBe(false)
  expect(isSearched(readListSearch({ state: 'passing' }), record)).toBe(false)
  expect(isSearched(readListSearch({ state: 'odd' }), record)).toBe(true)
})
