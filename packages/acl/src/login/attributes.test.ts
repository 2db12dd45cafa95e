import { expect, test } from 'vitest'
import type { AuthMethodConfiguration, JwtConfig } from '../records/login-records.ts'
import { mapClaims } from './attributes.ts'

function map(Config: JwtConfig, claims: Readonly<Record<string, unknown>>) {
  const mapping = mapClaims({ Type: 'jwt', Config }, claims)
  if (mapping.fault) return mapping.fault.reason
  const { texts, lists } = mapping.mapped
  return { ...Object.fromEntries(texts), ...Object.fromEntries(lists) }
}

/** Claims, with the result of mapping each as a single value and as a list. */
const TABLE: readonly (readonly [claim: unknown, text: unknown, list: unknown])[] = [
  ['red', 'red', ['red']],
  ['a,b', 'a,b', ['a,b']],
  ['', '', []],
  [5, '5', ['5']],
  [-5, '-5', ['-5']],
  [0, '0', ['0']],
  [-0, '0', ['0']],
  [2 ** 53 - 1, '9007199254740991', ['9007199254740991']],
  [-(2 ** 53) + 1, '-9007199254740991', ['-9007199254740991']],
  // Differs from the reference, which truncates fractions and rounds large numbers like a double.
  [2 ** 53, 'claim_not_integer', 'claim_not_integer'],
  [-(2 ** 53), 'claim_not_integer', 'claim_not_integer'],
  [5.9, 'claim_not_integer', 'claim_not_integer'],
  [1e300, 'claim_not_integer', 'claim_not_integer'],
  [true, 'true', ['true']],
  [false, 'false', ['false']],
  [null, undefined, undefined],
  [undefined, undefined, undefined],
  [['a', '', 5, true], 'claim_not_text', ['a', '5', 'true']],
  [[], 'claim_not_text', []],
  [['a', null], 'claim_not_text', 'claim_not_list'],
  [['a', ['b']], 'claim_not_text', 'claim_not_list'],
  [['a', {}], 'claim_not_text', 'claim_not_list'],
  [['a', 0.5], 'claim_not_text', 'claim_not_integer'],
  [{}, 'claim_not_text', 'claim_not_list'],
  // Attack 38: an object that looks like a list.
  [{ length: 1, 0: 'a' }, 'claim_not_text', 'claim_not_list'],
]

test.each(TABLE)('%j is %j as a single value and %j as a list', (claim, text, list) => {
  const single = map({ ClaimMappings: { c: 'x' } }, { c: claim })
  expect(typeof single === 'string' ? single : single['value.x']).toEqual(text)
  const several = map({ ListClaimMappings: { c: 'x' } }, { c: claim })
  expect(typeof several === 'string' ? several : several['list.x']).toEqual(list)
})

test.each([
  ['a.b', { 'a.b': 'x', a: { b: 'y' } }, 'x'],
  ['https://claims.example/team', { 'https://claims.example/team': 'x' }, 'x'],
  ['a', { A: 'x' }, undefined],
  ['', { '': 'x' }, 'x'],
  ['/a/b', { a: { b: 'x' } }, 'x'],
  ['/a/b', { '/a/b': 'x' }, undefined],
  ['/', { '': 'x' }, 'x'],
  ['/a~1b/c~0d', { 'a/b': { 'c~d': 'x' } }, 'x'],
  ['/a~01', { 'a~1': 'x' }, 'x'],
  ['/a/1', { a: ['x', 'y'] }, 'y'],
  ['/a/01', { a: ['x', 'y'] }, undefined],
  ['/a/-', { a: ['x'] }, undefined],
  ['/a/length', { a: ['x'] }, undefined],
  ['/a/0', { a: 'text' }, undefined],
  ['/a/0', { a: { 0: 'x' } }, 'x'],
  ['/a/b/c', { a: { b: null } }, undefined],
  ['/a/b', { a: { b: null } }, undefined],
  ['/b/c', { a: 1 }, undefined],
])('the claim %j of %j is %j', (claim, claims, expected) => {
  const mapped = map({ ClaimMappings: { [claim]: 'x' } }, claims)
  expect(mapped).toEqual(expected === undefined ? {} : { 'value.x': expected })
})

test.each([
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '/constructor/name',
  '/a/constructor',
  '/l/length',
])('ATT-37: %s is read as a claim of that name, and nothing inherited is', (claim) => {
  const ClaimMappings = Object.fromEntries([[claim, '__proto__']])
  expect(map({ ClaimMappings, ListClaimMappings: ClaimMappings }, { a: {}, l: [] })).toEqual({})
})

test('ATT-37: own claims of such names are claims like any other', () => {
  const claims = JSON.parse('{"__proto__":"p","constructor":{"name":"c"}}')
  const ClaimMappings = Object.fromEntries([
    ['__proto__', 'toString'],
    ['/constructor/name', '__proto__'],
  ])
  expect(map({ ClaimMappings }, claims)).toEqual({ 'value.toString': 'p', 'value.__proto__': 'c' })
})

test('what a review says of a service account is three texts', () => {
  const method: AuthMethodConfiguration = {
    Type: 'kubernetes',
    Config: { Host: 'h', CACert: 'c', ServiceAccountJWT: 'j' },
  }
  expect(mapClaims(method, { namespace: 'default', name: 'web', uid: 'u-1', other: 'x' })).toEqual({
    mapped: {
      texts: new Map([
        ['serviceaccount.namespace', 'default'],
        ['serviceaccount.name', 'web'],
        ['serviceaccount.uid', 'u-1'],
      ]),
      lists: new Map(),
    },
  })
})

test('a fault names the claim, which no answer shows', () => {
  const mapping = mapClaims({ Type: 'jwt', Config: { ClaimMappings: { roles: 'r' } } }, { roles: [] })
  expect(mapping).toEqual({ fault: { reason: 'claim_not_text', claim: 'roles' } })
})
