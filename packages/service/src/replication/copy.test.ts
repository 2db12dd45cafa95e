import { SeededRandom } from '@latchkey/testkit/random'
import { deleteOf, putOf } from '@latchkey/testkit/records/changes'
import { aKey, aNamespace, aToken } from '@latchkey/testkit/records/record-builders'
import { aSecondary } from '@latchkey/testkit/replication/secondary'
import { aWorld, MANAGEMENT } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'
import { MemoryStore } from '../store/memory-store.ts'
import type { Change } from '../store/store.ts'
import type { ReplicationStep } from './replicator.ts'
import { Replicator } from './replicator.ts'
import { serviceSource } from './service-source.ts'

const put = (record: ReturnType<typeof aToken>): Change => putOf('tokens', record)
const remove = (record: ReturnType<typeof aToken>): Change => ({ ...put(record), op: 'delete' }) as Change

const manyTokens = (count: number) => Array.from({ length: count }, () => aToken())

describe('the first copy', () => {
  test('continues after a restart where it stopped', async () => {
    const primary = await aWorld()
    primary.store.commitNow(manyTokens(2_500).map(put))
    const { store, step, restart, settle, record } = aSecondary(primary)
    for (let pages = 1; pages <= 3; pages += 1) {
      await step()
      expect(await store.countTokens({})).toBeGreaterThan((pages - 1) * 990)
      expect(record()).toMatchObject({ index: 0, isPartial: true })
      restart()
    }
    await settle()
    expect(await store.countTokens({})).toBe(2_502)
    expect(record()).toMatchObject({ index: primary.store.commitIndex() })
    expect(record()).not.toHaveProperty('isPartial')
  })

  test('503 copy_incomplete: no token of the primary is valid before all have arrived', async () => {
    const primary = await aWorld()
    primary.store.commitNow(manyTokens(1_500).map(put))
    const { store, step, settle } = aSecondary(primary)
    const twinOf = { ...primary, store }
    const secondary = await aWorld({ datacenter: 'dc2', primaryDatacenter: 'dc1', twinOf })
    const own = aToken({ Local: true })
    store.commitNow([put(own)])
    const check = [{ Resource: 'key', Segment: 'a', Access: 'read' }]
    const asked = async () => [
      await secondary.ask('GET', '/acl/token/self', { token: MANAGEMENT }),
      await secondary.ask('POST', '/internal/acl/authorize', { token: MANAGEMENT, body: check }),
      await secondary.ask('GET', '/kv/a', { token: MANAGEMENT }),
    ]
    for (let pages = 0; pages < 2; pages += 1) {
      for (const reply of await asked()) {
        expect(reply).toMatchObject({ status: 503, code: 'copy_incomplete' })
        expect(reply.headers['Retry-After']).toBe('1')
      }
      expect(await secondary.ask('GET', '/acl/token/self', { token: own.SecretID })).toMatchObject({
        status: 200,
      })
      expect(await secondary.ask('GET', '/acl/replication')).toMatchObject({ status: 200 })
      await step()
    }
    await settle()
    expect((await asked()).map(({ status }) => status)).toEqual([200, 200, 404])
    const unknown = { token: aToken().SecretID }
    expect(await secondary.ask('GET', '/acl/token/self', unknown)).toMatchObject({ code: 'caller_unknown' })
  })
})

