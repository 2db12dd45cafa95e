import { describe, expect, test } from 'vitest'
import { attributesOf } from '../attributes.ts'
import { checkSelector } from './check-selector.ts'
import { lintSelector } from './lint-selector.ts'

const attributes = attributesOf({
  Type: 'jwt',
  Config: { ClaimMappings: { x: 'x', y: 'y' }, ListClaimMappings: { l: 'l' } },
})

function lint(text: string) {
  const selector = checkSelector(text, attributes)
  return selector === undefined ? [] : lintSelector(selector)
}

test.each([
  'value.x == a and value.x == b',
  'value.x == a and value.y == c and value.x != a',
  'value.x == a and (value.y == b and not value.x == a)',
  'not (value.x != a or value.x == a)',
  'value.x == ab and "b" not in value.x',
  'value.x == ab and "c" in value.x',
  'value.x == a and value.x matches "^b"',
  'value.x == a and value.x not matches "a"',
  'value.x matches "^b" and not value.x matches "^b"',
  '"ab" in value.x and value.x not contains a',
  'value is empty and value.x == a',
  'value is empty and x in value',
  'x not in value and value.x matches "a"',
  'list.l is empty and list.l is not empty',
  'list.l is empty and "a" in list.l',
  '"a" in list.l and "a" not in list.l',
  'l not in list and "a" in list.l',
  'list is empty and "a" in list.l',
  'value.x == a and (value.x == b or value.x == c)',
])('%s never matches', (text) => {
  expect(lint(text)).toMatchObject([{ code: 'never_matches', severity: 'warning' }])
})

test.each([
  'value.x == a and value.y == b',
  'value.x == a or value.x == b',
  'value.x != a and value.x != b',
  'value.x != a and value.x not matches "a"',
  '"a" in list.l and "b" in list.l',
  '"a" in value.x and "b" in value.x',
  '"a" not in value.x and "ab" not in value.x',
  'value is empty and value.x != a',
  'value is empty and "a" in list.l',
  'x not in value and value.y == a',
  'value.x == ab and "b" in value.x and value.x matches "^a"',
  'not (value.x == a and value.x == b)',
  'list.l is empty and list is not empty',
])('%s has no finding', (text) => {
  expect(lint(text)).toEqual([])
})

describe('a finding', () => {
  test('is placed at the term that cannot hold, and names both terms', () => {
    expect(lint('value.x == a and\n  value.x == b')).toEqual([
      {
        code: 'never_matches',
        severity: 'warning',
        message: 'the selector never matches: value.x == "a" rules out value.x == "b"',
        line: 2,
        column: 3,
      },
    ])
  })

  test('is about one branch if other branches can match', () => {
    expect(lint('value.y == c or value.x == a and value.x == b')).toMatchObject([
      { code: 'branch_never_matches', severity: 'info', column: 34 },
    ])
  })
})
