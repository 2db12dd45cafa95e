import { expect, test } from 'vitest'
import { crumbsOf, hasDotStep, rowsOf, shownName } from './paths.ts'

test('folders come before keys, and the key of the folder itself has its own row', () => {
  const rows = rowsOf(['shop/', 'shop/b', 'shop/a', 'shop/c/'], 'shop/')
  expect(rows.map(({ name, isFolder }) => `${name} ${isFolder}`)).toEqual([
    'c/ true',
    '/ false',
    'a false',
    'b false',
  ])
})

test('the way to a folder names each folder with its prefix, empty names included', () => {
  expect(crumbsOf('a//b/').map(({ prefix }) => prefix)).toEqual(['a/', 'a//', 'a//b/'])
  expect(crumbsOf('')).toEqual([])
})

test.each([
  ['a/../b', true],
  ['.', true],
  ['a/.', true],
  ['a/.b', false],
  ['...', false],
  ['/', false],
])('hasDotStep of %s: %s', (key, expected) => {
  expect(hasDotStep(key)).toBe(expected)
})

test.each([
  ['a b', 'a b'],
  [' ', '“ ”'],
  ['a ', '“a ”'],
])('the name %j is shown as %j', (name, expected) => {
  expect(shownName(name)).toBe(expected)
})
