import { formatInstant } from '@latchkey/contract'
import { aDirectory, countingRandom } from '@latchkey/testkit/records/context'
import { aPolicy, aRole, aToken } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { tokenHash } from '../hash.ts'
import type { TokenRecord } from '../records/records.ts'
import { cloneToken } from './clone-token.ts'

const NOW = Date.parse('2028-02-29T11:59:30.25Z')
const policy = aPolicy()
const role = aRole()
const directory = aDirectory({ policies: [policy], roles: [role] })

const source = aToken({
  Description: 'original',
  Policies: [{ ID: policy.ID }, { ID: 'gone' }],
  Roles: [{ ID: 'gone' }, { ID: role.ID }],
  ServiceIdentities: [{ ServiceName: 'web' }],
  NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
  Local: true,
  ExpirationTime: formatInstant(NOW + 60_000),
  CreateTime: '2028-01-01T00:00:00Z',
  CreateIndex: 3,
  ModifyIndex: 5,
  Namespace: 'team',
})

const clone = (token: TokenRecord, description?: string) =>
  cloneToken(token, description, { now: NOW, random: countingRandom(), directory })

test('copies description, links, Local and expiration; ids and CreateTime are new (spec 4.6; decisions: tokens)', () => {
  const copy = clone(source)
  expect(copy).toMatchObject({
    AccessorID: '01020304-0506-0708-090a-0b0c0d0e0f10',
    SecretID: '11121314-1516-1718-191a-1b1c1d1e1f20',
    Description: 'original',
    ServiceIdentities: source.ServiceIdentities,
    NodeIdentities: source.NodeIdentities,
    Local: true,
    ExpirationTime: source.ExpirationTime,
    CreateTime: '2028-02-29T11:59:30.25Z',
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: 'team',
  })
  expect(copy.Hash).toBe(tokenHash(copy))
})

test('omits dangling links', () => {
  const { Policies, Roles } = clone(source)
  expect(Policies).toEqual([{ ID: policy.ID }])
  expect(Roles).toEqual([{ ID: role.ID }])
})

test.each([
  [undefined, 'original'],
  ['', 'original'],
  ['another', 'another'],
])('the description %j makes it %j (spec 4.6)', (description, shown) => {
  expect(clone(source, description).Description).toBe(shown)
})

describe('refusals', () => {
  test('clone_refused: a token of an auth method', () => {
    expect(refusalOf(() => clone(aToken({ AuthMethod: 'oidc' }))).code).toBe('clone_refused')
  })

  test('clone_refused: a legacy token with rules; without rules it clones, as a token of the new API', () => {
    const legacy = aToken({ Type: 'client', Rules: 'key "" { policy = "read" }' })
    expect(refusalOf(() => clone(legacy)).code).toBe('clone_refused')
    expect(clone(aToken({ Type: 'management' })).Type).toBe('')
  })

  test.each([
    [59_999, 'expiration_out_of_bounds'],
    [1, 'expiration_out_of_bounds'],
    [60_000, undefined],
    [60_001, undefined],
    [86_400_000, undefined],
  ])('with %d ms left: %s (decisions: tokens)', (leftMs, code) => {
    const token = aToken({ ExpirationTime: formatInstant(NOW + leftMs) })
    if (code === undefined) expect(clone(token).ExpirationTime).toBe(token.ExpirationTime)
    else expect(refusalOf(() => clone(token))).toMatchObject({ code, field: 'ExpirationTime' })
  })
})
