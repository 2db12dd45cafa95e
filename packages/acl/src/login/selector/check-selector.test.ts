import { growthOf, LINEAR_GROWTH_MAX } from '@latchkey/testkit/growth'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import type { AuthMethodConfiguration } from '../../records/login-records.ts'
import { attributesOf, mapClaims } from '../attributes.ts'
import { checkSelector, matchesClaims } from './check-selector.ts'

const JWT: AuthMethodConfiguration = {
  Type: 'jwt',
  Config: {
    ClaimMappings: { team: 'team', num: 'num', odd: 'odd-name', p: '__proto__', ts: 'toString' },
    ListClaimMappings: { groups: 'groups' },
  },
}
const KUBERNETES: AuthMethodConfiguration = {
  Type: 'kubernetes',
  Config: { Host: 'h', CACert: 'c', ServiceAccountJWT: 'a.b.c' },
}

function matches(selector: string, claims: Readonly<Record<string, unknown>>, method = JWT): boolean {
  const mapping = mapClaims(method, claims)
  if (mapping.fault) throw new Error(mapping.fault.reason)
  return matchesClaims(checkSelector(selector, attributesOf(method)), mapping.mapped)
}

describe('which operators an attribute takes', () => {
  const OPERATORS = {
    equals: (name: string) => `${name} == x`,
    'does not equal': (name: string) => `${name} != x`,
    in: (name: string) => `x in ${name}`,
    'not in': (name: string) => `x not in ${name}`,
    contains: (name: string) => `${name} contains x`,
    'not contains': (name: string) => `${name} not contains x`,
    matches: (name: string) => `${name} matches x`,
    'not matches': (name: string) => `${name} not matches x`,
    'is empty': (name: string) => `${name} is empty`,
    'is not empty': (name: string) => `${name} is not empty`,
  }
  const compares = ['equals', 'does not equal', 'matches', 'not matches']
  const holds = ['in', 'not in', 'contains', 'not contains']
  const TAKES: readonly (readonly [string, AuthMethodConfiguration, readonly string[]])[] = [
    ['value.team', JWT, [...compares, ...holds]],
    ['value["odd-name"]', JWT, [...compares, ...holds]],
    ['serviceaccount.name', KUBERNETES, [...compares, ...holds]],
    ['list.groups', JWT, [...holds, 'is empty', 'is not empty']],
    ['value', JWT, [...holds, 'is empty', 'is not empty']],
    ['list', JWT, [...holds, 'is empty', 'is not empty']],
  ]
  test.each(TAKES)('%s', (name, method, taken) => {
    for (const [operator, write] of Object.entries(OPERATORS)) {
      const check = () => checkSelector(write(name), attributesOf(method))
      if (taken.includes(operator)) expect(check, operator).not.toThrow()
      else expect(refusalOf(check), operator).toMatchObject({ code: 'selector_invalid', field: 'Selector' })
    }
  })
})

test.each([
  ['value.zzz == x', JWT],
  ['list.team contains x', JWT],
  ['value.groups == x', JWT],
  ['value.team.x == y', JWT],
  ['value["team.x"] == y', JWT],
  ['value["constructor"] == x', JWT],
  ['name == x', JWT],
  ['serviceaccount.name == x', JWT],
  ['serviceaccount contains x', KUBERNETES],
  ['value is empty', KUBERNETES],
  ['serviceaccount.zzz == x', KUBERNETES],
])('%s is refused where the method does not map it, and the mapped names are named', (selector, method) => {
  const { code, message } = refusalOf(() => checkSelector(selector, attributesOf(method)))
  expect(code).toBe('selector_invalid')
  expect(message).toContain(method === JWT ? 'list.groups, value.num' : 'serviceaccount.name')
})

test('a mapped name with dots is one name, in brackets', () => {
  const attributes = attributesOf({ Type: 'jwt', Config: { ClaimMappings: { t: 'a.b' } } })
  expect(() => checkSelector('value["a.b"] == x', attributes)).not.toThrow()
  const { code, message } = refusalOf(() => checkSelector('value.a.b == x', attributes))
  expect(code).toBe('selector_invalid')
  expect(message).toContain('does not map value.a.b; it maps value["a.b"]')
})

test('terms are checked from left to right, and the first bad one is named with its place', () => {
  const check = (selector: string) => refusalOf(() => checkSelector(selector, attributesOf(JWT))).message
  expect(check('value.team == x and\nvalue.a == y and value.team matches "("')).toContain('line 2, column 1')
  expect(check('value.team matches "(" and value.a == y')).toContain(
    'line 1, column 1: Failed to compile regular expression "(": error parsing regexp: missing closing )',
  )
})

