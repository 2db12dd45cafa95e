import { GLOBAL_MANAGEMENT_POLICY_ID } from '@latchkey/acl'
import type { Changes } from '@latchkey/contract'
import { anId } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { BrokenAnswer, isSameContent, readChanges } from './received.ts'

const INDEXES = { CreateIndex: 1, ModifyIndex: 2 }
const POLICY = {
  ID: anId(1),
  Name: 'p',
  Description: '',
  Rules: '',
  Hash: 'h',
  ...INDEXES,
  Namespace: 'default',
}
const TOKEN = {
  AccessorID: anId(2),
  SecretID: anId(3),
  Description: '',
  Policies: [],
  Roles: [],
  ServiceIdentities: [],
  NodeIdentities: [],
  Rules: '',
  Type: '' as const,
  AuthMethod: '',
  AuthMethodNamespace: '',
  LoginIdentity: '',
  CreateTime: '2028-02-29T12:00:00Z',
  Hash: 'h',
  ...INDEXES,
  Namespace: 'default',
}

function anAnswer(fields: Partial<Changes> = {}): Changes {
  return {
    Cluster: anId(9),
    Datacenter: 'dc1',
    Index: 7,
    Time: '2028-02-29T12:00:00Z',
    Namespaces: [],
    Policies: [],
    Roles: [],
    Tokens: [],
    Deleted: { Namespaces: [], Policies: [], Roles: [], Tokens: [] },
    ...fields,
  }
}

const refusalOf = (answer: unknown): string => {
  try {
    readChanges(answer)
  } catch (error) {
    if (error instanceof BrokenAnswer) return error.message
    throw error
  }
  return expect.fail('it was accepted')
}

describe('an answer of the primary', () => {
  test('becomes records: tokens are global and belong to no auth method of this datacenter', () => {
    const read = readChanges(anAnswer({ Policies: [POLICY], Tokens: [TOKEN] }))
    expect(read).toMatchObject({ index: 7, isReset: false, hasMore: false })
    expect(read.policies).toEqual([{ ...POLICY, Datacenters: undefined }])
    expect(read.tokens).toEqual([
      { ...TOKEN, Local: false, AuthMethodGeneration: 0, ExpirationTime: undefined },
    ])
  })

  test('REP-23: from a newer version has its unknown fields dropped, and its built-in policy is kept', () => {
    const policy = { ...POLICY, ID: GLOBAL_MANAGEMENT_POLICY_ID, Colour: 'red' }
    const read = readChanges({ ...anAnswer(), Policies: [policy], Generation: 3 })
    expect(read.policies).toEqual([{ ...POLICY, ID: GLOBAL_MANAGEMENT_POLICY_ID, Datacenters: undefined }])
    expect(read.unknownFields.toSorted()).toEqual(['Colour', 'Generation'])
  })

  test.each([
    ['SecretID', '<hidden>', 'its secret is hidden'],
    ['SecretID', '', 'it has no secret'],
    ['AccessorID', '', 'it has no accessor'],
  ])('keeps aside a token whose %s is %j, and no other', (field, value, reason) => {
    const broken = { ...TOKEN, [field]: value }
    const other = { ...TOKEN, AccessorID: anId(4), SecretID: anId(5) }
    const { tokens, unusable } = readChanges(anAnswer({ Tokens: [broken, other] }))
    expect(tokens).toMatchObject([{ AccessorID: anId(4) }])
    expect(unusable).toEqual([{ accessorId: broken.AccessorID, reason }])
  })

  test('may have a token whose accessor and secret are the same ID', () => {
    const alike = { ...TOKEN, SecretID: TOKEN.AccessorID }
    expect(readChanges(anAnswer({ Tokens: [alike] })).tokens).toMatchObject([{ SecretID: TOKEN.AccessorID }])
  })

  test('REP-22: is refused completely for one invalid record', () => {
    const long = { ...POLICY, Description: 'x'.repeat(10_000_000) }
    expect(refusalOf(anAnswer({ Policies: [POLICY, long] }))).toBe('policy 1 is there twice')
    expect(refusalOf(anAnswer({ Policies: [long] }))).toBe('policy 0 is too long')
    expect(refusalOf(anAnswer({ Policies: [{ ...POLICY, ID: '' }] }))).toBe('policy 0 has a broken id')
    const proto = JSON.parse(
      JSON.stringify(anAnswer({ Policies: [POLICY] })).replace('"Rules"', '"__proto__"'),
    )
    expect(refusalOf(proto)).toContain('unexpected form at Policies.0')
    expect(refusalOf({ ...anAnswer(), Policies: [{ ...POLICY, Rules: 7 }] })).toContain('Policies.0.Rules')
    expect(refusalOf({ ...anAnswer(), Index: -1 })).toContain('Index')
    expect(refusalOf('no answer')).toContain('unexpected form')
    const both = { Namespaces: [], Policies: [POLICY.ID], Roles: [], Tokens: [] }
    expect(refusalOf(anAnswer({ Policies: [POLICY], Deleted: both }))).toBe('policy 0 is there twice')
  })

  test('is refused without showing a secret', () => {
    const same = { ...TOKEN, AccessorID: anId(4) }
    for (const broken of [{ ...TOKEN, Policies: anId(3) }, { ...TOKEN, Roles: [{ ID: 3 }] }, same]) {
      expect(refusalOf({ ...anAnswer(), Tokens: [TOKEN, broken] })).not.toContain(anId(3))
    }
  })
})

test('records are equal if only the datacenter-specific fields differ', () => {
  const { tokens } = readChanges(anAnswer({ Tokens: [TOKEN] }))
  const [token] = tokens
  if (!token) return expect.fail('no token')
  const { ExpirationTime: _, ...without } = token
  const stored = {
    ...without,
    ExpirationTime: undefined,
    CreateIndex: 8,
    ModifyIndex: 9,
    AuthMethodGeneration: 5,
  }
  expect(isSameContent(token, stored)).toBe(true)
  expect(isSameContent(token, { ...stored, Policies: [{ ID: anId(1) }] })).toBe(false)
  expect(isSameContent(token, { ...stored, Hash: '' })).toBe(false)
  return undefined
})
