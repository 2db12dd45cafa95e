import type { UpdateToken } from '@latchkey/contract'
import { aDirectory } from '@latchkey/testkit/records/context'
import { aPolicy, aRole, aToken } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS_TOKEN_ACCESSOR_ID, ANONYMOUS_TOKEN_SECRET_ID } from '../builtin.ts'
import { tokenHash } from '../hash.ts'
import { checkBodyAccessor, checkDelete, placeOfTokenWrite, updateToken } from './update-token.ts'

const policy = aPolicy({ Name: 'reader' })
const role = aRole({ Name: 'ops' })
const directory = aDirectory({ policies: [policy], roles: [role] })
const AT = Date.parse('2028-02-29T12:00:00.5Z')

const existing = aToken({
  AccessorID: 'abcdef00-0000-4000-8000-000000000001',
  SecretID: 'abcdef00-0000-4000-8000-00000000000f',
  Description: 'before',
  Policies: [{ ID: policy.ID }],
  Roles: [{ ID: role.ID }],
  ServiceIdentities: [{ ServiceName: 'web' }],
  NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
  AuthMethod: 'oidc',
  ExpirationTime: '2028-02-29T12:00:00.5Z',
  CreateIndex: 3,
  ModifyIndex: 5,
})

const update = (request: UpdateToken, token = existing, pathAccessorId = token.AccessorID) =>
  updateToken(token, request, { pathAccessorId, directory })

describe('an omitted field', () => {
  test('is filled in if immutable (spec 4.5.1 to 4.5.3, 4.5.5, 4.5.6)', () => {
    const { AccessorID, SecretID, AuthMethod, ExpirationTime, CreateTime, CreateIndex, Namespace } = existing
    expect(update({})).toMatchObject({
      AccessorID,
      SecretID,
      AuthMethod,
      ExpirationTime,
      CreateTime,
      CreateIndex,
      Namespace,
    })
  })

  test('is cleared if mutable (decisions: tokens)', () => {
    const updated = update({})
    expect(updated).toMatchObject({
      Description: '',
      Policies: [],
      Roles: [],
      ServiceIdentities: [],
      NodeIdentities: [],
    })
    expect(updated.Hash).toBe(tokenHash(updated))
    expect(existing.Description).toBe('before')
  })
})

test('the same value of an immutable field is accepted; ExpirationTime compares as an instant', () => {
  const { AccessorID, SecretID, AuthMethod } = existing
  const same = { AccessorID, SecretID, AuthMethod, ExpirationTime: AT, Local: false, ExpirationTTL: 0 }
  expect(update({ ...same, Description: 'after' }).Description).toBe('after')
})

describe('refuses a changed immutable field by name', () => {
  test.each<readonly [string, UpdateToken, string]>([
    ['SecretID (spec 4.5.3)', { SecretID: 'abcdef00-0000-4000-8000-000000000009' }, 'SecretID'],
    ['SecretID in another case', { SecretID: existing.SecretID.toUpperCase() }, 'SecretID'],
    ['SecretID as the redaction text (SEC-01)', { SecretID: '<hidden>' }, 'SecretID'],
    ['SecretID as a root name', { SecretID: 'manage' }, 'SecretID'],
    ['AuthMethod (spec 4.5.5)', { AuthMethod: 'OIDC' }, 'AuthMethod'],
    ['ExpirationTime a millisecond earlier (spec 4.5.6)', { ExpirationTime: AT - 1 }, 'ExpirationTime'],
    ['ExpirationTime a millisecond later', { ExpirationTime: AT + 1 }, 'ExpirationTime'],
    [
      'ExpirationTTL, even to the same instant (decisions: tokens)',
      { ExpirationTTL: 60_000 },
      'ExpirationTTL',
    ],
    ['ExpirationTTL below zero', { ExpirationTTL: -1 }, 'ExpirationTTL'],
  ])('%s', (_name, request, field) => {
    const refusal = refusalOf(() => update(request))
    expect(refusal).toMatchObject({ code: 'field_immutable', field })
    expect(refusal.message).not.toContain(existing.SecretID)
  })

  test('ExpirationTime on a token without one', () => {
    const forever = aToken()
    expect(refusalOf(() => update({ ExpirationTime: AT }, forever))).toMatchObject({
      code: 'field_immutable',
      field: 'ExpirationTime',
    })
  })

  test('AuthMethod on a token without one', () => {
    expect(refusalOf(() => update({ AuthMethod: 'oidc' }, aToken())).code).toBe('field_immutable')
  })

  test('the accessor of the path in another case, checked last', () => {
    const path = existing.AccessorID.toUpperCase()
    expect(refusalOf(() => update({}, existing, path))).toMatchObject({
      code: 'field_immutable',
      field: 'AccessorID',
    })
    expect(refusalOf(() => update({ Policies: [{}] }, existing, path)).code).toBe('link_unknown')
  })
})

