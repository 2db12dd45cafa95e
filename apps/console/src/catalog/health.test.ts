import { expect, test } from 'vitest'
import { searchRecords } from '../ui/table/list-search.ts'
import { countChecks, readCatalogSearch, worstOf } from './health.ts'

test('the worst check decides, and an unknown state is critical', () => {
  expect(worstOf(countChecks([{ Status: 'passing' }, { Status: 'warning' }]))).toBe('warning')
  expect(worstOf(countChecks([{ Status: 'passing' }, { Status: 'odd' }]))).toBe('critical')
  expect(worstOf(countChecks([]))).toBeUndefined()
})

test('a search keeps the words and a known state', () => {
  expect(readCatalogSearch({ q: 'V2 shop', state: 'passing' })).toEqual({ q: 'V2 shop', state: 'passing' })
  expect(readCatalogSearch({ state: 'odd' })).toEqual({})
})

test('a record is found if its texts contain every word', () => {
  const found = (q: string) => searchRecords([['shop-web', 'v2']], q, (texts) => texts).length
  expect([found('V2 shop'), found('v3')]).toEqual([1, 0])
})
