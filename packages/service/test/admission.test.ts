/** Rights that are revoked while a request is in flight. COH-10; decisions: authentication. */

import { aWorld, MANAGEMENT, type Reply, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'
import type { ConsistencyMode } from '../src/store/store.ts'

/** Asynchronous methods of the store. */
type Loading = 'kvEntry' | 'kvEntries' | 'tokenByAccessor' | 'tokenBySecret' | 'tokens'

/** Runs `happen` before the next answer of a store method, which then shows the result. */
function before(world: World, method: Loading, happen: () => Promise<unknown>): void {
  const { store } = world
  Object.assign(store, { memory: undefined })
  const own = store[method].bind(store) as (...args: unknown[]) => unknown
  const once = async () => {
    Object.assign(store, { [method]: own })
    await happen()
  }
  const loading =
    method === 'tokens' || method === 'kvEntries'
      ? async function* (...args: unknown[]) {
          await once()
          yield* own(...args) as AsyncIterable<unknown>
        }
      : (...args: unknown[]) => once().then(() => own(...args))
  Object.assign(store, { [method]: loading })
}

async function setUp(Rules: string) {
  const world = await aWorld()
  const policy = await world.policy({ Name: 'granted', Rules })
  const { SecretID } = await world.token({ Policies: [{ ID: policy.ID }] })
  const takeAway = () => world.manage('PUT', `/acl/policy/${policy.ID}`, { ID: policy.ID, Name: 'granted' })
  const ask = (path: string): Promise<Reply> => world.ask('GET', path, { token: SecretID })
  return { world, policy, takeAway, ask, secret: SecretID }
}

describe('a revoked right does not show content written after its revocation (COH-10)', () => {
  test('a key', async () => {
    const { world, takeAway, ask } = await setUp('key_prefix "" { policy = "read" }')
    before(world, 'kvEntry', async () => {
      await takeAway()
      await world.ask('PUT', '/kv/enemy', { token: MANAGEMENT, body: 'new' })
    })
    expect(await ask('/kv/enemy')).toMatchObject({ status: 403, code: 'privilege_missing' })
  })

  test('keys under a prefix', async () => {
    const { world, takeAway, ask } = await setUp('key_prefix "" { policy = "read" }')
    await world.ask('PUT', '/kv/old', { token: MANAGEMENT, body: 'old' })
    before(world, 'kvEntries', async () => {
      await takeAway()
      await world.ask('PUT', '/kv/enemy', { token: MANAGEMENT, body: 'new' })
    })
    expect((await ask('/kv/?recurse')).text).not.toContain('enemy')
  })

  test('a token', async () => {
    const { world, takeAway, ask } = await setUp('acl = "read"')
    const AccessorID = '5d8a4f10-9c50-4bd5-a5a0-2f6f0a9f7e11'
    before(world, 'tokenByAccessor', async () => {
      await takeAway()
      await world.token({ AccessorID })
    })
    expect(await ask(`/acl/token/${AccessorID}`)).toMatchObject({ status: 403, code: 'privilege_missing' })
  })

  test('a list of tokens', async () => {
    const { world, takeAway, ask } = await setUp('acl = "read"')
    before(world, 'tokens', async () => {
      await takeAway()
      await world.token({ Description: 'enemy' })
    })
    expect(await ask('/acl/tokens')).toMatchObject({ status: 403, code: 'privilege_missing' })
  })

  test.each([
    ['being deleted', 'DELETE', undefined, 'caller_unknown'],
    ['losing its link', 'PUT', {}, 'privilege_missing'],
  ] as const)('by the caller %s', async (_, method, body, code) => {
    const { world, secret, ask } = await setUp('key_prefix "" { policy = "read" }')
    const self = await world.ask('GET', '/acl/token/self', { token: secret })
    const { AccessorID } = self.json as { AccessorID: string }
    before(world, 'kvEntry', async () => {
      await world.manage(method, `/acl/token/${AccessorID}`, body)
      await world.ask('PUT', '/kv/enemy', { token: MANAGEMENT, body: 'new' })
    })
    expect(await ask('/kv/enemy')).toMatchObject({ status: 403, code })
  })

  test('except in a stale read, which reports its age', async () => {
    const { world, takeAway, ask } = await setUp('key_prefix "" { policy = "read" }')
    before(world, 'kvEntry', async () => {
      await takeAway()
      await world.ask('PUT', '/kv/enemy', { token: MANAGEMENT, body: 'new' })
    })
    expect((await ask('/kv/enemy?stale')).status).toBe(200)
  })
})

test.each([
  ['5s', true, '5000', []],
  ['5s', false, '5000', ['stale']],
  ['4999ms', true, '0', ['stale', 'default']],
  ['4999ms', false, '0', ['stale', 'default']],
] as const)(
  'a state that is 5 seconds old is only used if max_stale allows it: %s, from memory: %s',
  async (maxStale, isInMemory, lastContact, asked) => {
    const { world, ask } = await setUp('acl = "read"')
    const { store } = world
    await ask('/acl/tokens')
    const freshness = (mode: ConsistencyMode) => ({
      knownLeader: true,
      lastContactMs: mode === 'stale' ? 5_000 : 0,
    })
    const refreshed: ConsistencyMode[] = []
    Object.assign(store, {
      memory: isInMemory ? { ...store.memory, freshness } : undefined,
      refresh: async (mode: ConsistencyMode) => {
        refreshed.push(mode)
        return freshness(mode)
      },
    })
    const reply = await ask(`/acl/tokens?max_stale=${maxStale}`)
    expect(reply.headers['X-Service-LastContact']).toBe(lastContact)
    expect(refreshed).toEqual(asked)
  },
)

test('a caller loaded from the database is authorized with a directory that is at least as recent (COH-10)', async () => {
  const { world } = await setUp('')
  const { AccessorID, SecretID } = await world.token()
  before(world, 'tokenBySecret', async () => {
    const made = await world.policy({ Name: 'made-in-between', Rules: 'key_prefix "" { policy = "read" }' })
    await world.manage('PUT', `/acl/token/${AccessorID}`, { Policies: [{ ID: made.ID }] })
  })
  expect((await world.ask('GET', '/kv/absent', { token: SecretID })).status).toBe(404)
})

test('an answer shows a record and the names of its links as of one moment', async () => {
  const { world, policy } = await setUp('acl = "read"')
  const token = await world.token()
  before(world, 'tokenByAccessor', async () => {
    const made = await world.policy({ Name: 'made-in-between' })
    await world.manage('PUT', `/acl/token/${token.AccessorID}`, { Policies: [{ ID: made.ID }] })
    await world.manage('PUT', `/acl/policy/${policy.ID}`, { ID: policy.ID, Name: 'renamed' })
  })
  const reply = await world.ask('GET', `/acl/token/${token.AccessorID}`, { token: MANAGEMENT })
  expect(reply.json).toMatchObject({ Policies: [{ Name: 'made-in-between' }] })
})

test('names that change on every look-up do not block the answer', async () => {
  const { world, policy } = await setUp('acl = "read"')
  const token = await world.token({ Policies: [{ ID: policy.ID }] })
  const { store } = world
  const own = store.tokenByAccessor.bind(store)
  let renames = 0
  Object.assign(store, {
    memory: undefined,
    async tokenByAccessor(accessorId: string) {
      renames += 1
      await world.manage('PUT', `/acl/policy/${policy.ID}`, { ID: policy.ID, Name: `name-${renames}` })
      return own(accessorId)
    },
  })
  const reply = await world.ask('GET', `/acl/token/${token.AccessorID}`, { token: MANAGEMENT })
  expect(reply.status).toBe(200)
})

describe('a slow body is authorized with the rights that its sender has when it is complete (DOS-04, COH-02)', () => {
  /** Sends a request, and runs `happen` before its body ends. */
  async function sendSlowly(
    world: World,
    request: {
      readonly method: string
      readonly path: string
      readonly token: string
      readonly body: string
    },
    happen: () => Promise<unknown>,
  ) {
    const { method, path, token, body } = request
    return world.service.handle({
      method,
      url: `/v1${path}`,
      header: (name) => (name === 'x-service-token' ? token : undefined),
      readBody: async () => {
        await happen()
        return new TextEncoder().encode(body)
      },
      requestId: 'request-1',
    })
  }

  test('a write', async () => {
    const { world, takeAway, secret } = await setUp('acl = "write"')
    const request = { method: 'PUT', path: '/acl/token', token: secret, body: '{}' }
    expect(await sendSlowly(world, request, takeAway)).toMatchObject({ status: 403 })
    expect(await sendSlowly(world, { ...request, token: MANAGEMENT }, takeAway)).toMatchObject({
      status: 200,
    })
  })

  test('a check of the caller’s own rights', async () => {
    const { world, takeAway, secret } = await setUp('key "a" { policy = "read" }')
    const body = '[{ "Resource": "key", "Segment": "a", "Access": "read" }]'
    const request = { method: 'POST', path: '/internal/acl/authorize', token: secret, body }
    const reply = await sendSlowly(world, request, takeAway)
    expect(reply.body).toBe('[{"Resource":"key","Segment":"a","Access":"read","Allow":false}]')
  })

  test('a caller without the right is refused before its body is read', async () => {
    const { world, secret } = await setUp('acl = "read"')
    const unread = async () => expect.fail('the body was read')
    const request = { method: 'PUT', path: '/acl/token', token: secret, body: '{}' }
    expect(await sendSlowly(world, request, unread)).toMatchObject({ status: 403 })
    const unknown = { ...request, token: '5d8a4f10-9c50-4bd5-a5a0-2f6f0a9f7e12' }
    expect(await sendSlowly(world, unknown, unread)).toMatchObject({ status: 403 })
  })
})
