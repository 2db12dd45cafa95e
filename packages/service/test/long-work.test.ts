/**
 * Who-can, what-if and rights of tokens with many links: long work takes turns, ends when its client disconnects, and is
 * shared.
 */

import { type TokenRecord, unsignedToken } from '@latchkey/acl'
import { type AuthorizeAnswer, limits } from '@latchkey/contract'
import type { Turns } from '@latchkey/service'
import { putOf } from '@latchkey/testkit/records/changes'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { many } from '@latchkey/testkit/rules/long-texts'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'

const QUESTION = { Resource: 'key', Segment: 'a', Access: 'read' }
const WHO_CAN = '/internal/acl/who-can'

class CountingTurns implements Turns {
  count = 0
  /** Called in every turn. */
  onTurn: () => void = () => {}

  async next(): Promise<void> {
    this.count += 1
    this.onTurn()
  }
}

/** Tokens that each have their own policy, which grants reading `a`. */
async function withOwnPolicies(world: World, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const Rules = Array.from({ length: 20 }, (_, j) => `key "${i}/${j}" { policy = "read" }`).join('\n')
    await world.secretWith(`${Rules}\nkey "a" { policy = "read" }`)
  }
}

describe('who-can', () => {
  test('DOS-05: uncached rights take one turn per token, cached ones share turns', async () => {
    const turns = new CountingTurns()
    const world = await aWorld({ turns })
    await withOwnPolicies(world, 30)
    const ask = () => world.ask('POST', WHO_CAN, { token: MANAGEMENT, body: QUESTION })
    const before = turns.count
    expect((await ask()).json).toHaveLength(31)
    expect(turns.count - before).toBeGreaterThanOrEqual(30)
    const known = turns.count
    expect((await ask()).json).toHaveLength(31)
    expect(turns.count - known).toBeLessThanOrEqual(2)
  })

  test('DOS-05: stops when its client disconnects', async () => {
    const turns = new CountingTurns()
    const world = await aWorld({ turns })
    await withOwnPolicies(world, 30)
    const client = new AbortController()
    const started = turns.count
    turns.onTurn = () => {
      if (turns.count === started + 5) client.abort()
    }
    const reply = await world.ask('POST', WHO_CAN, {
      token: MANAGEMENT,
      body: QUESTION,
      signal: client.signal,
    })
    expect(reply).toMatchObject({ status: 503, code: 'unavailable' })
    expect(turns.count).toBe(started + 5)
  })

  test('DOS-05: few scans run concurrently, some wait, and the next is refused with Retry-After', async () => {
    const world = await aWorld()
    const ask = () => world.ask('POST', WHO_CAN, { token: MANAGEMENT, body: QUESTION })
    const replies = await Promise.all(Array.from({ length: 100 }, ask))
    const refused = replies.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    for (const { headers } of refused) expect(headers['Retry-After']).toBe('1')
    expect((await ask()).status).toBe(200)
  })

  test('DOS-05: a page ends after a bounded number of steps, and the cursors reach every token', async () => {
    const turns = new CountingTurns()
    const world = await aWorld({ turns })
    // Each takes a tenth of them to compile.
    const long = Array.from({ length: 3_500 }, (_, j) => `key "${j}" { policy = "read" }`).join('\n')
    const secrets = 16
    for (let i = 0; i < secrets; i++) await world.secretWith(`${long}\nkey "a" { policy = "read" } # ${i}`)
    let found = 0
    let pages = 0
    for (let cursor = ''; ; pages++) {
      const path = cursor === '' ? WHO_CAN : `${WHO_CAN}?cursor=${cursor}`
      const reply = await world.ask('POST', path, { token: MANAGEMENT, body: QUESTION })
      found += (reply.json as unknown[]).length
      const next = reply.headers['X-Service-Next-Cursor']
      if (next === undefined) break
      cursor = next
    }
    expect(found).toBe(secrets + 1)
    expect(pages).toBeGreaterThan(0)
  })
})

