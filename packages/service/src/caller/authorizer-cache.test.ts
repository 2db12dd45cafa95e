import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { PolicySource } from '@latchkey/acl'
import { atOnce } from '@latchkey/acl'
import { expect, test } from 'vitest'
import { createAuthorizerCache } from './authorizer-cache.ts'

const DENY = { defaultPolicy: 'deny' } as const
const READ_A = { resource: 'key', segment: 'a', access: 'read' } as const

function aSource(key: string, text: string, fields: Partial<PolicySource> = {}): PolicySource {
  return { key, policyId: key, policyName: key, path: { via: 'policy' }, text, dialect: 'current', ...fields }
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

const readA = aSource('read', 'key "a" { policy = "read" }')
const denyA = aSource('deny', 'key "a" { policy = "deny" }')

test('tokens with the same policies share one compiled set, in any order of links', () => {
  const cache = createAuthorizerCache({ bytesMax: 1_000_000 })
  for (const sources of [
    [readA, denyA],
    [denyA, readA],
    [readA, denyA],
  ]) {
    expect(cache.authorizer(sources, DENY).decide(READ_A)).toBe(false)
  }
  expect(cache.size()).toMatchObject({ compiled: 1, texts: 2 })
})

test.each([
  ['an equal rule', 'key "a" { policy = "read" }', { policyName: 'first', line: 1 }],
  ['no readable text', 'key "a" {', undefined],
])(
  'with %s in two policies, the explanation names the first by name, whatever their IDs',
  (_case, text, rule) => {
    for (const keys of [
      ['1', '2'],
      ['2', '1'],
    ] as const) {
      const cache = createAuthorizerCache({ bytesMax: 1_000_000 })
      const sources = [
        aSource(keys[0], `\n${text}`, { policyName: 'second' }),
        aSource(keys[1], text, { policyName: 'first' }),
      ]
      const explanation = atOnce(cache.authorizer(sources, DENY).explain(READ_A))
      if (rule) expect(explanation).toMatchObject({ rule })
      else expect(explanation.path).toMatchObject({ reason: expect.stringMatching(/line 1/) })
    }
  },
)

test('the key covers everything that a decision depends on: sources, versions and default policy', () => {
  const cache = createAuthorizerCache({ bytesMax: 1_000_000 })
  expect(cache.authorizer([readA], DENY).decide(READ_A)).toBe(true)
  expect(cache.authorizer([readA, denyA], DENY).decide(READ_A)).toBe(false)
  expect(cache.authorizer([aSource('read@2', '')], DENY).decide(READ_A)).toBe(false)
  expect(cache.authorizer([], DENY).decide(READ_A)).toBe(false)
  expect(cache.authorizer([], { defaultPolicy: 'allow' }).decide(READ_A)).toBe(true)
  expect(cache.size().compiled).toBe(5)
})

test('keys never collide, whatever characters they contain', () => {
  const cache = createAuthorizerCache({ bytesMax: 1_000_000 })
  expect(cache.authorizer([readA, denyA], DENY).decide(READ_A)).toBe(false)
  for (const separator of ['\0', ',', '","']) {
    expect(cache.authorizer([aSource(`deny${separator}read`, readA.text)], DENY).decide(READ_A)).toBe(true)
  }
})

test('tokens that share a set keep their own paths to it', () => {
  const cache = createAuthorizerCache({ bytesMax: 1_000_000 })
  const role = { id: 'r', name: 'ops' }
  const direct = cache.authorizer([readA], DENY)
  const throughRole = cache.authorizer([{ ...readA, path: { via: 'policy', role } }], DENY)
  expect(atOnce(direct.explain(READ_A)).path).toEqual({ via: 'policy' })
  expect(atOnce(throughRole.explain(READ_A)).path).toEqual({ via: 'policy', role })
  expect(cache.size().compiled).toBe(1)
})

test('evicts the least recently used set and text', () => {
  const one = createAuthorizerCache({ bytesMax: 1_000_000 })
  one.authorizer([readA], DENY)
  // Half of the bound is for compiled sets, which fits two of them but not three.
  const cache = createAuthorizerCache({ bytesMax: 3.5 * one.size().bytes })
  const policiesOf = (source: PolicySource) => cache.authorizer([source], DENY).policies
  const [read, deny] = [policiesOf(readA), policiesOf(denyA)]
  expect(policiesOf(readA)).toBe(read)
  policiesOf(aSource('third', readA.text))
  expect(cache.size().bytes).toBeLessThanOrEqual(3.5 * one.size().bytes)
  expect(policiesOf(readA)).toBe(read)
  expect(policiesOf(denyA)).not.toBe(deny)
})

test('DOS-05: the cache is bounded in bytes for many sets and for long ones', () => {
  const bytesMax = 4_000_000
  const cache = createAuthorizerCache({ bytesMax })
  for (const rules of [1, 100, 3_000]) {
    for (let i = 0; i < 200; i++) {
      const text = Array.from({ length: rules }, (_, j) => `key "${i}/${j}" { policy = "read" }`).join('\n')
      cache.authorizer([aSource(`${rules}/${i}`, text)], DENY)
      if (rules === 3_000 && i === 9) break
    }
    expect(cache.size().bytes).toBeLessThanOrEqual(bytesMax)
    expect(cache.size().compiled).toBeGreaterThan(0)
  }
})

test('the memory estimate is between one and three times the heap usage', () => {
  const gc = garbageCollector()
  const cache = createAuthorizerCache({ bytesMax: 500_000_000 })
  const count = 30
  gc()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < count; i++) {
    const text = Array.from({ length: 2_000 }, (_, j) => `service "${i}/${j}" { policy = "read" }`).join('\n')
    cache.authorizer([aSource(`policy ${i}`, text)], DENY)
  }
  gc()
  const used = process.memoryUsage().heapUsed - before
  expect(cache.size().compiled).toBe(count)
  expect(cache.size().bytes).toBeGreaterThan(used)
  expect(cache.size().bytes).toBeLessThan(3 * used)
})

