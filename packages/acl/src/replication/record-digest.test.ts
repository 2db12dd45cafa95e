import { aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { RecordDigest } from './record-digest.ts'

const digestOf = (...tokens: ReturnType<typeof aToken>[]) => {
  const digest = new RecordDigest()
  for (const token of tokens) digest.add('tokens', token)
  return digest.of('tokens')
}

describe('a digest of records', () => {
  const [a, b] = [aToken(), aToken()]

  test('does not depend on their order', () => {
    expect(digestOf(a, b)).toEqual(digestOf(b, a))
    expect(digestOf(a, b)).toMatchObject({ count: 2 })
    expect(digestOf()).toEqual({ count: 0, hash: '0'.repeat(64) })
  })

  test('is the same for what each datacenter has of its own', () => {
    const own = { CreateIndex: 98, ModifyIndex: 99, AuthMethodGeneration: 7 }
    expect(digestOf({ ...a, ...own })).toEqual(digestOf(a))
    const { ExpirationTime: _, ...without } = a
    expect(digestOf(without as typeof a)).toEqual(digestOf(a))
    const service = { ServiceName: 'web', Datacenters: ['dc1'] }
    const turned = { Datacenters: ['dc1'], ServiceName: 'web' }
    expect(digestOf({ ...a, ServiceIdentities: [turned] })).toEqual(
      digestOf({ ...a, ServiceIdentities: [service] }),
    )
  })

  test('differs with every other field, and with a record more or less', () => {
    const changes: Partial<typeof a>[] = [
      { SecretID: b.SecretID },
      { AccessorID: b.AccessorID },
      { Description: 'other' },
      { Policies: [{ ID: 'x' }] },
      { Roles: [{ ID: 'x' }] },
      { ExpirationTime: '2030-01-01T00:00:00Z' },
      { Rules: 'x' },
      { Namespace: 'team' },
      { LoginIdentity: 'me' },
    ]
    const hashes = [{}, ...changes].map((change) => digestOf({ ...a, ...change }).hash)
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(digestOf(a).hash).not.toBe(digestOf(a, b).hash)
    const policies = new RecordDigest()
    policies.add('policies', aPolicy())
    expect(policies.of('policies').count).toBe(1)
    expect(policies.of('roles').count).toBe(0)
  })
})
