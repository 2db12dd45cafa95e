/** Status endpoints: shapes, rights, progress and versions. `versions/` tests them by version. */

import { convertForMigration, fromLegacyToken, type MigrationRecord } from '@latchkey/acl'
import { changesBetween, parseServiceVersion, readVersion } from '@latchkey/contract'
import { putOf } from '@latchkey/testkit/records/changes'
import { aWorld, MANAGEMENT, START, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'
import { inLegacyMode } from '../../test/versions/rows.ts'
import { registerServers } from '../agent/agent.ts'

const token = MANAGEMENT

describe('changes between two versions, which the migrator reads', () => {
  test('every gate that opens or closes, oldest first, with all of its fields', async () => {
    const { ask } = await aWorld()
    const reply = await ask('GET', '/internal/versions?from=1.3.0&to=1.11')
    const changes = reply.json as Record<string, unknown>[]
    expect(changes).toHaveLength(
      changesBetween(parseServiceVersion('1.3.0'), parseServiceVersion('1.11')).length,
    )
    expect(changes[0]).toEqual({
      Gate: 'catalog.tagFilterIgnored',
      Change: 'removed',
      At: '1.3.1',
      Kind: 'behaviour',
      SpecRow: '9.3 (1.3.0)',
      Sentence: expect.stringMatching(/^In 1\.3\.0 /),
      ClientSees: expect.any(String),
      BreaksClients: true,
      DecidedBy: 'both',
    })
    expect(changes.map(({ Change, Gate }) => `${Change} ${Gate}`)).toEqual(
      expect.arrayContaining(['added api.token', 'added token.nodeIdentities', 'removed api.legacy']),
    )
    const versions = changes.flatMap(({ At }) => readVersion(String(At)) ?? [])
    const order = versions.map(({ major, minor, patch }) => major * 10_000 + minor * 100 + patch)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  test('every version answers for any two versions, and nothing changes between a version and itself', async () => {
    for (const version of ['0.7', '1.3.0', '1.11']) {
      const { ask } = await aWorld({ version })
      expect((await ask('GET', '/internal/versions?from=1.4.0&to=1.4.0')).json).toEqual([])
      expect((await ask('GET', '/internal/versions?from=0.7&to=1.11')).status).toBe(200)
    }
  })
})

describe('progress of the accessor migration (spec 8, 9.2.3)', () => {
  const progress = (world: World) => world.manage('GET', '/internal/acl/migration')
  const plant = ({ store }: World, ...secrets: string[]) => {
    for (const ID of secrets) {
      const record = fromLegacyToken({
        ID,
        Name: '',
        Type: 'client',
        Rules: '',
        CreateIndex: 0,
        ModifyIndex: 0,
      })
      store.commitNow([putOf('tokens', record, 0)])
    }
  }
  const remember = ({ store }: World, record: MigrationRecord) =>
    store.commitNow([putOf('system', { Key: 'migration', Value: record, CreateIndex: 0, ModifyIndex: 0 })])

  test('in legacy mode: waiting, with the reason', async () => {
    const legacyModeWaitsFor = () => ['server a to run 1.4.0']
    const world = await aWorld({ version: '1.10', cluster: { legacyModeWaitsFor } })
    inLegacyMode(world)
    plant(world, 'a', 'b')
    expect(await progress(world)).toMatchObject({
      State: 'waiting',
      Total: 2,
      WaitsFor: ['server a to run 1.4.0'],
    })
  })

  test('running: done and remaining tokens, rate, estimate, and the last error if any', async () => {
    let error: string | undefined = 'The database cannot be reached'
    const world = await aWorld({ version: '1.10', cluster: { migrationError: () => error } })
    plant(world, ...Array.from({ length: 130 }, (_, i) => `t${i}`))
    const run = { startedAt: START - 1_000, tokens: 256 }
    remember(world, { batches: 2, done: 256, lastBatchAt: START, run })
    expect(await progress(world)).toEqual({
      State: 'running',
      Done: 256,
      Total: 386,
      Batches: 2,
      TokensPerSecond: 128,
      EstimatedSeconds: 2,
      StartedAt: '2028-02-29T11:59:29.25Z',
      LastBatchAt: '2028-02-29T11:59:30.25Z',
      LastError: error,
    })
    error = undefined
    expect(await progress(world)).not.toHaveProperty('LastError')
  })

  test('counts a concurrent batch exactly once', async () => {
    const world = await aWorld({ version: '1.10' })
    plant(world, 'a', 'b')
    const { store } = world
    const count = store.countTokens.bind(store)
    let batches = 0
    store.countTokens = async (filter) => {
      const remaining = await count(filter)
      const stored = await store.tokenBySecret('a')
      if (batches === 0 && stored) {
        batches += 1
        const record = convertForMigration(stored, 'a0000000-0000-4000-8000-0000000000aa')
        store.commitNow([putOf('tokens', record, stored.ModifyIndex)])
        remember(world, { batches: 1, done: 1, lastBatchAt: START, run: undefined })
      }
      return remaining
    }
    expect(await progress(world)).toMatchObject({ Done: 1, Total: 2, Batches: 1 })
  })
})

describe('agent and status (spec 9.4)', () => {
  test('leader and peers come from the cluster; members that failed or left are not peers', async () => {
    const member = {
      datacenter: 'dc1',
      version: '1.4.0',
      mode: 'legacy',
      address: '127.0.0.1:1',
      node: 'a',
    } as const
    const members = [
      { ...member, id: '1', status: 'alive' },
      { ...member, id: '2', status: 'failed', address: '[::1]:2' },
      { ...member, id: '3', status: 'left', mode: 'unknown', node: 'b' },
      { ...member, id: '4', status: 'left', node: 'A' },
    ] as const
    const cluster = { members: () => members, leader: () => '127.0.0.1:1' }
    const { ask, manage } = await aWorld({ cluster })
    expect((await ask('GET', '/status/leader')).json).toBe('127.0.0.1:1')
    expect((await ask('GET', '/status/peers')).json).toEqual(['127.0.0.1:1'])
    expect(await manage('GET', '/agent/members')).toMatchObject([
      {
        ID: '1',
        Addr: '127.0.0.1',
        Port: 1,
        Status: 1,
        Tags: { acls: '2', build: '1.4.0:', dc: 'dc1', id: '1', port: '1', vsn: '2', segment: '' },
      },
      { ID: '2', Addr: '[::1]', Port: 2, Status: 4 },
      { ID: '3', Status: 3, Tags: { role: 'consul', build: '1.4.0:' } },
    ])
  })

  test('a failed server that is removed also leaves the catalog', async () => {
    const world = await aWorld({ cluster: { forceLeave: async () => 1 } })
    const member = { id: 'aaaaaaaa-0000-4000-8000-000000000001', node: 'gone', address: '127.0.0.1:1' }
    const servers = { store: world.store, headerPrefixes: [] }
    await registerServers(servers, [{ ...member, status: 'alive' }])
    await registerServers(servers, [{ ...member, status: 'failed' }])
    expect(world.store.catalog().node('gone')).toBeDefined()
    expect((await world.ask('PUT', '/agent/force-leave/GONE', { token })).status).toBe(200)
    expect(world.store.catalog().nodes()).toEqual([])
  })

  test('force-leave of a live server changes nothing', async () => {
    const world = await aWorld({ cluster: { forceLeave: async () => 'alive' } })
    const member = { id: 'aaaaaaaa-0000-4000-8000-000000000001', node: 'here', address: '127.0.0.1:1' }
    await registerServers({ store: world.store, headerPrefixes: [] }, [{ ...member, status: 'alive' }])
    expect((await world.ask('PUT', '/agent/force-leave/here', { token })).status).toBe(200)
    expect(world.store.catalog().node('here')).toBeDefined()
  })

  test('a process on the node of an earlier one reports the ID of the node', async () => {
    const world = await aWorld()
    const self = async () => {
      const { Config, Member } = (await world.manage('GET', '/agent/self')) as {
        Config: { NodeID: string; NodeName: string }
        Member: { ID: string }
      }
      return { ...Config, processId: Member.ID }
    }
    const { NodeID, NodeName: Node, processId } = await self()
    expect(NodeID).toBe(processId)
    const ID = 'aaaaaaaa-0000-4000-8000-000000000001'
    await world.manage('PUT', '/catalog/register', { Node, ID, Address: '127.0.0.1' })
    expect(await self()).toMatchObject({ NodeID: ID, processId })
  })

  test('members are shown to callers that may read their nodes', async () => {
    const member = { datacenter: 'dc1', version: '1.11', mode: 'enabled', status: 'alive' } as const
    const members = ['a', 'b'].map((node) => ({ ...member, id: node, node, address: '127.0.0.1:1' }))
    const world = await aWorld({ cluster: { members: () => members } })
    const token = await world.secretWith('node "b" { policy = "read" }')
    const shown = await world.ask('GET', '/agent/members', { token })
    expect(shown.json).toMatchObject([{ Name: 'b' }])
    expect(shown.headers['X-Service-Results-Filtered-By-ACLs']).toBe('true')
    expect((await world.ask('GET', '/agent/members')).json).toEqual([])
  })

  test('replication shows the ACL mode, for which a secondary waits', async () => {
    const world = await aWorld()
    expect((await world.ask('GET', '/acl/replication')).json).toMatchObject({
      Enabled: false,
      Mode: 'enabled',
    })
    inLegacyMode(world)
    expect((await world.ask('GET', '/acl/replication')).json).toMatchObject({ Mode: 'legacy' })
  })
})

test('DOS-05: all answers with the OpenAPI document share their bytes, compact and indented', async () => {
  const { service } = await aWorld()
  const bodyOf = async (url: string) => {
    const request = { method: 'GET', url, header: () => undefined, requestId: 'r', readBody: NO_BODY }
    return (await service.handle(request)).body
  }
  for (const url of ['/v1/openapi.json', '/v1/openapi.json?pretty']) {
    const body = await bodyOf(url)
    expect(body).toBeInstanceOf(Uint8Array)
    expect(await bodyOf(url)).toBe(body)
  }
})

const NO_BODY = async () => new Uint8Array(0)
