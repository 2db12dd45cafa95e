import { expect, test } from 'vitest'
import type { PolicyRecord, RoleRecord } from '../../records/records.ts'
import {
  type EffectivePoliciesOptions,
  effectivePolicies,
  type LinkLookup,
  type TokenLinks,
} from './effective-policies.ts'
import { globalManagementRules, nodeIdentityRules, serviceIdentityRules } from './generated-rules.ts'

const HERE: EffectivePoliciesOptions = { datacenter: 'dc1' }

function aPolicy(id: string, fields: Partial<PolicyRecord> = {}): PolicyRecord {
  return {
    ID: id,
    Name: `policy-${id}`,
    Description: '',
    Rules: `key "${id}" { policy = "read" }`,
    Datacenters: undefined,
    Hash: `hash-${id}`,
    CreateIndex: 1,
    ModifyIndex: 1,
    Namespace: 'default',
    ...fields,
  }
}

function aRole(id: string, fields: Partial<RoleRecord>): RoleRecord {
  return {
    ID: id,
    Name: `role-${id}`,
    Description: '',
    Policies: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    Hash: '',
    CreateIndex: 1,
    ModifyIndex: 1,
    Namespace: 'default',
    ...fields,
  }
}

function aToken(fields: Partial<TokenLinks>): TokenLinks {
  return {
    Policies: [],
    Roles: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    Rules: '',
    Type: '',
    ...fields,
  }
}

function aLookup(policies: readonly PolicyRecord[], roles: readonly RoleRecord[] = []): LinkLookup {
  return {
    policy: (id) => policies.find((policy) => policy.ID === id),
    role: (id) => roles.find((role) => role.ID === id),
  }
}

test('policies come directly and through roles, each once, by the shorter way', () => {
  const lookup = aLookup([aPolicy('a'), aPolicy('b')], [aRole('r', { Policies: [{ ID: 'a' }, { ID: 'b' }] })])
  const sources = effectivePolicies(aToken({ Policies: [{ ID: 'a' }], Roles: [{ ID: 'r' }] }), lookup, HERE)
  expect(sources.map(({ policyId, path }) => [policyId, path])).toEqual([
    ['a', { via: 'policy' }],
    ['b', { via: 'policy', role: { id: 'r', name: 'role-r' } }],
  ])
})

test('links to what was deleted do not act', () => {
  const token = aToken({ Policies: [{ ID: 'gone' }], Roles: [{ ID: 'gone' }] })
  expect(effectivePolicies(token, aLookup([]), HERE)).toEqual([])
})

test('a policy limited to other datacenters does not act; an empty list limits nothing', () => {
  const lookup = aLookup([
    aPolicy('here', { Datacenters: ['dc2', 'dc1'] }),
    aPolicy('there', { Datacenters: ['dc2'] }),
    aPolicy('everywhere', { Datacenters: [] }),
  ])
  const token = aToken({ Policies: [{ ID: 'here' }, { ID: 'there' }, { ID: 'everywhere' }] })
  expect(effectivePolicies(token, lookup, HERE).map((source) => source.policyId)).toEqual([
    'here',
    'everywhere',
  ])
})

test('identities act by their generated rules where they are valid (spec 2.4, 2.5)', () => {
  const token = aToken({
    ServiceIdentities: [{ ServiceName: 'web' }, { ServiceName: 'api', Datacenters: ['dc2'] }],
    NodeIdentities: [
      { NodeName: 'n1', Datacenter: 'dc1' },
      { NodeName: 'n2', Datacenter: 'dc2' },
    ],
  })
  expect(effectivePolicies(token, aLookup([]), HERE).map(({ path, text }) => [path, text])).toEqual([
    [{ via: 'service-identity', identity: 'web' }, serviceIdentityRules('web')],
    [{ via: 'node-identity', identity: 'n1' }, nodeIdentityRules('n1')],
  ])
})

test('the identities of a role act too', () => {
  const lookup = aLookup([], [aRole('r', { ServiceIdentities: [{ ServiceName: 'web' }] })])
  expect(effectivePolicies(aToken({ Roles: [{ ID: 'r' }] }), lookup, HERE)[0]?.path).toEqual({
    via: 'service-identity',
    identity: 'web',
    role: { id: 'r', name: 'role-r' },
  })
})

test('the defaults of the namespace act on its tokens (spec 4.9)', () => {
  const lookup: LinkLookup = {
    ...aLookup([aPolicy('a'), aPolicy('b')], [aRole('r', { Policies: [{ ID: 'b' }] })]),
    namespace: (name) => ({
      Name: name,
      Description: '',
      PolicyDefaults: [{ ID: 'a' }],
      RoleDefaults: [{ ID: 'r' }],
      CreateIndex: 1,
      ModifyIndex: 1,
    }),
  }
  const sources = effectivePolicies(aToken({ Namespace: 'team' }), lookup, HERE)
  expect(sources.map((source) => source.path)).toEqual([
    { via: 'policy', namespace: 'team' },
    { via: 'policy', namespace: 'team', role: { id: 'r', name: 'role-r' } },
  ])
})

test('legacy client rules act while the token has no link of its own', () => {
  const legacy = aToken({ Type: 'client', Rules: 'key "a" { policy = "read" }' })
  expect(effectivePolicies(legacy, aLookup([]), HERE)).toMatchObject([
    { path: { via: 'legacy-rules' }, dialect: 'legacy', text: legacy.Rules },
  ])
  expect(effectivePolicies({ ...legacy, Policies: [{ ID: 'gone' }] }, aLookup([]), HERE)).toEqual([])
  expect(effectivePolicies(legacy, aLookup([]), { ...HERE, legacyRules: false })).toEqual([])
})

test('a legacy management token may do everything, whatever its rules', () => {
  const legacy = aToken({ Type: 'management', Rules: 'key "" { policy = "deny" }' })
  expect(effectivePolicies(legacy, aLookup([]), HERE)).toMatchObject([
    { path: { via: 'legacy-management' }, text: globalManagementRules() },
  ])
})

test('from 1.11 a management token has what it is linked to, and nothing by its type (spec 9.1)', () => {
  const builtin = aPolicy('00000000-0000-0000-0000-000000000001')
  const unlinked = aToken({ Type: 'management' })
  const linked = aToken({ Type: 'management', Policies: [{ ID: builtin.ID }] })
  const from111 = { ...HERE, legacyRules: false }
  expect(effectivePolicies(unlinked, aLookup([builtin]), from111)).toEqual([])
  expect(effectivePolicies(linked, aLookup([builtin]), from111)).toMatchObject([{ policyId: builtin.ID }])
  expect(effectivePolicies(unlinked, aLookup([builtin]), HERE)).toHaveLength(1)
})

test('keys differ with every change of a policy, and between ids that begin one another (CVE-2025-4922 of a peer)', () => {
  const policies = [
    aPolicy('a'),
    aPolicy('a', { ModifyIndex: 2 }),
    aPolicy('a', { Hash: 'other' }),
    aPolicy('aa'),
    aPolicy('a', { ModifyIndex: 11 }),
  ]
  const keys = policies.map((policy) => {
    return effectivePolicies(aToken({ Policies: [{ ID: policy.ID }] }), aLookup([policy]), HERE)[0]?.key
  })
  expect(new Set(keys).size).toBe(policies.length)
})