describe('Local (spec 4.5.4)', () => {
  const local = aToken({ Local: true })

  test.each([
    ['a local token, given', local, { Local: true }],
    ['a global token, given', existing, { Local: false }],
    ['a global token, omitted', existing, {}],
  ] as const)('passes: %s', (_name, token, request) => {
    expect(update(request, token).Local).toBe(token.Local)
  })

  test('a local token with Local omitted: the error says that omitted means false (decisions: tokens)', () => {
    const refusal = refusalOf(() => update({}, local))
    expect(refusal).toMatchObject({ code: 'local_mismatch', field: 'Local' })
    expect(refusal.message).toContain('"Local": true')
  })

  test.each([
    [local, false],
    [existing, true],
  ])('is refused if it differs', (token, Local) => {
    expect(refusalOf(() => update({ Local }, token)).code).toBe('local_mismatch')
  })

  test('a local token cannot get an identity with datacenters', () => {
    const request = { Local: true, ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc1'] }] }
    expect(refusalOf(() => update(request, local)).code).toBe('field_invalid')
  })
})

test('the error names the first broken rule: secret, local, method, expiration, links', () => {
  const all: UpdateToken = {
    SecretID: 'x',
    Local: true,
    AuthMethod: 'x',
    ExpirationTTL: 1,
    ExpirationTime: 5,
    Policies: [{}],
    Rules: 'x',
  }
  const order = ['SecretID', 'Local', 'AuthMethod', 'ExpirationTTL', 'ExpirationTime', 'Policies'] as const
  const rest = { ...all }
  for (const field of order) {
    expect(refusalOf(() => update(rest)).field).toMatch(new RegExp(`^${field}`))
    delete rest[field]
  }
  expect(refusalOf(() => update(rest)).field).toBe('Rules')
})

test('an update converts a legacy token: it drops rules and type', () => {
  const legacy = aToken({ Type: 'client', Rules: 'key "" { policy = "read" }' })
  expect(update({ Description: 'now new' }, legacy)).toMatchObject({ Type: '', Rules: '' })
})

describe('the accessor of body and path (spec 4.5.1)', () => {
  const path = existing.AccessorID
  test('may be in the path alone, or the same in both', () => {
    expect(() => checkBodyAccessor(path, {})).not.toThrow()
    expect(() => checkBodyAccessor(path, { AccessorID: '' })).not.toThrow()
    expect(() => checkBodyAccessor(path, { AccessorID: path })).not.toThrow()
  })
  test.each([path.toUpperCase(), `${path} `, policy.ID])(
    'accessor_mismatch: %j must match exactly',
    (AccessorID) => {
      expect(refusalOf(() => checkBodyAccessor(path, { AccessorID }))).toMatchObject({
        code: 'accessor_mismatch',
        field: 'AccessorID',
      })
    },
  )
})

const caller = aToken()

test('delete_refused: the anonymous token, and the token that the request presents (decisions: tokens)', () => {
  const anonymous = aToken({ AccessorID: ANONYMOUS_TOKEN_ACCESSOR_ID, SecretID: ANONYMOUS_TOKEN_SECRET_ID })
  expect(refusalOf(() => checkDelete(anonymous, caller)).code).toBe('delete_refused')
  expect(refusalOf(() => checkDelete({ ...caller, ModifyIndex: 9 }, caller)).code).toBe('delete_refused')
})

test('any other token may be deleted', () => {
  expect(() => checkDelete(aToken(), caller)).not.toThrow()
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
