import { settle } from '@latchkey/testkit/service/virtual-clock'
import type { AskOptions, Reply, World, WorldOptions } from '@latchkey/testkit/service/world'
import { aWorld, MANAGEMENT } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'

const MINUTE = 60_000
const WAIT_MAX = 10 * MINUTE + (10 * MINUTE) / 16

/** A blocking query in flight. */
interface Held {
  reply: Reply | undefined
  readonly done: Promise<Reply>
}

/** Starts a query that waits for the current index of the path to pass. */
async function hold(world: World, path: string, options: AskOptions = { token: MANAGEMENT }): Promise<Held> {
  const now = await world.ask('GET', path, options)
  const index = now.headers['X-Service-Index'] ?? expect.fail('no index')
  return holdAt(world, `${path}${path.includes('?') ? '&' : '?'}index=${index}`, options)
}

async function holdAt(
  world: World,
  path: string,
  options: AskOptions = { token: MANAGEMENT },
): Promise<Held> {
  const held: Held = {
    reply: undefined,
    done: world.ask('GET', path, options).then((reply) => {
      held.reply = reply
      return reply
    }),
  }
  await settle()
  return held
}

/** A world with a policy, a role and two tokens. */
async function aSmallWorld(options: WorldOptions = {}) {
  const world = await aWorld(options)
  const policy = await world.policy({ Name: 'reader', Rules: 'acl = "read"' })
  const role = await world.role({ Name: 'ops' })
  const token = await world.token({ Policies: [{ ID: policy.ID }] })
  const other = await world.token()
  return { world, policy, role, token, other, path: `/acl/token/${token.AccessorID}` }
}

const indexOf = (reply: Reply) => Number(reply.headers['X-Service-Index'])

describe('when a query does not wait (spec 4.1)', () => {
  test("an index one below the table's, or one below the record's", async () => {
    const { world, path, token } = await aSmallWorld()
    const index = world.store.tableIndex('tokens')
    expect(index).toBeGreaterThan(token.ModifyIndex)
    expect((await holdAt(world, `/acl/tokens?index=${index - 1}`)).reply?.status).toBe(200)
    expect((await holdAt(world, `${path}?index=${token.ModifyIndex - 1}`)).reply?.status).toBe(200)
    expect((await holdAt(world, `${path}?index=${token.ModifyIndex}`)).reply).toBeUndefined()
  })

  test('the index of a key is its ModifyIndex, but never below the requested index', async () => {
    const { world } = await aSmallWorld()
    for (const key of ['a', 'b']) await world.ask('PUT', `/kv/${key}`, { token: MANAGEMENT, body: 'x' })
    const first = await world.ask('GET', '/kv/a', { token: MANAGEMENT })
    const index = world.store.tableIndex('kv')
    expect(indexOf(first)).toBe(index - 1)
    for (const asked of [index - 1, index]) {
      const held = await holdAt(world, `/kv/a?index=${asked}&wait=1s`)
      await world.clock.advance(2_000)
      expect(indexOf(await held.done)).toBe(asked)
    }
  })

  test('a missing key is answered immediately only if it has changed since the index', async () => {
    const { world } = await aSmallWorld()
    const write = (method: string, key: string) =>
      world.ask(method, `/kv/${key}`, { token: MANAGEMENT, ...(method === 'PUT' ? { body: 'x' } : {}) })
    await write('PUT', 'gone')
    const before = world.store.tableIndex('kv')
    await write('DELETE', 'gone')
    const after = world.store.tableIndex('kv')
    await write('PUT', 'other')
    expect((await holdAt(world, `/kv/gone?index=${before}`)).reply?.status).toBe(404)
    const waits = await holdAt(world, `/kv/gone?index=${after}`)
    expect(waits.reply).toBeUndefined()
    await write('PUT', 'another')
    await settle()
    expect(waits.reply).toBeUndefined()
    await write('PUT', 'gone')
    expect((await waits.done).status).toBe(200)
  })

  const ERRORS: readonly (readonly [string, AskOptions, string])[] = [
    ['/acl/token/nope', { token: MANAGEMENT }, 'id_invalid'],
    ['/acl/token/', { token: MANAGEMENT }, 'id_missing'],
    ['/acl/tokens', {}, 'privilege_missing'],
    ['/acl/tokens', { token: 'nobody' }, 'caller_unknown'],
    ['/acl/token/self', {}, 'caller_unknown'],
    ['/acl/tokens?policy=a&role=b', { token: MANAGEMENT }, 'filter_conflict'],
    ['/acl/tokens?stale&consistent', { token: MANAGEMENT }, 'query_invalid'],
    ['/acl/tokens?limit=0', { token: MANAGEMENT }, 'query_invalid'],
  ]
  test.each(ERRORS)('an error: GET %s with %j is %s immediately', async (path, options, code) => {
    const { world } = await aSmallWorld()
    const at = `${path}${path.includes('?') ? '&' : '?'}index=999999`
    expect((await holdAt(world, at, options)).reply?.code).toBe(code)
  })

  test('writes and non-blocking reads ignore index and wait', async () => {
    const { world, path } = await aSmallWorld()
    const query = '?index=999999&wait=abc'
    expect((await world.ask('PUT', `${path}${query}`, { token: MANAGEMENT, body: {} })).status).toBe(200)
    expect((await world.ask('GET', `/agent/self${query}`, { token: MANAGEMENT })).status).toBe(200)
    expect((await world.ask('GET', `/status/leader${query}`)).status).toBe(200)
  })
})