test('DOS-05: what-if stops when its client disconnects', async () => {
  const turns = new CountingTurns()
  const world = await aWorld({ turns })
  const { ID } = await world.policy({ Name: 'shared', Rules: 'key "a" { policy = "read" }' })
  for (let i = 0; i < 30; i++)
    await world.token({ Policies: [{ ID }], ServiceIdentities: [{ ServiceName: `s${i}` }] })
  const client = new AbortController()
  const started = turns.count
  turns.onTurn = () => {
    if (turns.count === started + 5) client.abort()
  }
  const body = { Rules: 'key "a" { policy = "write" }' }
  const options = { token: MANAGEMENT, body, signal: client.signal }
  const reply = await world.ask('POST', `/acl/policy/${ID}/what-if`, options)
  expect(reply).toMatchObject({ status: 503, code: 'unavailable' })
  expect(turns.count).toBe(started + 5)
})

/** A token of many roles, each with many policies. */
async function withRoles(world: World, counts: { roles: number; policies: number }): Promise<TokenRecord> {
  const policies: { ID: string }[] = []
  for (let i = 0; i < counts.policies; i++) {
    policies.push(await world.policy({ Name: `p${i}`, Rules: `key "${i}" { policy = "read" }` }))
  }
  const Policies = policies.map(({ ID }) => ({ ID }))
  const Roles: { ID: string }[] = []
  for (let i = 0; i < counts.roles; i++) Roles.push(await world.role({ Name: `r${i}`, Policies }))
  const token = aToken({ Roles: Roles.map(({ ID }) => ({ ID })) })
  await world.store.commit([putOf('tokens', token, 0)])
  return token
}

describe('a token of many roles with many policies', () => {
  const checks = [
    { Resource: 'key', Segment: '0', Access: 'read' },
    { Resource: 'key', Segment: '0', Access: 'write' },
  ]
  const askAs = (world: World, token: string) =>
    world.ask('POST', '/internal/acl/authorize', { token, body: checks })

  test('DOS-05: its rights are resolved once for concurrent requests', async () => {
    const turns = new CountingTurns()
    const world = await aWorld({ turns })
    const { SecretID } = await withRoles(world, { roles: 60, policies: 60 })
    const started = turns.count
    const replies = await Promise.all(Array.from({ length: 20 }, () => askAs(world, SecretID)))
    for (const reply of replies) {
      expect((reply.json as { Allow: boolean }[]).map(({ Allow }) => Allow)).toEqual([true, false])
    }
    const took = turns.count - started
    expect(took).toBeGreaterThan(0)
    expect(took).toBeLessThan(10)
    await askAs(world, SecretID)
    expect(turns.count - started).toBe(took)
  })

  test('all checks are explained by the first path to the deciding rule', async () => {
    const world = await aWorld()
    const { SecretID } = await withRoles(world, { roles: 60, policies: 60 })
    const body = Array.from({ length: 64 }, () => checks)
      .flat()
      .slice(0, 64)
    const reply = await world.ask('POST', '/internal/acl/authorize?explain', { token: SecretID, body })
    expect(reply.json).toMatchObject([
      { Explanation: { Path: ['role r0', 'policy p0'] } },
      { Allow: false },
      ...Array(62).fill({}),
    ])
  })

  test('its requests are answered even if the directory changes faster than its rights can be resolved', async () => {
    const turns = new CountingTurns()
    const world = await aWorld({ turns })
    const { SecretID } = await withRoles(world, { roles: 60, policies: 60 })
    let writes = 0
    turns.onTurn = () => {
      writes += 1
      if (writes < 1_000) void world.policy({ Name: `other-${writes}` })
    }
    expect((await askAs(world, SecretID)).status).toBe(200)
    expect(writes).toBeLessThan(500)
  })
})

