import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { AuthorizerDefaults, PolicySource } from '@latchkey/acl'
import { Authorizer, pathsOf } from '@latchkey/acl'
import { expect, test } from 'vitest'
import { StepCounter } from '../turns.ts'
import { AuthorizerCache } from './authorizer-cache.ts'

const DENY = { defaultPolicy: 'deny' } as const
const counter = new StepCounter({ turns: { next: async () => {} } })

async function authorizerOf(
  cache: AuthorizerCache,
  sources: readonly PolicySource[],
  defaults: AuthorizerDefaults,
): Promise<Authorizer> {
  const { policies } = await cache.compile(sources, { ...defaults, counter })
  return new Authorizer(policies, () => pathsOf(sources))
}

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

test('tokens with the same policies share one compiled set, in any order of links', async () => {
  const cache = new AuthorizerCache(1_000_000)
  for (const sources of [
    [readA, denyA],
    [denyA, readA],
    [readA, denyA],
  ]) {
    expect((await authorizerOf(cache, sources, DENY)).decide(READ_A)).toBe(false)
  }
  expect(cache.size()).toMatchObject({ compiled: 1, texts: 2 })
})

test.each([
  ['an equal rule', 'key "a" { policy = "read" }', { policyName: 'first', line: 1 }],
  ['no readable text', 'key "a" {', undefined],
])(
  'with %s in two policies, the explanation names the first by name, whatever their IDs',
  async (_case, text, rule) => {
    for (const keys of [
      ['1', '2'],
      ['2', '1'],
    ] as const) {
      const cache = new AuthorizerCache(1_000_000)
      const sources = [
        aSource(keys[0], `\n${text}`, { policyName: 'second' }),
        aSource(keys[1], text, { policyName: 'first' }),
      ]
      const explanation = (await authorizerOf(cache, sources, DENY)).explain(READ_A)
      if (rule) expect(explanation).toMatchObject({ rule })
      else expect(explanation.path).toMatchObject({ reason: expect.stringMatching(/line 1/) })
    }
  },
)

test('the key covers everything that a decision depends on: sources, versions and default policy', async () => {
  const cache = new AuthorizerCache(1_000_000)
  expect((await authorizerOf(cache, [readA], DENY)).decide(READ_A)).toBe(true)
  expect((await authorizerOf(cache, [readA, denyA], DENY)).decide(READ_A)).toBe(false)
  expect((await authorizerOf(cache, [aSource('read@2', '')], DENY)).decide(READ_A)).toBe(false)
  expect((await authorizerOf(cache, [], DENY)).decide(READ_A)).toBe(false)
  expect((await authorizerOf(cache, [], { defaultPolicy: 'allow' })).decide(READ_A)).toBe(true)
  expect(cache.size().compiled).toBe(5)
})

test('keys never collide, whatever characters they contain', async () => {
  const cache = new AuthorizerCache(1_000_000)
  expect((await authorizerOf(cache, [readA, denyA], DENY)).decide(READ_A)).toBe(false)
  for (const separator of ['\0', ',', '","']) {
    expect(
      (await authorizerOf(cache, [aSource(`deny${separator}read`, readA.text)], DENY)).decide(READ_A),
    ).toBe(true)
  }
})

test('tokens that share a set keep their own paths to it', async () => {
  const cache = new AuthorizerCache(1_000_000)
  const role = { id: 'r', name: 'ops' }
  const direct = await authorizerOf(cache, [readA], DENY)
  const throughRole = await authorizerOf(cache, [{ ...readA, path: { via: 'policy', role } }], DENY)
  expect(direct.explain(READ_A).path).toEqual({ via: 'policy' })
  expect(throughRole.explain(READ_A).path).toEqual({ via: 'policy', role })
  expect(cache.size().compiled).toBe(1)
})