describe('how long it waits (decisions: blocking queries)', () => {
  test.each([
    ['wait=10s', 10_000],
    ['wait=1ms', 1],
    ['', 5 * MINUTE],
    ['wait=0s', 5 * MINUTE],
    ['wait=-5s', 5 * MINUTE],
    ['wait=10m', 10 * MINUTE],
    ['wait=11m', 10 * MINUTE],
  ])('%j: %d ms with the least jitter, a sixteenth more with the most', async (option, waitMs) => {
    for (const [jitterByte, ms] of [
      [0, waitMs],
      [255, waitMs + waitMs / 16],
    ] as const) {
      const { world, path } = await aSmallWorld({ jitterByte })
      const held = await hold(world, `${path}?${option}`)
      await world.clock.advance(ms - 0.01)
      expect(held.reply).toBeUndefined()
      await world.clock.advance(0.01)
      expect(held.reply?.status).toBe(200)
    }
  })

  test('after a timeout the answer has the latest content and index', async () => {
    const { world, path, other } = await aSmallWorld()
    const held = await hold(world, `${path}?wait=10s`)
    await world.manage('PUT', `/acl/token/${other.AccessorID}`, {})
    expect(held.reply).toBeUndefined()
    await world.clock.advance(WAIT_MAX)
    expect(held.reply?.status).toBe(200)
    expect(indexOf(await held.done)).toBe(world.store.tableIndex('tokens'))
  })

  test('an answered query leaves no waiter behind', async () => {
    const { world, path } = await aSmallWorld()
    const held = [
      await hold(world, path),
      await hold(world, '/acl/tokens'),
      await hold(world, '/acl/policies'),
    ]
    expect(world.clock.waiting).toBe(3)
    await world.manage('PUT', path, {})
    await world.policy({ Name: 'another' })
    await Promise.all(held.map(({ done }) => done))
    expect(world.clock.waiting).toBe(0)
  })

  test('a disconnected client ends its query and leaves no waiter behind', async () => {
    const { world, path } = await aSmallWorld()
    const gone = new AbortController()
    const held = await hold(world, path, { token: MANAGEMENT, signal: gone.signal })
    expect(world.clock.waiting).toBe(1)
    gone.abort()
    await held.done
    expect(world.clock.waiting).toBe(0)
  })
})

describe('what wakes it', () => {
  type Small = Awaited<ReturnType<typeof aSmallWorld>>
  type Act = (small: Small) => Promise<unknown>
  const updateOther: Act = ({ world, other }) => world.manage('PUT', `/acl/token/${other.AccessorID}`, {})
  const create: Act = ({ world }) => world.token()
  const renamePolicy: Act = ({ world, policy }) =>
    world.manage('PUT', `/acl/policy/${policy.ID}`, { Name: 'viewer' })
  const changeRole: Act = ({ world, role }) => world.manage('PUT', `/acl/role/${role.ID}`, { Name: 'devs' })
  const writeKey: Act = ({ world }) => world.ask('PUT', '/kv/a/b', { token: MANAGEMENT, body: 'x' })
  const refusedWrite: Act = ({ world, path }) =>
    world.ask('PUT', path, { token: MANAGEMENT, body: { Local: true } })
  const refusedDelete: Act = ({ world }) =>
    world.ask('DELETE', '/acl/token/00000000-0000-0000-0000-000000000002', { token: MANAGEMENT })

  const SLEEPS: readonly (readonly [string, (small: Small) => string, readonly [string, Act][]])[] = [
    [
      'a read of a token',
      ({ path }) => path,
      [
        ['a rename of its policy', renamePolicy],
        ['a refused write of it', refusedWrite],
      ],
    ],
    [
      'the list of tokens',
      () => '/acl/tokens',
      [
        ['a policy', renamePolicy],
        ['a role', changeRole],
        ['a key', writeKey],
        ['a refused write', refusedWrite],
        ['a refused deletion', refusedDelete],
      ],
    ],
    [
      'a filtered list',
      ({ policy }) => `/acl/tokens?policy=${policy.ID}`,
      [
        ['a token that it does not show', updateOther],
        ['a new token that it does not show', create],
      ],
    ],
    ['an empty filtered list', ({ role }) => `/acl/tokens?role=${role.ID}`, [['another token', updateOther]]],
    ['the list of policies', () => '/acl/policies', [['a token', create]]],
  ]
  const sleeps = SLEEPS.flatMap(([what, pathOf, acts]) =>
    acts.map(([by, act]) => [what, by, pathOf, act] as const),
  )
  test.each(sleeps)('%s is not woken by %s', async (_what, _by, pathOf, act) => {
    const small = await aSmallWorld()
    const held = await hold(small.world, `${pathOf(small)}${pathOf(small).includes('?') ? '&' : '?'}wait=10s`)
    await act(small)
    await settle()
    expect(held.reply).toBeUndefined()
    await small.world.clock.advance(11_000)
    await held.done
  })
})

describe('the caller is authorized again when the wait ends (decisions: blocking queries)', () => {
  test('a caller that may no longer see secrets gets redacted ones', async () => {
    const { world, other } = await aSmallWorld()
    const writer = await world.policy({ Name: 'writer', Rules: 'acl = "write"' })
    const caller = await world.token({ Policies: [{ ID: writer.ID }] })
    const path = `/acl/token/${other.AccessorID}?wait=10s`
    const read = await hold(world, path, { token: caller.SecretID })
    await world.manage('PUT', `/acl/policy/${writer.ID}`, { Name: 'writer', Rules: 'acl = "read"' })
    await world.clock.advance(11_000)
    expect(read.reply?.json).toMatchObject({ SecretID: '<hidden>' })
  })
})