test('DOS-05: long checks are explained in turns, and their segments are not repeated in full', async () => {
  const turns = new CountingTurns()
  const world = await aWorld({ turns })
  const Segment = 'k'.repeat(limits.SEGMENT_BYTES_MAX)
  const token = await world.secretWith(`key "${Segment}${Segment}" { policy = "read" }`)
  const body = Array.from({ length: 64 }, () => ({ Resource: 'key', Segment, Access: 'write-prefix' }))
  const before = turns.count
  const reply = await world.ask('POST', '/internal/acl/authorize?explain', { token, body })
  expect(turns.count - before).toBeGreaterThanOrEqual(16)
  const [answer] = reply.json as AuthorizeAnswer[]
  const shown = `${'k'.repeat(limits.EXPLAINED_SEGMENT_LENGTH_MAX)}…`
  expect(answer).toMatchObject({
    Segment,
    Explanation: { Rule: { Segment: shown }, Missing: { Segment: shown } },
  })
})

test('a token whose rule texts exceed the bound has no rights, and explain says why', async () => {
  const world = await aWorld({ defaultPolicy: 'allow' })
  const Policies: { ID: string }[] = []
  for (let i = 0; i < 33; i++) {
    const { ID } = await world.policy({
      Name: `p${i}`,
      Rules: `key "a" { policy = "write" } #${'x'.repeat(130_000)}`,
    })
    Policies.push({ ID })
  }
  const most = await world.token({ Policies: Policies.slice(0, 32) })
  const more = await world.token({ Policies })
  const allowed = async (token: string) => {
    const reply = await world.ask('POST', '/internal/acl/authorize?explain', { token, body: [QUESTION] })
    return (reply.json as { Allow: boolean; Explanation: { Path: string[] } }[])[0]
  }
  expect((await allowed(most.SecretID))?.Allow).toBe(true)
  const refused = await allowed(more.SecretID)
  expect(refused?.Allow).toBe(false)
  expect(refused?.Explanation.Path[0]).toContain('4194304')
})

describe('a checked legacy import', () => {
  const PATH = '/internal/acl/legacy-tokens?check'
  /** At least one turn per 16 KiB of the list, and one per record with a long text. */
  const LISTS: Readonly<Record<string, readonly [list: readonly object[], turnsMin: number]>> = {
    'many tokens': [
      Array.from({ length: 3_000 }, (_, i) => ({ ID: `id-${i}`, Name: `n${i}`, Type: 'client' })),
      40,
    ],
    'long rules': [[{ ID: 'a', Rules: many(125_000, (i) => `key "${i}" { policy = "read" }\n`) }], 10],
  }

  test.each(Object.entries(LISTS))(
    'DOS-05: is read and compared in turns: %s',
    async (_, [list, turnsMin]) => {
      const turns = new CountingTurns()
      const world = await aWorld({ turns, version: '1.10.12' })
      const before = turns.count
      expect(await world.manage('PUT', PATH, list)).toMatchObject({ Imported: list.length })
      expect(turns.count - before).toBeGreaterThan(turnsMin)
    },
  )
})

