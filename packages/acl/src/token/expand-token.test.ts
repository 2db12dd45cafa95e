import { aDirectory } from '@latchkey/testkit/records/context'
import { aPolicy, aRole, aToken } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { expandToken } from './show-token.ts'

const byDefault = aPolicy({ Name: 'by-default', Namespace: 'team' })
const role = aRole({ Name: 'ops', ServiceIdentities: [{ ServiceName: 'api' }] })
const defaultRole = aRole({ Name: 'default-role', NodeIdentities: [{ NodeName: 'n9', Datacenter: 'dc2' }] })
const directory = aDirectory({
  policies: [byDefault],
  roles: [role, defaultRole],
  namespaces: [
    {
      Name: 'team',
      Description: '',
      PolicyDefaults: [{ ID: byDefault.ID }],
      RoleDefaults: [{ ID: defaultRole.ID }],
      CreateIndex: 1,
      ModifyIndex: 1,
    },
  ],
})
const context = {
  directory,
  defaultPolicy: 'deny',
  nodeName: 'n1',
  showSecret: false,
  showNamespace: false,
} as const

describe('expanded (spec 4.3)', () => {
  test('identities, including those of roles, show as their synthetic policies, each once', () => {
    const token = aToken({
      Roles: [{ ID: role.ID }],
      ServiceIdentities: [{ ServiceName: 'api' }, { ServiceName: 'web', Datacenters: ['dc2', 'dc3'] }],
      NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
    })
    const synthetic = expandToken(token, context).ExpandedPolicies?.filter((policy) =>
      policy.Name.startsWith('synthetic-policy-'),
    )
    expect(synthetic?.map(({ Datacenters }) => Datacenters)).toEqual([undefined, ['dc2', 'dc3'], ['dc1']])
    for (const policy of synthetic ?? []) {
      const hex = [...new TextEncoder().encode(policy.Rules)].map((byte) =>
        byte.toString(16).padStart(2, '0'),
      )
      expect(policy.ID).toBe(`${hex.join('')}6c62272e07bb014262b821756295c58d`)
      expect(policy.Name).toBe(`synthetic-policy-${policy.ID}`)
    }
    expect(synthetic?.[1]?.Rules).toContain('service "web"')
    expect(synthetic?.[2]?.Rules).toContain('node "n1"')
  })

  test('namespace defaults are listed separately and expanded too (spec 4.9)', () => {
    const expanded = expandToken(aToken({ Namespace: 'team' }), { ...context, showNamespace: true })
    expect(expanded).toMatchObject({
      NamespaceDefaultPolicyIDs: [byDefault.ID],
      NamespaceDefaultRoleIDs: [defaultRole.ID],
      Namespace: 'team',
    })
    expect(expanded.ExpandedPolicies?.[0]).toMatchObject({ Name: 'by-default', Namespace: 'team' })
    expect(expanded.ExpandedPolicies?.[1]?.Rules).toContain('node "n9"')
    expect(expanded.ExpandedRoles?.[0]?.Name).toBe('default-role')
  })
})
