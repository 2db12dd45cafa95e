import type { TokenRecord } from '@latchkey/acl'
import { type ChangesDigest, REDACTED_SECRET_ID } from '@latchkey/contract'
import { aPolicy, aRole, aToken } from '@latchkey/testkit/records/record-builders'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'
import type { Change } from '../store/store.ts'

async function digestOf(world: World, query = ''): Promise<ChangesDigest> {
  const reply = await world.ask('GET', `/acl/changes/digest${query}`, { token: MANAGEMENT })
  expect(reply.status, reply.text).toBe(200)
  return reply.json as ChangesDigest
}

function put(world: World, ...records: readonly TokenRecord[]): number {
  return world.store.commitNow(
    records.map((record) => ({ table: 'tokens', op: 'put', record, expect: undefined }) as const),
  )
}

test('two stores with the same records have the same digest, whatever their order, indexes and local tokens', async () => {
  const worlds = [await aWorld(), await aWorld()]
  const tokens = Array.from({ length: 600 }, () => aToken())
  const [policy, role] = [aPolicy(), aRole()]
  const directory: Change[] = [
    { table: 'policies', op: 'put', record: policy, expect: 0 },
    { table: 'roles', op: 'put', record: role, expect: 0 },
  ]
  const digests: ChangesDigest[] = []
  for (const [i, world] of worlds.entries()) {
    if (i === 1) put(world, { ...aToken(), Local: true }, aToken({ AccessorID: '', Type: 'client' }))
    put(world, ...(i === 0 ? tokens : tokens.toReversed()))
    world.store.commitNow(directory)
    digests.push(await digestOf(world))
  }
  const [a, b] = digests
  expect({ ...a, Index: 0, Cluster: '' }).toEqual({ ...b, Index: 0, Cluster: '' })
  expect(a?.Tokens?.Count).toBeGreaterThanOrEqual(600)
  const [world] = worlds
  if (!world) return expect.fail()
  put(world, { ...(tokens[0] ?? aToken()), Description: 'other' })
  const changed = await digestOf(world)
  expect(changed.Tokens?.Count).toBe(a?.Tokens?.Count)
  expect(changed.Tokens?.Hash).not.toBe(a?.Tokens?.Hash)
  expect(changed.Policies).toEqual(a?.Policies)
})

test('is answered only if nothing but keys and local tokens has changed since an index', async () => {
  const world = await aWorld()
  const at = put(world, aToken())
  await world.manage('PUT', '/kv/key', 'value')
  put(world, { ...aToken(), Local: true })
  expect((await digestOf(world, `?at=${at}`)).Tokens?.Count).toBeGreaterThan(0)
  put(world, aToken())
  expect(await digestOf(world, `?at=${at}`)).toMatchObject({ Changed: true, Index: at + 3 })
  expect((await digestOf(world, `?at=${at}`)).Tokens).toBeUndefined()
})

test('leaves out a token whose secret is unknown, and counts it', async () => {
  const world = await aWorld()
  const before = await digestOf(world)
  put(world, aToken({ SecretID: REDACTED_SECRET_ID }))
  expect(await digestOf(world)).toMatchObject({ Tokens: before.Tokens, LeftOut: 1 })
})
