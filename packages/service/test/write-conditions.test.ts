/** COH-09: a write only applies to the version of the record on which it was decided. */

import { ROUTE_LIST } from '@latchkey/contract'
import { aWorld, endIntentionsMigration, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'

/** A record: its path, and a body that updates it. */
interface Made {
  readonly path: string
  readonly body: object
}

interface Kind {
  readonly make: (world: World) => Promise<Made>
  /** Whether a PUT creates the record if it is absent. Default: it is refused. */
  readonly isUpsert?: boolean
  /** Whether a DELETE of an absent record succeeds. Default: it is refused. */
  readonly mayBeGone?: boolean
  /** Whether a PUT applies to any version of the record. Default: it is decided again if the record has changed. */
  readonly isUnconditional?: boolean
}

const GLOBAL = { Policies: [{ Name: 'global-management' }] }
const KEYS = { JWTValidationPubKeys: ['a key'] }

async function makeMethod(world: World): Promise<Made> {
  const body = { Name: 'jwt', Type: 'jwt', Config: KEYS }
  await world.manage('PUT', '/acl/auth-method', body)
  return { path: '/acl/auth-method/jwt', body }
}

/** The kinds of records, by the path of a record in the contract. */
const KINDS: Readonly<Record<string, Kind>> = {
  '/v1/acl/token/:AccessorID': {
    make: async (world) => ({ path: `/acl/token/${(await world.token()).AccessorID}`, body: {} }),
  },
  '/v1/acl/policy/:ID': {
    make: async (world) => ({
      path: `/acl/policy/${(await world.policy({ Name: 'p' })).ID}`,
      body: { Name: 'p' },
    }),
  },
  '/v1/acl/role/:ID': {
    make: async (world) => {
      const body = { Name: 'r', ...GLOBAL }
      return { path: `/acl/role/${(await world.role(body)).ID}`, body }
    },
  },
  '/v1/namespace/:Name': {
    make: async (world) => {
      await world.manage('PUT', '/namespace', { Name: 'team' })
      return { path: '/namespace/team', body: { Name: 'team' } }
    },
  },
  '/v1/acl/auth-method/:Name': { make: makeMethod, isUpsert: true },
  '/v1/acl/binding-rule/:ID': {
    make: async (world) => {
      await makeMethod(world)
      const body = { AuthMethod: 'jwt', BindType: 'service', BindName: 'web' }
      const { ID } = (await world.manage('PUT', '/acl/binding-rule', body)) as { readonly ID: string }
      return { path: `/acl/binding-rule/${ID}`, body }
    },
  },
  '/v1/kv/:Key': {
    make: async (world) => {
      await world.manage('PUT', '/kv/key', { made: true })
      return { path: '/kv/key', body: { updated: true } }
    },
    isUpsert: true,
    mayBeGone: true,
    isUnconditional: true,
  },
  '/v1/connect/intentions/:ID': {
    make: async (world) => {
      const body = { SourceName: 'a', DestinationName: 'b', Action: 'allow' }
      const { ID } = (await world.manage('POST', '/connect/intentions', body)) as { readonly ID: string }
      return { path: `/connect/intentions/${ID}`, body }
    },
  },
  '/v1/connect/intentions/exact': {
    make: async (world) => {
      endIntentionsMigration(world)
      const path = '/connect/intentions/exact?source=a&destination=b'
      await world.manage('PUT', path, { Action: 'allow' })
      return { path, body: { Action: 'allow' } }
    },
    isUpsert: true,
    mayBeGone: true,
  },
}

/**
 * Writes whose path names no record that PUT updates and DELETE removes: they create, change parts of a record, or have
 * conditions of their own, which other tests cover.
 */
const OTHERS: ReadonlySet<string> = new Set([
  ...['tokens.create', 'tokens.clone', 'tokens.bootstrap', 'policies.create', 'roles.create'],
  ...['namespaces.create', 'authMethods.create', 'bindingRules.create', 'login.login', 'login.logout'],
  ...['login.authUrl', 'login.callback', 'txn.apply', 'sessions.create', 'sessions.destroy'],
  ...['sessions.renew', 'intentions.create', 'configEntries.write', 'configEntries.delete'],
  ...['coordinates.update', 'catalog.register', 'catalog.deregister', 'agent.registerService'],
  ...['agent.deregisterService', 'agent.serviceMaintenance', 'agent.maintenance', 'agentChecks.register'],
  ...['agentChecks.deregister', 'agentChecks.pass', 'agentChecks.warn', 'agentChecks.fail'],
  ...['agentChecks.update', 'agentProcess.forceLeave', 'agentProcess.leave'],
  ...['operator.removePeer', 'operator.writeAutopilot'],
  ...['operations.setReplicationToken', 'snapshots.restore', 'datacenters.accept', 'datacenters.promote'],
  ...['areas.create', 'areas.delete', 'areas.join'],
  ...['legacy.create', 'legacy.update', 'legacy.destroy', 'legacy.clone', 'legacy.import'],
])

test('every write route of the contract is of a kind of record that is tested here, or listed with the others', () => {
  const writes = ROUTE_LIST.filter(({ writes = 'nothing' }) => writes !== 'nothing')
  const unknown = writes.filter(({ name, path }) => !Object.hasOwn(KINDS, path) && !OTHERS.has(name))
  expect(unknown.map(({ name }) => name)).toEqual([])
  const paths = new Set(writes.map(({ path }) => path as string))
  const names = new Set(writes.map(({ name }) => name as string))
  expect([
    ...Object.keys(KINDS).filter((path) => !paths.has(path)),
    ...[...OTHERS].filter((name) => !names.has(name)),
  ]).toEqual([])
})

/** Runs `work` between the next decision and its commit, and counts the commits that follow. */
function beforeNextCommit({ store }: World, work: () => Promise<unknown>): { readonly commits: number } {
  const commit = store.commit.bind(store)
  const counts = { commits: 0 }
  const counted: typeof commit = (changes) => {
    counts.commits += 1
    return commit(changes)
  }
  store.commit = async (changes) => {
    store.commit = commit
    await work()
    store.commit = counted
    return counted(changes)
  }
  return counts
}

const ask = (world: World, method: string, path: string, body?: object) =>
  world.ask(method, path, { token: MANAGEMENT, body })

describe.each(Object.entries(KINDS))('%s', (_path, kind) => {
  const { make, isUpsert = false, mayBeGone = false, isUnconditional = false } = kind

  test('an update recreates a record deleted before the commit only if it may create one; otherwise 404', async () => {
    const world = await aWorld({ edition: 'extended' })
    const { path, body } = await make(world)
    beforeNextCommit(world, () => world.manage('DELETE', path))
    expect((await ask(world, 'PUT', path, body)).status).toBe(isUpsert ? 200 : 404)
    expect((await ask(world, 'GET', path)).status).toBe(isUpsert ? 200 : 404)
  })

  test('a delete of a record deleted before the commit: 404, or as of any absent record', async () => {
    const world = await aWorld({ edition: 'extended' })
    const { path } = await make(world)
    beforeNextCommit(world, () => world.manage('DELETE', path))
    expect((await ask(world, 'DELETE', path)).status).toBe(mayBeGone ? 200 : 404)
    expect((await ask(world, 'GET', path)).status).toBe(404)
  })

  test.each(['PUT', 'DELETE'])(
    '%s: decides again if the record changed before the commit',
    async (method) => {
      const world = await aWorld({ edition: 'extended' })
      const { path, body } = await make(world)
      const counts = beforeNextCommit(world, () => world.manage('PUT', path, { ...body, Description: 'x' }))
      expect((await ask(world, method, path, method === 'PUT' ? body : undefined)).status).toBe(200)
      expect(counts.commits).toBe(method === 'PUT' && isUnconditional ? 1 : 2)
    },
  )
})

test.each(['PUT', 'DELETE'])(
  '%s with cas does nothing if the key changed before the commit',
  async (method) => {
    const world = await aWorld()
    await world.manage('PUT', '/kv/key', { by: 'one' })
    const [entry] = (await world.manage('GET', '/kv/key')) as readonly { readonly ModifyIndex: number }[]
    beforeNextCommit(world, () => world.manage('PUT', '/kv/key', { by: 'another' }))
    const path = `/kv/key?cas=${entry?.ModifyIndex}`
    expect(await ask(world, method, path, method === 'PUT' ? { by: 'two' } : undefined)).toMatchObject({
      status: 200,
      text: 'false',
    })
    expect((await ask(world, 'GET', '/kv/key?raw')).text).toBe('{"by":"another"}')
  },
)