test.each(['(?=a)', '(?<=a)b', '(a)\\1', '[z-a]', 'a**', '(', 'a{1001}', `${'('.repeat(1_500)}`])(
  'regular expressions are RE2: %s is refused',
  (pattern) => {
    const selector = `value.team matches \`${pattern}\``
    expect(refusalOf(() => checkSelector(selector, attributesOf(JWT))).code).toBe('selector_invalid')
  },
)

test.each([
  ['x{1000}'.repeat(3)],
  [String.raw`\pL{100}`],
  [String.raw`[a\pL]{100}`],
  ['((x{12}){12}){12}x{999}'],
  ['(?:abc){700}'],
  ['[^]x]{999}[[:word:]]{999}a{9}'],
  [`(${'x'.repeat(40)}){60}`],
])('a regular expression that would grow large is refused before it is compiled: %s', (pattern) => {
  const selector = `value.team matches \`${pattern}\``
  expect(refusalOf(() => checkSelector(selector, attributesOf(JWT))).message).toContain('2000 steps')
})

test.each([
  ['^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', 'no'],
  ['^[a-z]{1,256}$', 'ops'],
  ['(?i)^OPS$', 'ops'],
  ['\\p{L}\\x{6f}{0}{', 'a{'],
  ['o', 'ops'],
])('%s is a regular expression that is searched for anywhere', (pattern, team) => {
  expect(matches(`value.team matches \`${pattern}\``, { team })).toBe(team !== 'no')
})

/** Whether each expression matches if the claim is missing, empty, or `red`. */
const TABLE: readonly (readonly [string, missing: boolean, empty: boolean, red: boolean])[] = [
  ['value.team == red', false, false, true],
  ['value.team == ""', false, true, false],
  ['value.team != red', true, true, false],
  ['"re" not in value.team', true, true, false],
  ['value.team != ""', true, false, true],
  ['"re" in value.team', false, false, true],
  ['value.team contains re', false, false, true],
  // Differs from the reference, which returns true for a missing claim.
  ['value.team matches "^red$"', false, false, true],
  ['value.team matches ""', false, true, true],
  ['value.team not matches "^red$"', true, true, false],
  ['not value.team matches "^red$"', true, true, false],
  ['value is empty', true, false, false],
  ['team in value', false, true, true],
  ['team not in value', true, false, false],
]

test.each(TABLE)('%s: claim missing %s, empty %s, red %s', (selector, missing, empty, red) => {
  for (const absent of [{}, { team: null }, { team: undefined }]) {
    expect(matches(selector, absent), 'missing').toBe(missing)
  }
  expect(matches(selector, { team: '' }), 'empty').toBe(empty)
  expect(matches(selector, { team: 'red' }), 'red').toBe(red)
})

test.each([
  ['list.groups is empty', true, true, false],
  ['"a" not in list.groups', true, true, false],
  ['"a" in list.groups', false, false, true],
  ['list.groups is not empty', false, false, true],
  ['list is empty', true, false, false],
  ['groups in list', false, true, true],
])('%s: list missing %s, empty %s, with a %s', (selector, missing, empty, withA) => {
  expect(matches(selector, {})).toBe(missing)
  expect(matches(selector, { groups: [] })).toBe(empty)
  expect(matches(selector, { groups: ['', 'a'] })).toBe(withA)
})

test('numbers are compared as text, and case matters', () => {
  for (const selector of ['value.num == 5', 'value.num == "5"']) {
    expect(matches(selector, { num: 5 })).toBe(true)
    expect(matches(selector, { num: '5' })).toBe(true)
    expect(matches(selector, { num: '5.0' })).toBe(false)
  }
  expect(matches('value.team == Red', { team: 'red' })).toBe(false)
})

test('an empty selector is for every login', () => {
  expect(matches('', {})).toBe(true)
})

test('ATT-33: a missing claim matches no regular expression', () => {
  expect(matches('value.team matches "^admin$"', {})).toBe(false)
})

test('ATT-37: nothing inherited is a claim', () => {
  expect(matches('value["__proto__"] != zzz and "__proto__" not in value', {})).toBe(true)
  expect(matches('value.toString contains native or toString in value', {})).toBe(false)
  expect(matches('value.toString == mine', { ts: 'mine' })).toBe(true)
})

test('DOS-06: ATT-39: a regular expression that backtracks elsewhere is linear here', () => {
  const growth = growthOf(
    40_000,
    (size) => `${'a'.repeat(size)}!`,
    (team) => {
      expect(matches('value.team matches "^(a+)+$"', { team })).toBe(false)
    },
  )
  expect(growth).toBeLessThan(LINEAR_GROWTH_MAX)
})
