import { PROMOTION_INDEX_GAP, type ReplicationRecord } from '@latchkey/acl'
import type { Changes, PromotedDatacenter } from '@latchkey/contract'
import { putOf } from '@latchkey/testkit/records/changes'
import { aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { aWorld, MANAGEMENT, type World, type WorldOptions } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'
import { isSecondary, type ReplicationState } from '../options.ts'

const FOLLOWED = '11111111-1111-4111-8111-111111111111'
const OTHER = '22222222-2222-4222-8222-222222222222'
const FOLLOWING: ReplicationRecord = {
  cluster: FOLLOWED,
  index: 5_000,
  skipped: [{ accessorId: OTHER, reason: 'its secret is in use' }],
}

/** A secondary in the state that replication has left. */
async function aSecondary(replication = FOLLOWING, options: WorldOptions = {}): Promise<World> {
  const world = await aWorld({ datacenter: 'dc2', primaryDatacenter: 'dc1', ...options })
  const { store } = world
  const record = { Key: 'replication', Value: replication, CreateIndex: 0, ModifyIndex: 0 } as const
  await store.commit([putOf('system', record)])
  return world
}

const put = (world: World, what: 'accept' | 'promote', body: object) =>
  world.ask('PUT', `/acl/replication/${what}`, { token: MANAGEMENT, body })
const secondary = ({ store }: World) => isSecondary({ datacenter: 'dc2', primaryDatacenter: 'dc1', store })

test('a promotion makes the datacenter the primary immediately, with another ID and indexes above those of the old primary', async () => {
  const world = await aSecondary()
  const before = (await world.ask('GET', '/acl/changes', { token: MANAGEMENT })).json as Changes
  const reply = await put(world, 'promote', { Datacenter: 'dc2' })
  expect(reply.status, reply.text).toBe(200)
  const promoted = reply.json as PromotedDatacenter
  expect(promoted).toMatchObject({ Datacenter: 'dc2', FollowedCluster: FOLLOWED, FollowedIndex: 5_000 })
  expect(promoted.Skipped).toEqual([{ AccessorID: OTHER, Reason: 'its secret is in use' }])
  expect(promoted.Index).toBeGreaterThan(5_000 + PROMOTION_INDEX_GAP)
  expect(promoted.Cluster).not.toBe(before.Cluster)
  expect(secondary(world)).toBe(false)
  expect(world.store.directory().system('replication')).toBeUndefined()
  const after = (await world.ask('GET', '/acl/changes', { token: MANAGEMENT })).json as Changes
  expect(after).toMatchObject({ Cluster: promoted.Cluster, Tokens: before.Tokens, Policies: before.Policies })
})

test('a promotion closes bootstrap, so that nobody can take over', async () => {
  const world = await aSecondary()
  await put(world, 'promote', { Datacenter: 'dc2' })
  const reply = await world.ask('PUT', '/acl/bootstrap')
  expect(reply.status).toBe(403)
  expect(reply.text).toMatch(/no longer allowed/)
})

test('a replicator that has not noticed the promotion can no longer commit', async () => {
  const world = await aSecondary()
  const { store } = world
  const read = store.directory().system('replication')
  if (!read) throw new Error('it follows')
  await put(world, 'promote', { Datacenter: 'dc2' })
  const late = putOf('system', read, read.ModifyIndex)
  await expect(store.commit([late])).rejects.toMatchObject({ reason: 'changed' })
})

test('409 replication_refused: the primary still answers, unless the operator forces the promotion', async () => {
  const replication = (): ReplicationState => ({
    enabled: true,
    running: true,
    sourceDatacenter: 'dc1',
    type: 'tokens',
    index: 5_000,
    hasTokens: true,
    lastSuccess: '2028-02-29T11:59:28Z',
    lastError: '0001-01-01T00:00:00Z',
    lastErrorMessage: '',
    cluster: OTHER,
    primaryIndex: 5_000,
    lagIndex: 0,
    lagSeconds: 0,
    state: 'following',
    skipped: [],
  })
  const world = await aSecondary(FOLLOWING, { cluster: { replication } })
  const refused = await put(world, 'promote', { Datacenter: 'dc2' })
  expect(refused).toMatchObject({ status: 409 })
  expect(refused.text).toContain('dc1 answered at 2028-02-29T11:59:28Z')
  expect(secondary(world)).toBe(true)
  expect((await put(world, 'promote', { Datacenter: 'dc2', Force: true })).status).toBe(200)
})

test('an accepted store is remembered, and ends a promotion', async () => {
  const world = await aSecondary()
  const { store } = world
  const reply = await put(world, 'accept', { Cluster: OTHER.toUpperCase() })
  expect(reply.json).toEqual({ Accepted: OTHER, PrimaryDatacenter: 'dc1' })
  expect(store.directory().system('replication')?.Value).toEqual({ ...FOLLOWING, accepted: OTHER })
  const { Cluster, Index } = (await put(world, 'promote', { Datacenter: 'dc2' })).json as PromotedDatacenter
  expect((await put(world, 'accept', { Cluster: OTHER })).status).toBe(200)
  expect(secondary(world)).toBe(true)
  expect(store.directory().system('replication')?.Value).toEqual({
    cluster: Cluster,
    index: Index,
    skipped: [],
    accepted: OTHER,
  })
})

test('403 privilege_missing: in the extended edition only a global manager promotes or accepts', async () => {
  const world = await aSecondary(FOLLOWING, { edition: 'extended' })
  const policy = { table: 'policies', op: 'put', expect: 0 } as const
  const { store } = world
  const record = aPolicy({ Rules: 'acl = "write"' })
  const token = aToken({ Policies: [{ ID: record.ID }] })
  const replication = { Key: 'replication', Value: FOLLOWING, CreateIndex: 0, ModifyIndex: 0 } as const
  await store.commit([{ ...policy, record }, putOf('tokens', token, 0), putOf('system', replication)])
  for (const [what, body] of [
    ['promote', { Datacenter: 'dc2' }],
    ['accept', { Cluster: OTHER }],
  ] as const) {
    const reply = await world.ask('PUT', `/acl/replication/${what}`, { token: token.SecretID, body })
    expect(reply.status, reply.text).toBe(403)
  }
  expect(secondary(world)).toBe(true)
})