describe('a copy over records in use', () => {
  /** A secondary of a primary with tokens. */
  async function aFollower(count: number) {
    const primary = await aWorld()
    const tokens = manyTokens(count)
    primary.store.commitNow(tokens.map(put))
    const secondary = aSecondary(primary)
    await secondary.settle()
    return { ...secondary, primary, tokens, secondary }
  }

  test('is one commit of only the differences', async () => {
    const { primary, tokens, store, settle } = await aFollower(50)
    const [gone = aToken(), changed = aToken()] = tokens
    primary.store.commitNow([remove(gone), put({ ...changed, Description: 'other' }), put(aToken())])
    primary.store.restore(primary.store.snapshot())
    const before = store.commitIndex()
    await settle()
    expect(store.commitIndex()).toBe(before + 1)
    expect(await store.countTokens({})).toBe(52)
    expect(await store.tokenByAccessor(changed.AccessorID)).toMatchObject({ Description: 'other' })
  })

  test('that would delete many records waits for an operator, while the stored records stay in use', async () => {
    const { primary, tokens, store, status, step, settle, accept } = await aFollower(400)
    primary.store.commitNow(tokens.slice(0, 101).map(remove))
    primary.store.restore(primary.store.snapshot())
    expect(await settle()).toMatchObject({ outcome: 'paused' })
    expect(status()).toMatchObject({
      state: 'paused',
      lastErrorMessage: 'replication paused: it would delete 101 of 402 tokens',
    })
    expect(await step()).toMatchObject({ outcome: 'paused' })
    expect(await store.countTokens({})).toBe(402)
    accept()
    expect(await settle()).toMatchObject({ outcome: 'unchanged' })
    expect(await store.countTokens({})).toBe(301)
    expect(status()).toMatchObject({ state: 'following', pausedBy: undefined })
  })

  test.each([100, 80])(
    'that deletes %i tokens, which is within the limit, needs no consent',
    async (deleted) => {
      const { primary, tokens, store, settle } = await aFollower(deleted === 100 ? 100 : 399)
      primary.store.commitNow(tokens.slice(0, deleted).map(remove))
      primary.store.restore(primary.store.snapshot())
      expect(await settle()).toMatchObject({ outcome: 'unchanged' })
      expect(await store.countTokens({})).toBe(tokens.length + 2 - deleted)
    },
  )

  test('REP-08, REP-12: never begins for another cluster that no operator has accepted, even an empty one', async () => {
    const { store, status, secondary, settle, accept } = await aFollower(5)
    const { clock } = secondary.primary
    const other = await aWorld({ seed: 2 })
    secondary.primary = await aWorld({ twinOf: { ...other, clock } })
    expect(await settle()).toMatchObject({ outcome: 'paused' })
    expect(status().pausedBy).toMatch(/^the primary is another cluster/)
    expect(await store.countTokens({})).toBe(7)
    accept()
    await settle()
    expect(await store.countTokens({})).toBe(2)
  })

  test('that takes too much memory pauses, until an operator lets everything be copied again', async () => {
    const primary = await aWorld()
    const { store, step, settle, status, record, accept, restart } = aSecondary(primary, {
      copyLimits: { recordsMax: 20, lengthMax: 1_000_000 },
    })
    const gone = manyTokens(1_500)
    primary.store.commitNow(gone.map(put))
    await settle()
    const own = aToken({ Local: true })
    store.commitNow([put(own)])
    primary.store.commitNow([...gone.slice(0, 200).map(remove), ...manyTokens(30).map(put)])
    await primary.policy({ Name: 'new' })
    primary.store.restore(primary.store.snapshot())
    expect(await settle()).toMatchObject({ outcome: 'paused' })
    expect(status().pausedBy).toBe(
      `more than 20 records or 1000000 characters differ: accept ${record().cluster} to copy everything again`,
    )
    expect(await store.countTokens({ local: false })).toBe(1_502)
    // Without consent, records are not compared again and again.
    expect(await step()).toMatchObject({ outcome: 'paused' })

    accept()
    const phases: number[] = []
    for (let i = 0; i < 20 && record().index > 0 === (phases.length === 0); i += 1) {
      await step()
      if (record().index > 0) continue
      expect(await store.tokenBySecret(own.SecretID)).toBeDefined()
      expect(record().isPartial).toBe(true)
      phases.push(await store.countTokens({ local: false }))
      if (i === 1) restart()
    }
    expect(phases).toEqual([1_502, 1_502, 1_532])
    await settle()
    expect(record()).toEqual({ cluster: record().cluster, index: primary.store.commitIndex(), skipped: [] })
    expect(await store.countTokens({ local: false })).toBe(1_332)
    expect(await store.countTokens({ local: true })).toBe(1)
    expect([...store.directory().policies()]).toHaveLength(2)
  })
})

