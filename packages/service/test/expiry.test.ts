/** EXP-03: what an expired token is to every operation, to the millisecond, with no reaper at work. Spec 3. */
import type { Token } from '@latchkey/contract'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'

const MINUTE = 60_000
const AROUND = [-1_000, -1, 0, 1, 1_000] as const

interface Scene {
  readonly world: World
  readonly token: Token
  readonly path: string
}

/** A token that expires so many milliseconds from now, made early enough to be cloned. */
async function aScene(ms: number, ttl = '1h'): Promise<Scene> {
  const world = await aWorld()
  const { ID } = await world.policy({
    Name: 'writer',
    Rules: 'acl = "write"\nkey_prefix "" { policy = "write" }',
  })
  const token = await world.token({ Policies: [{ ID }], ExpirationTTL: ttl })
  await world.clock.advance(Date.parse(token.ExpirationTime ?? '') - world.clock.now() + ms)
  return { world, token, path: `/acl/token/${token.AccessorID}` }
}

type Operation = (scene: Scene) => Promise<number>
const asked =
  (method: string, pathOf: (scene: Scene) => string, body?: unknown): Operation =>
  async (scene) =>
    (await scene.world.ask(method, pathOf(scene), { token: MANAGEMENT, body })).status
const asCaller =
  (method: string, path: string, body?: unknown): Operation =>
  async ({ world, token }) =>
    (await world.ask(method, path, { token: token.SecretID, body })).status

/** Each with its status before the instant, and from it on. */
const OPERATIONS: readonly (readonly [string, Operation, number, number])[] = [
  ['self', asCaller('GET', '/acl/token/self'), 200, 403],
  ['using its right to list', asCaller('GET', '/acl/tokens'), 200, 403],
  ['using its right to write', asCaller('PUT', '/acl/token', {}), 200, 403],
  ['using its right on a key', asCaller('PUT', '/kv/a', 'x'), 200, 403],
  [
    'asking what it may',
    asCaller('POST', '/internal/acl/authorize', [{ Resource: 'acl', Access: 'read' }]),
    200,
    403,
  ],
  ['reading what is open to all', asCaller('GET', '/status/leader'), 200, 200],
  ['read', asked('GET', ({ path }) => path), 200, 404],
  ['read expanded', asked('GET', ({ path }) => `${path}?expanded`), 200, 404],
  ['update', asked('PUT', ({ path }) => path, {}), 200, 404],
  ['delete', asked('DELETE', ({ path }) => path), 200, 404],
  [
    'another caller asking what it may',
    asked('POST', ({ token }) => `/internal/acl/authorize?accessor=${token.AccessorID}`, [
      { Resource: 'acl', Access: 'read' },
    ]),
    200,
    404,
  ],
]
const cases = OPERATIONS.flatMap(([name, operation, before, after]) =>
  AROUND.map((ms) => [name, ms, ms < 0 ? before : after, operation] as const),
)

test.each(cases)('%s, %d ms after it expires: %d', async (_name, ms, status, operation) => {
  expect(await operation(await aScene(ms))).toBe(status)
})

describe('lists', () => {
  const QUERIES = ['', '?limit=100', '?policy=ID', '?pretty'] as const
  const rows = QUERIES.flatMap((query) => AROUND.map((ms) => [query, ms] as const))

  test.each(rows)('%j, %d ms after it expires', async (query, ms) => {
    const scene = await aScene(-2_000)
    const { world, token } = scene
    const path = `/acl/tokens${query.replace('ID', token.Policies?.[0]?.ID ?? '')}`
    // What is kept of the list must not outlive the token.
    expect((await world.ask('GET', path, { token: MANAGEMENT })).text).toContain(token.AccessorID)
    await world.clock.advance(2_000 + ms)
    const { text } = await world.ask('GET', path, { token: MANAGEMENT })
    expect(text.includes(token.AccessorID)).toBe(ms < 0)
  })

  test('who-can does not name it', async () => {
    for (const ms of AROUND) {
      const { world, token } = await aScene(ms)
      const body = { Resource: 'acl', Access: 'write' }
      const { text } = await world.ask('POST', '/internal/acl/who-can', { token: MANAGEMENT, body })
      expect(text.includes(token.AccessorID)).toBe(ms < 0)
    }
  })
})

describe('clone needs the shortest lifetime to be left (decisions: tokens)', () => {
  test.each([
    [-MINUTE - 1, 200],
    [-MINUTE, 200],
    [-MINUTE + 1, 400],
    [-1, 400],
    [0, 404],
    [1, 404],
  ])('%d ms after it expires: %d', async (ms, status) => {
    const scene = await aScene(ms)
    expect(await asked('PUT', ({ path }) => `${path}/clone`, {})(scene)).toBe(status)
  })

  test('a clone expires with its source', async () => {
    const { world, token, path } = await aScene(-MINUTE)
    const clone = (await world.manage('PUT', `${path}/clone`, {})) as Token
    expect(clone.ExpirationTime).toBe(token.ExpirationTime)
    await world.clock.advance(MINUTE - 1)
    expect((await world.ask('GET', '/acl/token/self', { token: clone.SecretID })).status).toBe(200)
    await world.clock.advance(1)
    expect((await world.ask('GET', '/acl/token/self', { token: clone.SecretID })).status).toBe(403)
  })
})

describe('ids', () => {
  test('an expired token keeps its ids until it is reaped', async () => {
    const { world, token } = await aScene(1)
    const { AccessorID } = token
    const create = () => world.ask('PUT', '/acl/token', { token: MANAGEMENT, body: { AccessorID } })
    expect((await create()).code).toBe('id_in_use')
    const [record] = world.store.expiredNow(world.clock.now(), 1)
    if (!record) expect.fail('not expired')
    await world.store.commit([{ table: 'tokens', op: 'delete', record, expect: record.ModifyIndex }])
    expect((await create()).status).toBe(200)
  })
})

test('an update keeps the instant: no renewal, by no form of it (CVE-2021-32923)', async () => {
  const { world, token, path } = await aScene(-1_000)
  for (const body of [{ ExpirationTTL: '1m' }, { ExpirationTime: '2028-03-01T00:00:00Z' }]) {
    expect((await world.ask('PUT', path, { token: MANAGEMENT, body })).code).toBe('field_immutable')
  }
  const same = { ExpirationTime: token.ExpirationTime, ExpirationTTL: '0s' }
  for (const body of [{}, { ExpirationTime: '' }, { ExpirationTime: null }, same]) {
    const reply = await world.ask('PUT', path, { token: MANAGEMENT, body })
    expect((reply.json as Token).ExpirationTime).toBe(token.ExpirationTime)
  }
})

test('a token that was never to expire is there for ever', async () => {
  const world = await aWorld()
  const { SecretID } = await world.token({ ExpirationTime: '0001-01-01T00:00:00Z' })
  await world.clock.advance(100 * 366 * 24 * 60 * MINUTE)
  expect((await world.ask('GET', '/acl/token/self', { token: SecretID })).status).toBe(200)
})
