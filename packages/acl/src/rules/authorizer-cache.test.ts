import { expect, test } from 'vitest'
import { createAuthorizerCache } from './authorizer-cache.ts'
import type { PolicySource } from './policy-source.ts'

const DENY = { defaultPolicy: 'deny' } as const
const READ_A = { resource: 'key', segment: 'a', access: 'read' } as const

function aSource(key: string, text: string, fields: Partial<PolicySource> = {}): PolicySource {
  return { key, policyId: key, policyName: key, path: { via: 'policy' }, text, dialect: 'current', ...fields }
}

const readA = aSource('read', 'key "a" { policy = "read" }')
const denyA = aSource('deny', 'key "a" { policy = "deny" }')

test('one compiled set serves every token that has it, in whatever order its links are', () => {
  const cache = createAuthorizerCache({ maxEntries: 10 })
  for (const sources of [
    [readA, denyA],
    [denyA, readA],
    [readA, denyA],
  ]) {
    expect(cache.authorizer(sources, DENY).decide(READ_A)).toBe(false)
  }
  expect(cache.size()).toEqual({ compiled: 1, texts: 2 })
})

test('the key holds everything that a decision depends on: sources, versions and default policy', () => {
  const cache = createAuthorizerCache({ maxEntries: 10 })
  expect(cache.authorizer([readA], DENY).decide(READ_A)).toBe(true)
  expect(cache.authorizer([readA, denyA], DENY).decide(READ_A)).toBe(false)
  expect(cache.authorizer([aSource('read@2', '')], DENY).decide(READ_A)).toBe(false)
  expect(cache.authorizer([], DENY).decide(READ_A)).toBe(false)
  expect(cache.authorizer([], { defaultPolicy: 'allow' }).decide(READ_A)).toBe(true)
  expect(cache.size().compiled).toBe(5)
})

test('keys are kept apart, whatever characters they hold', () => {
  const cache = createAuthorizerCache({ maxEntries: 10 })
  expect(cache.authorizer([readA, denyA], DENY).decide(READ_A)).toBe(false)
  for (const separator of ['\0', ',', '","']) {
    expect(cache.authorizer([aSource(`deny${separator}read`, readA.text)], DENY).decide(READ_A)).toBe(true)
  }
})

test('tokens that share a set keep their own ways to it', () => {
  const cache = createAuthorizerCache({ maxEntries: 10 })
  const role = { id: 'r', name: 'ops' }
  const direct = cache.authorizer([readA], DENY)
  const throughRole = cache.authorizer([{ ...readA, path: { via: 'policy', role } }], DENY)
  expect(direct.explain(READ_A).path).toEqual({ via: 'policy' })
  expect(throughRole.explain(READ_A).path).toEqual({ via: 'policy', role })
  expect(cache.size().compiled).toBe(1)
})

test('is bounded: the set and the text used longest ago go first', () => {
  const cache = createAuthorizerCache({ maxEntries: 2, maxTextLength: 2 * (readA.text.length + 1) })
  cache.authorizer([readA], DENY)
  cache.authorizer([denyA], DENY)
  cache.authorizer([readA], DENY)
  cache.authorizer([readA, denyA], DENY)
  expect(cache.size()).toEqual({ compiled: 2, texts: 2 })
  cache.authorizer([aSource('third', readA.text)], DENY)
  expect(cache.size()).toEqual({ compiled: 2, texts: 2 })
})

test('a text larger than the bound is used and not kept', () => {
  const cache = createAuthorizerCache({ maxEntries: 2, maxTextLength: 3 })
  expect(cache.authorizer([readA], DENY).decide(READ_A)).toBe(true)
  expect(cache.size()).toEqual({ compiled: 1, texts: 0 })
})

test('stored texts are read leniently: what would be refused now does not take rights away', () => {
  const cache = createAuthorizerCache({ maxEntries: 2 })
  const old = aSource('old', 'sentinel "x" {}\nkey "a" { policy = "read" sentinel {} }')
  expect(cache.authorizer([old], DENY).decide(READ_A)).toBe(true)
})

test('a stored text that cannot be read denies everything, under default allow too (upgrade reference 3.2)', () => {
  const cache = createAuthorizerCache({ maxEntries: 2 })
  const authorizer = cache.authorizer([readA, aSource('broken', 'key "a" {')], { defaultPolicy: 'allow' })
  expect(authorizer.decide(READ_A)).toBe(false)
  expect(authorizer.explain(READ_A).path).toMatchObject({
    via: 'unreadable',
    reason: expect.stringContaining('line 1'),
  })
})

test('legacy rules are read as legacy rules', () => {
  const cache = createAuthorizerCache({ maxEntries: 2 })
  const legacy = aSource('legacy', 'key "" { policy = "read" } acl = "write"', { dialect: 'legacy' })
  const authorizer = cache.authorizer([legacy], DENY)
  expect([authorizer.decide(READ_A), authorizer.aclRead]).toEqual([true, false])
})

test('authorizerOf finds the sources by itself', () => {
  const cache = createAuthorizerCache({ maxEntries: 2 })
  const token = {
    Policies: [],
    Roles: [],
    ServiceIdentities: [{ ServiceName: 'web' }],
    NodeIdentities: [],
    Rules: '',
    Type: '',
  } as const
  const lookup = { policy: () => undefined, role: () => undefined }
  const authorizer = cache.authorizerOf(token, lookup, { datacenter: 'dc1', ...DENY })
  expect(authorizer.decide({ resource: 'service', segment: 'web', access: 'write' })).toBe(true)
})