test('REP-15: a global token with the secret of a local one is skipped, and arrives after the local one is deleted', async () => {
  const primary = await aWorld()
  const { store, settle, record } = aSecondary(primary)
  await settle()
  const own = aToken({ Local: true })
  const arriving = aToken({ SecretID: own.SecretID })
  const other = aToken()
  store.commitNow([put(own)])
  primary.store.commitNow([put(arriving), put(other)])
  await settle()
  expect(await store.tokenBySecret(own.SecretID)).toMatchObject({ AccessorID: own.AccessorID })
  expect(await store.tokenByAccessor(other.AccessorID)).toBeDefined()
  expect(record().skipped).toMatchObject([{ accessorId: arriving.AccessorID, heldBy: own.AccessorID }])
  store.commitNow([remove(own)])
  await settle()
  expect(await store.tokenBySecret(own.SecretID)).toMatchObject({ AccessorID: arriving.AccessorID })
  expect(record().skipped).toEqual([])
})

test('a namespace stays while it contains a key of this datacenter', async () => {
  const primary = await aWorld({ edition: 'extended' })
  const { store, settle, record } = aSecondary(primary)
  const namespace = aNamespace({ Name: 'team' })
  primary.store.commitNow([putOf('namespaces', namespace, 0)])
  await settle()
  const key = aKey({ Namespace: 'team' })
  store.commitNow([putOf('kv', key, 0)])
  primary.store.commitNow([deleteOf('namespaces', namespace)])
  await settle()
  expect(record()).toMatchObject({ index: primary.store.commitIndex(), keptNamespaces: ['team'] })
  expect(store.directory().namespace('team')).toBeDefined()
  store.commitNow([deleteOf('kv', key)])
  await settle()
  expect(store.directory().namespace('team')).toBeUndefined()
  expect(record()).not.toHaveProperty('keptNamespaces')
})

test('REP-22: nothing is stored from an answer with an invalid policy, and replication continues once it is valid', async () => {
  const primary = await aWorld()
  const secondary = aSecondary(primary)
  const { store, settle, step, status } = secondary
  await settle()
  await primary.policy({ Name: 'p' })
  const { AccessorID } = await primary.token()
  const { edit } = secondary
  secondary.edit = ({ changes, ...answer }) => ({
    ...answer,
    changes: {
      ...changes,
      Policies: changes.Policies.map((policy) => ({ ...policy, Description: 'x'.repeat(10_000_000) })),
    },
  })
  expect(await step()).toMatchObject({ outcome: 'paused' })
  expect(status().lastErrorMessage).toBe('replication paused: policy 0 is too long')
  expect(await store.tokenByAccessor(AccessorID)).toBeUndefined()
  secondary.edit = edit
  expect(await step()).toMatchObject({ outcome: 'applied' })
  expect(await store.tokenByAccessor(AccessorID)).toBeDefined()
})

test('REP-12: a server of another datacenter, or of this one, is not followed', async () => {
  const primary = await aWorld()
  const { status, step } = aSecondary(primary, { primaryDatacenter: 'dc3' })
  expect(await step()).toMatchObject({ outcome: 'paused' })
  expect(status().pausedBy).toBe('the server is of datacenter "dc1", not of "dc3"')
  const itself = aSecondary(primary)
  const cluster = primary.store.directory().system('cluster')
  if (cluster) itself.store.commitNow([putOf('system', cluster, 0)])
  expect(await itself.step()).toMatchObject({ outcome: 'paused' })
  expect(itself.status().pausedBy).toBe('the server belongs to this datacenter itself')
})

