import { convertForMigration, DEFAULT_NAMESPACE } from '@latchkey/acl'
import { type Changes, REDACTED_SECRET_ID } from '@latchkey/contract'
import { deleteOf, putOf } from '@latchkey/testkit/records/changes'
import { aNamespace, aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'
import type { Content } from '../handler.ts'

/** The state of a reader: records by kind and key, and the index of its next request. */
interface Held {
  readonly records: Map<string, unknown>
  readonly cluster: string
  index: number
}

async function ask(world: World, query: string): Promise<{ changes: Changes; cursor: string | undefined }> {
  const reply = await world.ask('GET', `/acl/changes${query}`, { token: MANAGEMENT })
  expect(reply.status, reply.text).toBe(200)
  return { changes: reply.json as Changes, cursor: reply.headers['X-Service-Next-Cursor'] }
}

function apply({ records }: Held, { Namespaces, Policies, Roles, Tokens, Deleted }: Changes): void {
  for (const [kind, keys] of Object.entries(Deleted)) for (const key of keys) records.delete(`${kind}/${key}`)
  for (const record of Namespaces) records.set(`Namespaces/${record.Name}`, record)
  for (const record of Policies) records.set(`Policies/${record.ID}`, record)
  for (const record of Roles) records.set(`Roles/${record.ID}`, record)
  for (const record of Tokens) records.set(`Tokens/${record.AccessorID}`, record)
}

/** @param between is called after each page. */
async function copy(world: World, between: () => void): Promise<{ held: Held; pages: number }> {
  let { changes, cursor } = await ask(world, '')
  const held: Held = { records: new Map(), cluster: changes.Cluster, index: changes.Index }
  for (let pages = 1; ; pages += 1) {
    apply(held, changes)
    between()
    if (cursor === undefined) return { held, pages }
    ;({ changes, cursor } = await ask(world, `?cursor=${cursor}`))
  }
}

async function follow(world: World, held: Held): Promise<void> {
  const { changes } = await ask(world, `?index=${held.index}&cluster=${held.cluster}`)
  expect(changes.Reset).toBeUndefined()
  apply(held, changes)
  held.index = changes.Index
}

/** Like {@link Held.records}, from the store itself. */
async function held(world: World): Promise<Map<string, unknown>> {
  const { store } = world
  const directory = store.directory()
  const records = new Map<string, unknown>()
  for (const record of directory.namespaces()) records.set(`Namespaces/${record.Name}`, record)
  for (const record of directory.roles()) records.set(`Roles/${record.ID}`, record)
  for (const { Datacenters, ...rest } of directory.policies()) {
    records.set(`Policies/${rest.ID}`, Datacenters ? { ...rest, Datacenters } : rest)
  }
  for await (const tokens of store.tokens({ local: false })) {
    for (const { Local: _, AuthMethodGeneration: __, ExpirationTime, ...rest } of tokens) {
      if (rest.AccessorID === '') continue
      records.set(`Tokens/${rest.AccessorID}`, ExpirationTime ? { ...rest, ExpirationTime } : rest)
    }
  }
  return records
}

describe('a reader', () => {
  test('has a consistent state after a copy with pages from different moments and the changes since the first page', async () => {
    const world = await aWorld({ edition: 'extended' })
    const tokens = Array.from({ length: 2_500 }, (_, i) => aToken({ Local: i % 5 === 0 }))
    const policies = Array.from({ length: 30 }, () => aPolicy({ Rules: 'x'.repeat(100_000) }))
    world.store.commitNow([
      putOf('namespaces', aNamespace(), 0),
      ...policies.map((record) => putOf('policies', record, 0)),
      ...tokens.map((record) => putOf('tokens', record, 0)),
      putOf('tokens', aToken({ AccessorID: '', Type: 'client' }), 0),
    ])
    let next = 1
    const { held: reader, pages } = await copy(world, () => {
      const [gone, changed, local] = [next, next + 1, 0].map((at) => tokens[at] ?? aToken())
      const policy = policies[next] ?? aPolicy()
      next += 2
      world.store.commitNow([
        deleteOf('tokens', gone ?? aToken()),
        putOf('tokens', { ...(changed ?? aToken()), Description: 'x' }),
        putOf('tokens', { ...(local ?? aToken()), Description: `${next}` }),
        putOf('tokens', aToken(), 0),
        deleteOf('policies', policy),
      ])
    })
    expect(pages).toBeGreaterThan(4)
    expect(reader.records).not.toEqual(await held(world))
    await follow(world, reader)
    expect(reader.records).toEqual(await held(world))
    expect(reader.index).toBe(world.store.commitIndex())
  })

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

  test('far behind, catches up in parts if it requests them, however much has changed', async () => {
    const world = await aWorld()
    const { held: reader } = await copy(world, () => {})
    const token = () => putOf('tokens', aToken(), 0)
    const long = () => putOf('policies', aPolicy({ Rules: 'x'.repeat(500_000) }), 0)
    for (let i = 0; i < 4; i += 1) world.store.commitNow(Array.from({ length: 2_000 }, token))
    for (let i = 0; i < 6; i += 1) world.store.commitNow([long()])
    const start = reader.index
    const steps: number[] = []
    for (let more = true; more; ) {
      const { changes } = await ask(world, `?index=${reader.index}&cluster=${reader.cluster}&staged`)
      apply(reader, changes)
      reader.index = changes.Index
      steps.push(changes.Index - start)
      more = changes.More === true
    }
    expect(steps).toEqual([2, 4, 8, 10])
    expect(reader.records).toEqual(await held(world))
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
