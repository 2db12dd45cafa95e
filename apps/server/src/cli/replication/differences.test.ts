import type { Changes } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { Comparison, summarize } from './differences.ts'

const A = '6a1253d2-1785-24fd-91c2-f8e78c745511'
const B = '6a1253d2-1785-24fd-91c2-f8e78c745512'
const POLICY = '6a1253d2-1785-24fd-91c2-f8e78c745513'

function aPage(parts: Partial<Changes>): Changes {
  return {
    Cluster: 'c',
    Datacenter: 'dc1',
    Index: 1,
    Time: '2028-02-29T12:00:00Z',
    Namespaces: [],
    Policies: [],
    Roles: [],
    Tokens: [],
    Deleted: { Namespaces: [], Policies: [], Roles: [], Tokens: [] },
    ...parts,
  }
}

function aToken(
  AccessorID: string,
  parts: Partial<Changes['Tokens'][number]> = {},
): Changes['Tokens'][number] {
  return {
    AccessorID,
    SecretID: `secret of ${AccessorID}`,
    Description: 'a token',
    Policies: [],
    Roles: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    Rules: '',
    Type: '',
    AuthMethod: '',
    AuthMethodNamespace: '',
    LoginIdentity: '',
    CreateTime: '2028-02-29T11:00:00Z',
    Hash: 'h',
    CreateIndex: 5,
    ModifyIndex: 6,
    Namespace: 'default',
    ...parts,
  }
}

const aPolicy = (Rules: string) => ({
  ...{ ID: POLICY, Name: 'p', Description: '', Rules, Hash: 'h', CreateIndex: 1, ModifyIndex: 1 },
  Namespace: 'default',
})

test('lists what is missing or different, and never a secret; indexes are ignored', () => {
  const comparison = new Comparison()
  comparison.add(
    summarize(
      aPage({ Tokens: [aToken(A, { CreateIndex: 900, ModifyIndex: 901 })], Policies: [aPolicy('')] }),
    ),
  )
  const old = aPage({ Tokens: [aToken(A), aToken(B)], Policies: [aPolicy('acl = "read"')] })
  const found = comparison.differences(summarize(old))
  expect(found.map(({ is, record: { kind, key } }) => [is, kind, key])).toEqual([
    ['different', 'policy', POLICY],
    ['missing', 'token', B],
  ])
  expect(JSON.stringify(found)).not.toContain('secret')
})

test('a token that differs only in its secret is different', () => {
  const comparison = new Comparison()
  comparison.add(summarize(aPage({ Tokens: [aToken(A)] })))
  const [found] = comparison.differences(summarize(aPage({ Tokens: [aToken(A, { SecretID: 'another' })] })))
  expect(found).toMatchObject({ is: 'different', record: { key: A, label: 'a token' } })
})

test('an expired token of the old primary is not missing', () => {
  const at = (ExpirationTime: string) => summarize(aPage({ Tokens: [aToken(A, { ExpirationTime })] }))
  expect(new Comparison().differences(at('2028-02-29T12:00:00Z'))).toEqual([])
  expect(new Comparison().differences(at('2028-02-29T12:00:01Z'))).toHaveLength(1)
})
