import type { CreateToken } from '@latchkey/contract'
import { aDirectory, countingRandom } from '@latchkey/testkit/records/context'
import { aPolicy, aRole } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { tokenHash } from '../hash.ts'
import { BLANK_TOKEN } from '../records/records.ts'
import { createToken } from './create-token.ts'

const NOW = Date.parse('2028-02-29T11:59:30.25Z')
const ID = 'ce10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2e'
const policy = aPolicy({ Name: 'reader' })
const role = aRole({ Name: 'ops' })

function create(request: CreateToken, namespace = 'default') {
  const directory = aDirectory({ policies: [policy], roles: [role] })
  return createToken(request, { now: NOW, random: countingRandom(), directory, namespace })
}

test('an empty body makes a token with new ids and nothing else (spec 2.1)', () => {
  expect(create({})).toEqual({
    ...BLANK_TOKEN,
    AccessorID: '01020304-0506-0708-090a-0b0c0d0e0f10',
    SecretID: '11121314-1516-1718-191a-1b1c1d1e1f20',
    CreateTime: '2028-02-29T11:59:30.25Z',
    Hash: 'NLOoV2WBU8ieJIrYXXx8NRb5C2xU61pVVWRDLEIMxlU=',
  })
})

test('sets and normalizes every field that may be set, and hashes the stored form', () => {
  const record = create({
    AccessorID: ID.toUpperCase(),
    SecretID: ID,
    Description: 'd',
    Policies: [{ Name: 'READER' }, { ID: policy.ID }],
    Roles: [{ Name: 'ops' }],
    ServiceIdentities: [{ ServiceName: 'web' }, { ServiceName: 'api', Datacenters: ['dc2', 'dc1'] }],
    NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
    ExpirationTTL: 60_000,
    Hash: 'mine',
    CreateIndex: 7,
    CreateTime: 'yesterday',
  })
  expect(record).toMatchObject({
    AccessorID: ID.toUpperCase(),
    SecretID: ID,
    Description: 'd',
    ServiceIdentities: [{ ServiceName: 'api', Datacenters: ['dc2', 'dc1'] }, { ServiceName: 'web' }],
    NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
    Local: false,
    ExpirationTime: '2028-02-29T12:00:30.25Z',
    CreateTime: '2028-02-29T11:59:30.25Z',
    CreateIndex: 0,
  })
  expect(record.Hash).toBe(tokenHash(record))
})

test('takes the namespace from the context, not from the body (spec 4.9)', () => {
  expect(create({ Namespace: 'ignored here' }, 'team').Namespace).toBe('team')
})

test('empty ids are generated (spec 2.1)', () => {
  const { AccessorID, SecretID } = create({ AccessorID: '', SecretID: '' })
  expect(AccessorID).toHaveLength(36)
  expect(SecretID).toHaveLength(36)
})

describe('refusals, in the order of the reference', () => {
  /** Each request violates its own rule and all later ones. */
  const BROKEN: readonly (readonly [string, CreateToken, string, string])[] = [
    ['an AccessorID that is not a UUID', { AccessorID: 'nope' }, 'id_invalid', 'AccessorID'],
    [
      'a reserved AccessorID',
      { AccessorID: '00000000-0000-0000-0000-0000000000aa' },
      'id_reserved',
      'AccessorID',
    ],
    ['a SecretID that is not a UUID', { SecretID: 'nope' }, 'id_invalid', 'SecretID'],
    ['a reserved SecretID', { SecretID: '00000000-0000-0000-0000-000000000001' }, 'id_reserved', 'SecretID'],
    ['an AuthMethod', { AuthMethod: 'oidc' }, 'field_invalid', 'AuthMethod'],
    [
      'a negative lifetime',
      { ExpirationTTL: -1, ExpirationTime: 5 },
      'expiration_out_of_bounds',
      'ExpirationTTL',
    ],
    ['both expirations', { ExpirationTTL: 1, ExpirationTime: 5 }, 'expiration_conflict', 'ExpirationTTL'],
    ['a time in the past', { ExpirationTime: NOW - 1 }, 'expiration_out_of_bounds', 'ExpirationTime'],
    ['an unknown policy', { Policies: [{ Name: 'nobody' }] }, 'link_unknown', 'Policies[0]'],
    ['an unknown role', { Roles: [{ Name: 'ops' }, { Name: 'nobody' }] }, 'link_unknown', 'Roles[1]'],
    [
      'datacenters on a local token',
      { Local: true, ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc1'] }] },
      'field_invalid',
      'ServiceIdentities[0].Datacenters',
    ],
    [
      'a node identity without datacenter',
      { NodeIdentities: [{ NodeName: 'n1', Datacenter: '' }] },
      'field_required',
      'NodeIdentities[0].Datacenter',
    ],
    ['rules', { Rules: 'acl = "write"' }, 'field_invalid', 'Rules'],
  ]

  test.each(BROKEN)('%s', (_name, request, code, field) => {
    expect(refusalOf(() => create(request))).toMatchObject({ code, field })
  })

  test('the error names the first broken rule', () => {
    for (const [i, [, first, code, field]] of BROKEN.entries()) {
      const rest = Object.assign(
        {},
        ...BROKEN.slice(i)
          .map(([, request]) => request)
          .reverse(),
      ) as CreateToken
      expect(
        refusalOf(() => create({ ...rest, ...first })),
        field,
      ).toMatchObject({ code, field })
    }
  })

  test('no error repeats a secret', () => {
    for (const SecretID of ['a secret', 'ce10eb30', '00000000-0000-0000-0000-0000000000f7']) {
      expect(refusalOf(() => create({ SecretID })).message).not.toContain(SecretID)
    }
  })

  test('an empty legacy Rules field passes', () => {
    expect(create({ Rules: '' }).Rules).toBe('')
  })
})