test('DOS-05: an explanation and a login take turns to match rules', async () => {
  const turns = new CountingTurns()
  const world = await aWorld({ turns })
  const Config = { JWTValidationPubKeys: ['any'], ClaimMappings: { team: 'team' } }
  await world.manage('PUT', '/acl/auth-method?check=false', { Name: 'ci', Type: 'jwt', Config })
  const [rules, patterns] = [20, 32]
  for (let i = 0; i < rules; i += 1) {
    const rule = {
      AuthMethod: 'ci',
      BindType: 'service',
      BindName: 'web',
      Selector: Array.from({ length: patterns }, () => `value.team matches "a${i}"`).join(' and '),
    }
    await world.manage('PUT', '/acl/binding-rule', rule)
  }
  const team = 'a'.repeat(60_000)
  const turnsOf = async (path: string, body: object) => {
    const before = turns.count
    await world.ask('POST', path, { token: MANAGEMENT, body })
    return turns.count - before
  }
  const explain = { Claims: { team } }
  // One turn per rule to compile its selector, which concurrent requests share, and two more: one to match it, and one to
  // search it for patterns that can never match.
  const before = turns.count
  await Promise.all([1, 2, 3].map(() => turnsOf('/acl/auth-method/ci/explain', explain)))
  expect(turns.count - before).toBeGreaterThan(rules + 3 * 2 * rules)
  expect(turns.count - before).toBeLessThan(rules + 3 * 50)
  const known = await turnsOf('/acl/auth-method/ci/explain', explain)
  expect(known).toBeGreaterThan(40)
  expect(known).toBeLessThan(60)
  const login = {
    AuthMethod: 'ci',
    BearerToken: unsignedToken({ team: team.slice(0, 20_000) }, world.clock.now()),
  }
  expect(await turnsOf('/acl/login', login)).toBeGreaterThan(8)
  // Regular expressions also take their time on short claims.
  const short = { AuthMethod: 'ci', BearerToken: unsignedToken({ team: 'a' }, world.clock.now()) }
  expect(await turnsOf('/acl/login', short)).toBeGreaterThan(15)
})

test('DOS-04: a key with a long value is rendered in a turn of its own', async () => {
  const turns = new CountingTurns()
  const world = await aWorld({ turns })
  await world.ask('PUT', '/kv/a', { token: MANAGEMENT, body: 'x'.repeat(70_000) })
  const before = turns.count
  expect((await world.ask('GET', '/kv/a', { token: MANAGEMENT })).status).toBe(200)
  expect(turns.count).toBeGreaterThan(before)
})

describe('rule texts of a caller with all rights', () => {
  const Rules = Array.from({ length: 3_000 }, (_, i) => `key "${i}" { policy = "read" }\n`).join('')
  const asJson = { body: { Name: 'long', Rules } }
  const asText = { body: Rules }
  const REQUESTS: Readonly<Record<string, readonly [string, { body?: unknown }]>> = {
    'policies.create': ['/acl/policy', asJson],
    'legacy.create': ['/acl/create', asJson],
    'legacy.translate': ['/acl/rules/translate', asText],
  }

  test.each(Object.entries(REQUESTS))(
    'DOS-05: %s parses a long text in a turn of its own',
    async (name, [path, sent]) => {
      const turns = new CountingTurns()
      const world = await aWorld({ turns, version: '1.10.12' })
      // One turn for the body, one for the text.
      const before = turns.count
      const method = name === 'legacy.translate' ? 'POST' : 'PUT'
      expect(await world.ask(method, path, { token: MANAGEMENT, ...sent })).toMatchObject({ status: 200 })
      expect(turns.count - before).toBe(2)
    },
  )

  test('DOS-05: policies.update and legacy.translateToken parse a long text in turns of their own', async () => {
    const turns = new CountingTurns()
    const world = await aWorld({ turns, version: '1.10.12' })
    const policy = await world.ask('PUT', '/acl/policy', { token: MANAGEMENT, body: { Name: 'p' } })
    const { ID } = policy.json as { ID: string }
    let before = turns.count
    const update = { token: MANAGEMENT, body: { ID, Name: 'p', Rules } }
    expect(await world.ask('PUT', `/acl/policy/${ID}`, update)).toMatchObject({ status: 200 })
    expect(turns.count - before).toBe(2)

    const token = aToken({ Rules, Type: 'client' })
    await world.store.commit([putOf('tokens', token, 0)])
    before = turns.count
    const path = `/acl/rules/translate/${token.AccessorID}`
    expect(await world.ask('GET', path, { token: MANAGEMENT })).toMatchObject({ status: 200 })
    expect(turns.count - before).toBe(1)
  })
})