test('evicts the least recently used set and text', async () => {
  const one = new AuthorizerCache(1_000_000)
  await authorizerOf(one, [readA], DENY)
  // Half of the bound is for compiled sets, which fits two of them but not three.
  const cache = new AuthorizerCache(3.5 * one.size().bytes)
  const policiesOf = async (source: PolicySource) => (await authorizerOf(cache, [source], DENY)).policies
  const [read, deny] = [await policiesOf(readA), await policiesOf(denyA)]
  expect(await policiesOf(readA)).toBe(read)
  await policiesOf(aSource('third', readA.text))
  expect(cache.size().bytes).toBeLessThanOrEqual(3.5 * one.size().bytes)
  expect(await policiesOf(readA)).toBe(read)
  expect(await policiesOf(denyA)).not.toBe(deny)
})

test('DOS-05: the cache is bounded in bytes for many sets and for long ones', async () => {
  const bytesMax = 4_000_000
  const cache = new AuthorizerCache(bytesMax)
  for (const rules of [1, 100, 3_000]) {
    for (let i = 0; i < 200; i++) {
      const text = Array.from({ length: rules }, (_, j) => `key "${i}/${j}" { policy = "read" }`).join('\n')
      await authorizerOf(cache, [aSource(`${rules}/${i}`, text)], DENY)
      if (rules === 3_000 && i === 9) break
    }
    expect(cache.size().bytes).toBeLessThanOrEqual(bytesMax)
    expect(cache.size().compiled).toBeGreaterThan(0)
  }
})

test('the memory estimate is between one and three times the heap usage', async () => {
  const gc = garbageCollector()
  const cache = new AuthorizerCache(500_000_000)
  const count = 30
  gc()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < count; i++) {
    const text = Array.from({ length: 2_000 }, (_, j) => `service "${i}/${j}" { policy = "read" }`).join('\n')
    await authorizerOf(cache, [aSource(`policy ${i}`, text)], DENY)
  }
  gc()
  const used = process.memoryUsage().heapUsed - before
  expect(cache.size().compiled).toBe(count)
  expect(cache.size().bytes).toBeGreaterThan(used)
  expect(cache.size().bytes).toBeLessThan(3 * used)
})

test('keeps a set above the bound until the next one, so that requests do not recompile it', async () => {
  const cache = new AuthorizerCache(10)
  expect((await authorizerOf(cache, [readA], DENY)).policies).toBe(
    (await authorizerOf(cache, [readA], DENY)).policies,
  )
  expect(cache.size()).toMatchObject({ compiled: 1, texts: 0 })
})

test('sets of many sources have distinct keys of bounded length', async () => {
  const cache = new AuthorizerCache(100_000_000)
  const options = { datacenter: 'dc1', ...DENY, counter }
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
    const { key } = await cache.find(token, lookup, options)
    expect(key.length).toBeLessThanOrEqual(1_024)
    expect(
      cache
        .cached(key)
        ?.decide({ resource: 'service', segment: `${'s'.repeat(200)}${count - 1}`, access: 'write' }),
    ).toBe(true)
    keys.add(key)
  }
  expect(keys.size).toBe(60)
})

test('parses stored texts leniently, so that stricter parsing does not revoke rights', async () => {
  const cache = new AuthorizerCache(1_000_000)
  const old = aSource('old', 'sentinel "x" {}\nkey "a" { policy = "read" sentinel {} }')
  expect((await authorizerOf(cache, [old], DENY)).decide(READ_A)).toBe(true)
})

test('an unreadable stored text denies everything, even under default allow', async () => {
  const cache = new AuthorizerCache(1_000_000)
  const authorizer = await authorizerOf(cache, [readA, aSource('broken', 'key "a" {')], {
    defaultPolicy: 'allow',
  })
  expect(authorizer.decide(READ_A)).toBe(false)
  expect(authorizer.explain(READ_A).path).toMatchObject({
    via: 'unreadable',
    reason: expect.stringContaining('line 1'),
  })
})

test('parses legacy rules in the legacy dialect', async () => {
  const cache = new AuthorizerCache(1_000_000)
  const legacy = aSource('legacy', 'key "" { policy = "read" } acl = "write"', { dialect: 'legacy' })
  const authorizer = await authorizerOf(cache, [legacy], DENY)
  expect([authorizer.decide(READ_A), authorizer.aclRead]).toEqual([true, false])
})
