import { tokenListEntrySchema, tokenSchema } from '@latchkey/contract'
import { aDirectory } from '@latchkey/testkit/records/context'
import { aPolicy, aRole, aToken } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { type ShowContext, showToken, showTokenListEntry } from './show-token.ts'

const policy = aPolicy({ Name: 'reader' })
const role = aRole({ Name: 'ops' })
const directory = aDirectory({ policies: [policy], roles: [role] })
const full = aToken({
  Description: 'd',
  Policies: [{ ID: policy.ID }],
  Roles: [{ ID: role.ID }],
  ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc1'] }],
  NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
  Rules: 'key "" { policy = "read" }',
  Type: 'client',
  AuthMethod: 'oidc',
  AuthMethodNamespace: 'team',
  ExpirationTime: '2028-02-29T12:00:00Z',
  Namespace: 'team',
})
const seen: ShowContext = { directory, showSecret: true, showNamespace: true }

describe('keys are in the order of the contract (decisions: record shapes)', () => {
  test('all of them, if all have a value', () => {
    expect(Object.keys(showToken(full, seen))).toEqual(Object.keys(tokenSchema.shape))
    expect(tokenSchema.parse(showToken(full, seen))).toEqual(showToken(full, seen))
  })

  test('a list entry has no rules, but says whether the token has some', () => {
    const entry = showTokenListEntry(full, seen)
    expect(Object.keys(entry)).toEqual(Object.keys(tokenListEntrySchema.shape))
    expect(entry.Legacy).toBe(true)
    const { Rules: _, ...plain } = full
    expect(showTokenListEntry({ ...plain, Rules: '' }, seen)).not.toHaveProperty('Legacy')
  })

  test('the type of a legacy token and a lifetime never show', () => {
    const shown = { ...showToken(full, seen), ...showTokenListEntry(full, seen) }
    expect(shown).not.toHaveProperty('Type')
    expect(shown).not.toHaveProperty('ExpirationTTL')
  })
})
