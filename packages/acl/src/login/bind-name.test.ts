// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${` is part of the language under test.
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { expect, test } from 'vitest'
import type { AuthMethodConfiguration } from '../records/login-records.ts'
import { attributesOf } from './attributes.ts'
import { checkBindName, computeBindName } from './bind-name.ts'

const JWT: AuthMethodConfiguration = {
  Type: 'jwt',
  Config: {
    ClaimMappings: { a: 'team', b: 'org', c: 'odd-name', d: 'x.y_z' },
    ListClaimMappings: { e: 'groups' },
  },
}
const attributes = attributesOf(JWT)
const KUBERNETES = attributesOf({
  Type: 'kubernetes',
  Config: { Host: 'h', CACert: 'c', ServiceAccountJWT: 'j' },
})

function compute(
  name: string,
  texts: Readonly<Record<string, string>>,
  type: 'service' | 'role' = 'service',
) {
  return computeBindName(checkBindName(name, type, { attributes }), type, new Map(Object.entries(texts)))
}

test.each([
  ['web', 'web'],
  ['web-${value.team}', 'web-red'],
  ['${value.team}', 'red'],
  ['${ value.team\t}', 'red'],
  ['${value.team}-${value.odd-name}_${value.x.y_z}', 'red-odd_xyz'],
])('%s computes %s', (name, expected) => {
  const texts = { 'value.team': 'RED', 'value.odd-name': 'Odd', 'value.x.y_z': 'xyz' }
  expect(compute(name, texts)).toEqual({ outcome: 'computed', name: expected })
})

test('attributes of a service account', () => {
  expect(() => checkBindName('${serviceaccount.name}', 'service', { attributes: KUBERNETES })).not.toThrow()
  expect(() => checkBindName('${value.team}', 'service', { attributes: KUBERNETES })).toThrow()
})

test('values are lower-cased, literal text is not', () => {
  expect(compute('Ops-${value.team}', { 'value.team': 'RED' }, 'role')).toEqual({
    outcome: 'computed',
    name: 'Ops-red',
  })
  expect(refusalOf(() => checkBindName('Ops-${value.team}', 'service', { attributes })).code).toBe(
    'selector_invalid',
  )
})

test.each([
  ['{{ value.name }}', 'no service can have the name'],
  ['$value.name', 'no service can have the name'],
  ['$${value.team}', 'no service can have the name'],
  ['-${value.team}', 'no service can have the name'],
  ['web-', 'no service can have the name'],
  ['a'.repeat(257), 'no service can have the name'],
  ['${value.zzz}', '1:1: unknown variable accessed: value.zzz'],
  ['a\nb${value.zzz}', '2:2: unknown variable accessed: value.zzz'],
  ['${list.groups}', '1:1: unknown variable accessed: list.groups'],
  ['${value}', '1:1: unknown variable accessed: value'],
  ['${serviceaccount.name}', '1:1: unknown variable accessed'],
  ['${value["team"]}', '1:1: expected'],
  ['${value.team', '1:1: expected'],
  ['${}', '1:1: expected'],
  ['web-${"lit"}', '1:5: expected'],
  ['${${value.team}}', '1:1: expected'],
  // Attack 41.
  ['${10/0}', '1:1: expected'],
  ['${5+5}', '1:1: expected'],
  ['${upper(value.x)}', '1:1: expected'],
  ['${value.x + 1}', '1:1: expected'],
])('%j is refused: %s', (name, problem) => {
  const { code, field, message } = refusalOf(() => checkBindName(name, 'service', { attributes }))
  expect({ code, field }).toEqual({ code: 'selector_invalid', field: 'BindName' })
  expect(message).toContain(problem)
})

test.each([
  ['service', 'a'.repeat(256), true],
  ['node', 'A', false],
  ['node', 'a_b-c', true],
  ['role', 'A_b-', true],
  ['role', 'a.b', false],
  ['role', 'a'.repeat(257), false],
  ['namespace', 'Team-${value.team}', true],
  ['namespace', '-', false],
] as const)('a %s may have the name %s: %s', (type, name, isAllowed) => {
  const check = () => checkBindName(name, type, { attributes })
  if (isAllowed) expect(check).not.toThrow()
  else expect(refusalOf(check).code).toBe('selector_invalid')
})

test.each([[{}], [{ 'value.team': '' }]])('ATT-34: with the claims %j the rule does not apply', (texts) => {
  expect(compute('svc${value.team}', texts)).toEqual({ outcome: 'claim_missing', attributes: ['value.team'] })
})

test('a missing claim takes precedence over an invalid one', () => {
  expect(compute('${value.team}${value.org}', { 'value.org': 'é' })).toEqual({
    outcome: 'claim_missing',
    attributes: ['value.team'],
  })
})

test.each(['\u212A', '\u0130', '\u017F', '\uFF41dmin', 'admin\u0000', 'é', '𝒳'])(
  'ATT-35: %j falls together with no other name',
  (team) => {
    expect(compute('${value.team}', { 'value.team': team })).toEqual({ outcome: 'name_invalid' })
    expect(compute('${value.team}', { 'value.team': team }, 'role')).toEqual({ outcome: 'name_invalid' })
  },
)

test.each(['../x', 'a b', '${value.org}', 'a\n', '\n', 'a'.repeat(10_000), '%2e', '-a', 'a/'])(
  'ATT-36: %j is no name',
  (team) => {
    const texts = { 'value.team': team, 'value.org': 'admin' }
    expect(compute('${value.team}', texts)).toEqual({ outcome: 'name_invalid' })
  },
)