test('keeps a set above the bound until the next one, so that requests do not recompile it', () => {
  const cache = createAuthorizerCache({ bytesMax: 10 })
  expect(cache.authorizer([readA], DENY).policies).toBe(cache.authorizer([readA], DENY).policies)
  expect(cache.size()).toMatchObject({ compiled: 1, texts: 0 })
})

test('sets of many sources have distinct keys of bounded length', () => {
  const cache = createAuthorizerCache({ bytesMax: 100_000_000 })
  const options = { datacenter: 'dc1', ...DENY }
  const keys = new Set<string>()
  for (let count = 1; count <= 60; count++) {
    const ServiceIdentities = Array.from({ length: count }, (_, i) => ({
      ServiceName: `${'s'.repeat(200)}${i}`,
    }))
    const token = {
      Policies: [],
      Roles: [],
      ServiceIdentities,
      NodeIdentities: [],
      Rules: '',
      Type: '',
    } as const
    const lookup = { policy: () => undefined, role: () => undefined }
    const { key } = atOnce(cache.find(token, lookup, options))
    expect(key.length).toBeLessThanOrEqual(1_024)
    expect(
      cache
        .kept(key)
        ?.decide({ resource: 'service', segment: `${'s'.repeat(200)}${count - 1}`, access: 'write' }),
    ).toBe(true)
    keys.add(key)
  }
  expect(keys.size).toBe(60)
})

test('parses stored texts leniently, so that stricter parsing does not revoke rights', () => {
  const cache = createAuthorizerCache({ bytesMax: 1_000_000 })
  const old = aSource('old', 'sentinel "x" {}\nkey "a" { policy = "read" sentinel {} }')
  expect(cache.authorizer([old], DENY).decide(READ_A)).toBe(true)
})

test('an unreadable stored text denies everything, even under default allow', () => {
  const cache = createAuthorizerCache({ bytesMax: 1_000_000 })
  const authorizer = cache.authorizer([readA, aSource('broken', 'key "a" {')], { defaultPolicy: 'allow' })
  expect(authorizer.decide(READ_A)).toBe(false)
  expect(atOnce(authorizer.explain(READ_A)).path).toMatchObject({
    via: 'unreadable',
    reason: expect.stringContaining('line 1'),
  })
})

test('parses legacy rules in the legacy dialect', () => {
  const cache = createAuthorizerCache({ bytesMax: 1_000_000 })
  const legacy = aSource('legacy', 'key "" { policy = "read" } acl = "write"', { dialect: 'legacy' })
  const authorizer = cache.authorizer([legacy], DENY)
  expect([authorizer.decide(READ_A), authorizer.aclRead]).toEqual([true, false])
})

test('authorizerOf collects the sources of a token', () => {
  const cache = createAuthorizerCache({ bytesMax: 1_000_000 })
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
