import { aPolicy as anyPolicy, aRole as anyRole } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { BLANK_TOKEN, type PolicyRecord, type RoleRecord } from '../../records/records.ts'
import {
  type EffectivePoliciesOptions,
  effectivePolicies,
  type LinkLookup,
  type TokenLinks,
} from './effective-policies.ts'
import { globalManagementRules, nodeIdentityRules, serviceIdentityRules } from './generated-rules.ts'

const HERE: EffectivePoliciesOptions = { datacenter: 'dc1' }

const aPolicy = (ID: string, fields: Partial<PolicyRecord> = {}) => anyPolicy({ ID, ...fields })
const aRole = (ID: string, fields: Partial<RoleRecord>) => anyRole({ ID, Name: `role-${ID}`, ...fields })
const aToken = (fields: Partial<TokenLinks>): TokenLinks => ({ ...BLANK_TOKEN, ...fields })

function aLookup(policies: readonly PolicyRecord[], roles: readonly RoleRecord[] = []): LinkLookup {
  return {
    policy: (id) => policies.find((policy) => policy.ID === id),
    role: (id) => roles.find((role) => role.ID === id),
  }
}

test('collects policies from links and roles, each once, with the shorter path', () => {
  const lookup = aLookup([aPolicy('a'), aPolicy('b')], [aRole('r', { Policies: [{ ID: 'a' }, { ID: 'b' }] })])
  const sources = effectivePolicies(aToken({ Policies: [{ ID: 'a' }], Roles: [{ ID: 'r' }] }), lookup, HERE)
  expect(sources.map(({ policyId, path }) => [policyId, path])).toEqual([
    ['a', { via: 'policy' }],
    ['b', { via: 'policy', role: { id: 'r', name: 'role-r' } }],
  ])
})

test('dangling links have no effect', () => {
  const token = aToken({ Policies: [{ ID: 'gone' }], Roles: [{ ID: 'gone' }] })
  expect(effectivePolicies(token, aLookup([]), HERE)).toEqual([])
})

test('a policy limited to other datacenters has no effect; an empty list limits nothing', () => {
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

test('identities add their generated rules in the datacenters where they are valid (spec 2.4, 2.5)', () => {
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

test('an identity that is valid elsewhere does not hide the same one that is valid here (spec 2.4, 2.5)', () => {
  const [elsewhere, here] = ['dc2', 'dc1'].map((Datacenter) => ({
    ServiceIdentities: [{ ServiceName: 'web', Datacenters: [Datacenter] }],
    NodeIdentities: [{ NodeName: 'n1', Datacenter }],
  }))
  const lookup = aLookup([], [aRole('r', here ?? {})])
  const sources = effectivePolicies(aToken({ ...elsewhere, Roles: [{ ID: 'r' }] }), lookup, HERE)
  expect(sources.map(({ text }) => text)).toEqual([serviceIdentityRules('web'), nodeIdentityRules('n1')])
})

test('an identity of a token and of its roles counts once, with the shorter path', () => {
  const identities = {
    ServiceIdentities: [{ ServiceName: 'web' }],
    NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
  }
  const lookup = aLookup([], [aRole('r', identities)])
  const sources = effectivePolicies(aToken({ ...identities, Roles: [{ ID: 'r' }] }), lookup, HERE)
  expect(sources.map(({ path }) => path)).toEqual([
    { via: 'service-identity', identity: 'web' },
    { via: 'node-identity', identity: 'n1' },
  ])
})

test('the identities of a role count too', () => {
  const lookup = aLookup([], [aRole('r', { ServiceIdentities: [{ ServiceName: 'web' }] })])
  expect(effectivePolicies(aToken({ Roles: [{ ID: 'r' }] }), lookup, HERE)[0]?.path).toEqual({
    via: 'service-identity',
    identity: 'web',
    role: { id: 'r', name: 'role-r' },
  })
})

test('the defaults of a namespace apply to its tokens (spec 4.9)', () => {
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

test('legacy client rules count while the token has no link of its own', () => {
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

test('from 1.11 on a management token has the rights of its links and none from its type (spec 9.1)', () => {
  const builtin = aPolicy('00000000-0000-0000-0000-000000000001')
  const unlinked = aToken({ Type: 'management' })
  const linked = aToken({ Type: 'management', Policies: [{ ID: builtin.ID }] })
  const from111 = { ...HERE, legacyRules: false }
  expect(effectivePolicies(unlinked, aLookup([builtin]), from111)).toEqual([])
  expect(effectivePolicies(linked, aLookup([builtin]), from111)).toMatchObject([{ policyId: builtin.ID }])
  expect(effectivePolicies(unlinked, aLookup([builtin]), HERE)).toHaveLength(1)
})

test('keys differ with every change of a policy, and if one id is a prefix of another (CVE-2025-4922 of a peer)', () => {
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
