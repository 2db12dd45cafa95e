import { convertForMigration, DEFAULT_NAMESPACE } from '@latchkey/acl'
import { type Changes, REDACTED_SECRET_ID } from '@latchkey/contract'
import { putOf } from '@latchkey/testkit/records/changes'
import { aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'
import type { Content } from '../handler.ts'

async function ask(world: World, query: string): Promise<{ changes: Changes; cursor: string | undefined }> {
  const reply = await world.ask('GET', `/acl/changes${query}`, { token: MANAGEMENT })
  expect(reply.status, reply.text).toBe(200)
  return { changes: reply.json as Changes, cursor: reply.headers['X-Service-Next-Cursor'] }
}

describe('a reader', () => {
  test('starts over if the store was reset, or the changes are too many or too long', async () => {
    const world = await aWorld()
    const { changes } = await ask(world, '')
    const isReset = async (index: number) => (await ask(world, `?index=${index}`)).changes.Reset === true
    const put = (Rules: string) => putOf('policies', aPolicy({ Rules }), 0)
    const long = world.store.commitNow(Array.from({ length: 9 }, () => put('x'.repeat(500_000))))
    expect(await isReset(changes.Index)).toBe(true)
    const token = () => putOf('tokens', aToken(), 0)
    world.store.commitNow(Array.from({ length: 5_000 }, token))
    expect(await isReset(long)).toBe(false)
    world.store.commitNow([token()])
    expect(await isReset(long)).toBe(true)
    world.store.restore(world.store.snapshot())
    expect(await isReset(long + 2)).toBe(true)
  })

  test('does not get a token whose secret is unknown, but the token is counted', async () => {
    const world = await aWorld()
    const { changes } = await ask(world, '')
    const hidden = aToken({ SecretID: REDACTED_SECRET_ID })
    const shown = aToken()
    world.store.commitNow([hidden, shown].map((record) => putOf('tokens', record, 0)))
    const { AccessorID } = shown
    const followed = (await ask(world, `?index=${changes.Index}`)).changes
    expect(followed.Tokens).toMatchObject([{ AccessorID }])
    expect(followed.Deleted.Tokens).toEqual([hidden.AccessorID.toLowerCase()])
    expect(followed.LeftOut).toBe(1)
    const copied = (await ask(world, '')).changes
    expect(copied.Tokens.map((token) => token.AccessorID)).toContain(AccessorID)
    expect(copied.Tokens.map((token) => token.AccessorID)).not.toContain(hidden.AccessorID)
    expect(copied.LeftOut).toBe(1)
  })

  test('with a name is listed with its index and lag, and changes are kept for it', async () => {
    const world = await aWorld()
    const { changes } = await ask(world, '?reader=dc2')
    const put = () => putOf('tokens', { ...aToken(), Local: true }, 0)
    const listed = async () =>
      (await world.ask('GET', '/acl/replication', {})).json as Content<'operations.replication'>
    const Index = changes.Index
    expect((await listed()).Readers).toMatchObject([{ Name: 'dc2', Index, Lag: 0 }])
    for (let i = 0; i < 25; i += 1) world.store.commitNow(Array.from({ length: 1_000 }, put))
    expect((await listed()).Readers).toMatchObject([{ Name: 'dc2', Index, Lag: 25 }])
    expect((await ask(world, `?index=${Index}&reader=dc2&staged`)).changes.Reset).toBeUndefined()
    const last = world.store.commitIndex()
    for (const other of [`?index=${last + 1}`, `?index=${last}&cluster=another`, '?cursor=tokens.'])
      await ask(world, `${other}&reader=dc2`)
    expect((await listed()).Readers).toMatchObject([{ Name: 'dc2', Index, Lag: 25 }])
    await ask(world, `?index=${last - 1}&reader=dc2`)
    for (let i = 0; i < 25; i += 1) world.store.commitNow(Array.from({ length: 1_000 }, put))
    expect((await ask(world, `?index=${Index}&staged`)).changes.Reset).toBe(true)
    expect((await ask(world, `?index=${last - 1}&staged`)).changes.Reset).toBeUndefined()
    for (const name of ['dc/2', 'x'.repeat(65)]) {
      const reply = await world.ask('GET', `/acl/changes?reader=${name}`, { token: MANAGEMENT })
      expect(reply).toMatchObject({ status: 400, code: 'query_invalid' })
    }
  })

  test('waits for a replicated record; keys and local tokens only move its index', async () => {
    const world = await aWorld()
    const { changes } = await ask(world, '')
    const quiet = ask(world, `?index=${changes.Index}&wait=10s`)
    await world.manage('PUT', '/kv/key', 'value')
    await world.clock.advance(11_000)
    const { changes: heartbeat } = await quiet
    expect(heartbeat).toMatchObject({ Index: changes.Index + 1, Tokens: [] })
    const waiting = ask(world, `?index=${heartbeat.Index}&wait=10s`)
    const { AccessorID } = await world.token()
    expect((await waiting).changes.Tokens).toMatchObject([{ AccessorID }])
  })
})

test('403 privilege_missing: in the extended edition only a global manager may follow (spec 4.9)', async () => {
  const world = await aWorld({ edition: 'extended' })
  const secret = await world.secretWith('acl = "write"', { Namespace: DEFAULT_NAMESPACE })
  expect(await world.ask('GET', '/acl/tokens', { token: secret })).toMatchObject({ status: 200 })
  for (const query of ['', '?index=1']) {
    const reply = await world.ask('GET', `/acl/changes${query}`, { token: secret })
    expect(reply).toMatchObject({ status: 403, code: 'privilege_missing' })
  }
})

test('WithoutAccessor counts the global tokens that answers cannot contain yet (spec 9.2.3)', async () => {
  const world = await aWorld()
  const waiting = () => aToken({ AccessorID: '', Type: 'client' })
  const tokens = [waiting(), waiting(), { ...waiting(), Local: true }]
  const index = world.store.commitIndex()
  world.store.commitNow(tokens.map((record) => putOf('tokens', record, 0)))
  const { changes } = await ask(world, `?index=${index}`)
  expect(changes).toMatchObject({ Tokens: [], WithoutAccessor: 2 })
  for (const token of tokens) {
    const stored = await world.store.tokenBySecret(token.SecretID)
    if (stored === undefined) throw new Error('it was stored')
    const record = convertForMigration(stored, aToken().AccessorID)
    world.store.commitNow([putOf('tokens', record, stored.ModifyIndex)])
  }
  const { changes: all } = await ask(world, `?index=${changes.Index}`)
  expect(all.Tokens).toHaveLength(2)
  expect(all).not.toHaveProperty('WithoutAccessor')
})
