import { expect, test } from 'vitest'
import { isSection, SECTIONS } from '../sections.ts'
import { CASES } from './index.ts'

test('ids of cases and of rows are unique', () => {
  for (const ids of [CASES.map(({ id }) => id), SECTIONS.map(({ id }) => id)]) {
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
  }
})

test('every case names rows that exist', () => {
  const named = CASES.flatMap(({ id, sections }) => sections.map((row) => ({ id, row })))
  expect(named.filter(({ row }) => !isSection(row))).toEqual([])
})

test('every row has a case, or says where else it is tested', () => {
  const rows = new Set(CASES.flatMap(({ sections }) => sections))
  expect(SECTIONS.filter(({ id, elsewhere }) => !rows.has(id) && elsewhere === undefined)).toEqual([])
})
