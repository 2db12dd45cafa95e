import { expect, test } from 'vitest'
import { IdIndex } from './id-index.ts'

test('finds the position of each id among many, and nothing else', () => {
  const index = new IdIndex()
  for (let i = 0; i < 200_000; i++) index.set(`secret-${i}`, i)
  for (const i of [0, 1, 65_535, 65_536, 131_072, 199_999]) expect(index.get(`secret-${i}`)).toBe(i)
  for (let i = 0; i < 50_000; i++) expect(index.get(`other-${i}`)).toBeUndefined()
})

test('ids that differ in one letter, in order or in length are different', () => {
  const index = new IdIndex()
  const ids = ['', 'a', 'aa', 'ab', 'ba', 'b', 'A', 'ä', 'a\u0000']
  for (const [i, id] of ids.entries()) index.set(id, i)
  expect(ids.map((id) => index.get(id))).toEqual(ids.map((_, i) => i))
})