test('without token replication, only policies arrive; tokens arrive when it is turned on again', async () => {
  const primary = await aWorld()
  const { store, settle, record } = aSecondary(primary, { kinds: 'withoutTokens' })
  await settle()
  expect([...store.directory().policies()]).toHaveLength(1)
  expect(await store.countTokens({})).toBe(0)
  expect(record().withoutTokens).toBe(true)
})

test.each([
  ['withoutTokens', 'all', 2_502],
  ['all', 'withoutTokens', 0],
] as const)(
  'a first copy that begins with kinds %s and ends with %s has the tokens of all pages, or none',
  async (before, after, tokens) => {
    const primary = await aWorld()
    primary.store.commitNow(manyTokens(2_500).map(put))
    const { store, step, settle, restart } = aSecondary(primary, { kinds: before })
    await step()
    await step()
    restart({ kinds: after })
    await settle()
    expect(await store.countTokens({})).toBe(tokens)
  },
)

test('a datacenter that no longer replicates tokens deletes all of them, without consent', async () => {
  const primary = await aWorld()
  primary.store.commitNow(manyTokens(200).map(put))
  const { store, settle, restart, record } = aSecondary(primary)
  await settle()
  expect(await store.countTokens({})).toBeGreaterThan(200)
  restart({ kinds: 'withoutTokens' })
  expect(await settle()).toMatchObject({ outcome: 'unchanged' })
  expect(await store.countTokens({})).toBe(0)
  expect(record().withoutTokens).toBe(true)
})

test('a failure is retried soon, and a wait ends when the next attempt may succeed', async () => {
  const primary = await aWorld()
  const { clock } = primary
  const steps: ReplicationStep[] = []
  let isUp = false
  const end = new AbortController()
  const working = serviceSource({
    handle: (request) => primary.service.handle(request),
    secretId: () => MANAGEMENT,
  })
  const replicator = new Replicator({
    ...{ store: new MemoryStore(clock), clock, sleeper: clock, random: new SeededRandom(1) },
    ...{ primaryDatacenter: 'dc1', kinds: 'all' as const },
    source: {
      ask: (query, signal) =>
        isUp ? working.ask(query, signal) : Promise.reject(new Error('no connection')),
    },
    onStep: (step) => steps.push(step),
  })
  const running = replicator.run(end.signal)
  await clock.advance(60_000)
  expect(steps.length).toBeGreaterThan(40)
  expect(Math.max(...steps.map(({ waitMs }) => waitMs))).toBeLessThanOrEqual(1_500)
  expect(replicator.status()).toMatchObject({ state: 'waiting', lastErrorMessage: 'no connection' })
  isUp = true
  replicator.retryNow()
  for (let turn = 0; turn < 100 && replicator.status().state !== 'following'; turn += 1) {
    await clock.advance(30)
    await new Promise((resolve) => setTimeout(resolve))
  }
  expect(replicator.status()).toMatchObject({ state: 'following', lagMs: 0 })
  end.abort()
  await clock.advance(30_000)
  await running
})

test('a token is deleted if it is recreated with the secret of a local one, because the new version is skipped', async () => {
  const primary = await aWorld()
  const { store, settle, record } = aSecondary(primary)
  const before = aToken()
  primary.store.commitNow([put(before)])
  await settle()
  const own = aToken({ Local: true })
  store.commitNow([put(own)])
  // For a short time, the primary had a token with the accessor of the local one, so the replicator looks up the local one.
  const passing = aToken({ AccessorID: own.AccessorID })
  primary.store.commitNow([put(passing)])
  const again = aToken({ AccessorID: before.AccessorID, SecretID: own.SecretID })
  primary.store.commitNow([remove(passing), remove(before), put(again)])
  await settle()
  expect(record().skipped).toMatchObject([{ accessorId: again.AccessorID }])
  expect(await store.tokenByAccessor(before.AccessorID)).toBeUndefined()
  expect(await store.tokenBySecret(own.SecretID)).toMatchObject({ AccessorID: own.AccessorID })
})
