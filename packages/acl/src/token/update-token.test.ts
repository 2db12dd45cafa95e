import type { UpdateToken } from '@latchkey/contract'
import { aDirectory } from '@latchkey/testkit/records/context'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { expect, test } from 'vitest'
import { placeOfTokenWrite, updateToken } from './update-token.ts'

const existing = aToken({
  AccessorID: 'abcdef00-0000-4000-8000-000000000001',
  AuthMethod: 'oidc',
  ExpirationTime: '2028-02-29T12:00:00.5Z',
})
const AT = Date.parse('2028-02-29T12:00:00.5Z')
const refused = (request: UpdateToken, pathAccessorId = existing.AccessorID) =>
  refusalOf(() => updateToken(existing, request, { pathAccessorId, directory: aDirectory() }))

test.each<UpdateToken>([
  { ExpirationTime: AT - 1 },
  { ExpirationTime: AT + 1 },
  { ExpirationTTL: -1 },
  { AuthMethod: 'OIDC' },
  { SecretID: 'manage' },
])('field_immutable: %o (spec 4.5.3, 4.5.5, 4.5.6)', (request) => {
  expect(refused(request)).toMatchObject({ code: 'field_immutable', field: Object.keys(request)[0] })
})

test('the error names the first broken rule: secret, local, method, expiration, links, rules, accessor of the path', () => {
  const all: UpdateToken = {
    SecretID: 'x',
    Local: true,
    AuthMethod: 'x',
    ExpirationTTL: 1,
    ExpirationTime: 5,
    Policies: [{}],
    Rules: 'x',
  }
  const order = [
    'SecretID',
    'Local',
    'AuthMethod',
    'ExpirationTTL',
    'ExpirationTime',
    'Policies',
    'Rules',
  ] as const
  for (const field of order) {
    expect(refused(all, existing.AccessorID.toUpperCase()).field).toMatch(new RegExp(`^${field}`))
    delete all[field]
  }
  expect(refused(all, existing.AccessorID.toUpperCase()).field).toBe('AccessorID')
})

test.each([
  ['a global token is created', undefined, undefined, 'primary'],
  ['a token that is not Local is created', undefined, false, 'primary'],
  ['a Local token is created', undefined, true, 'here'],
  ['a global token is updated, cloned or deleted', { Local: false }, undefined, 'primary'],
  ['a Local token is cloned or deleted, or updated without Local', { Local: true }, undefined, 'here'],
  ['a Local token is updated with Local: true', { Local: true }, true, 'here'],
  ['a Local token is updated with Local: false', { Local: true }, false, 'here'],
  ['a global token is updated with Local: true', { Local: false }, true, 'here'],
] as const)('%s: %o, %o: %s', (_case, existing, requestedLocal, place) => {
  expect(placeOfTokenWrite(existing, requestedLocal)).toBe(place)
})
