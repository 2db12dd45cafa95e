/** The locks of the SDK, tested with the service. */
import { once } from 'node:events'
import { createClient, LockLost } from '@latchkey/sdk'
import { expect, test, vi } from 'vitest'
import { createMockService } from '../src/index.ts'

const service = createMockService()
const { managementToken: token, baseUrl: address, fetch } = service
const client = createClient({ address, fetch, token })
const LONG_MS = 20_000

/** Timers are fake during the test; each test has a new service. */
function testInFakeTime(title: string, body: () => Promise<void>): void {
  test(title, async () => {
    vi.useFakeTimers()
    await body().finally(() => {
      vi.useRealTimers()
      service.reset()
    })
  })
}

/** Without a lock delay, which would only end by the clock of the service. */
const atOnce = { lockDelay: 0 }

test('one client holds a lock at a time, and each gets a higher index', async () => {
  const order: number[] = []
  const first = await client.locks.acquire('one', { ...atOnce, value: 'kept', flags: 7 })
  expect(await client.locks.tryAcquire('one', atOnce)).toBeUndefined()
  const second = client.locks.acquire('one', atOnce)
  order.push(first.index)
  expect(await first.release()).toBe(true)
  expect(first.signal.aborted).toBe(false)
  {
    await using lock = await second
    order.push(lock.index)
    expect(await client.kv.get('one')).toMatchObject({ Session: lock.session, LockIndex: lock.index })
  }
  expect(order).toEqual([1, 2])
  expect(await client.kv.get('one')).not.toHaveProperty('Session')
  expect(await client.sessions.list()).toEqual([])
})

test('a release keeps value and flags of the key', async () => {
  const lock = await client.locks.acquire('kept', { ...atOnce, value: 'a', flags: 7 })
  await client.kv.put('kept', 'b', { flags: 8 })
  await lock.release()
  expect(await client.kv.get('kept')).toMatchObject({ Value: btoa('b'), Flags: 8 })
})

test.each([
  ['its session ends', (session: string) => client.sessions.destroy(session)],
  ['its key is deleted', () => client.kv.delete('lost')],
])('the signal of a lock is aborted when %s, and its release says so', async (_, lose) => {
  const lock = await client.locks.acquire('lost', atOnce)
  await lose(lock.session)
  await expect.poll(() => lock.signal.aborted, { timeout: LONG_MS }).toBe(true)
  expect(lock.signal.reason).toBeInstanceOf(LockLost)
  expect(await lock.release()).toBe(false)
})

test('a lock that can no longer be watched is lost, and its release says so', async () => {
  const lock = await client.locks.acquire('unwatched', atOnce)
  service.failNext('kv.read', 'privilege_missing')
  await client.kv.put('unwatched', 'wakes the watch')
  await expect.poll(() => lock.signal.aborted, { timeout: LONG_MS }).toBe(true)
  expect(lock.signal.reason).toBeInstanceOf(LockLost)
  expect(await lock.release()).toBe(false)
  expect(await client.kv.get('unwatched')).not.toHaveProperty('Session')
})

testInFakeTime('a lock that is lost because its session could not be renewed says why', async () => {
  const lock = await client.locks.acquire('unrenewed', { ...atOnce, ttl: 10_000 })
  service.failNext('sessions.renew', 503, 100)
  await vi.advanceTimersByTimeAsync(LONG_MS)
  expect(lock.signal.reason).toBeInstanceOf(LockLost)
  expect(lock.signal.reason).toMatchObject({ cause: { endpoint: 'sessions.renew', status: 503 } })
  expect(await lock.release()).toBe(false)
})

testInFakeTime(
  'the TTL of a lock runs from when its last renewal was sent, not from its late answer',
  async () => {
    const lock = await client.locks.acquire('slow', { ...atOnce, ttl: 10_000 })
    service.latency((endpoint) => (endpoint === 'sessions.renew' ? 1_500 : 0))
    await vi.advanceTimersByTimeAsync(7_000)
    service.failNext('sessions.renew', 503, 100)
    await vi.advanceTimersByTimeAsync(7_900)
    expect(lock.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    expect(lock.signal.aborted).toBe(true)
    await lock.release()
  },
)

testInFakeTime('a wait whose session has ended rejects with LockLost at the next renewal', async () => {
  const held = await client.locks.acquire('ended', { ...atOnce, ttl: 60_000 })
  const waiting = client.locks.acquire('ended', { ...atOnce, ttl: 10_000 }).catch((error: unknown) => error)
  await service.untilWaiting(2)
  const sessions = await client.sessions.list()
  for (const { ID } of sessions) if (ID !== held.session) await client.sessions.destroy(ID)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(await Promise.race([waiting, 'still waiting'])).toBeInstanceOf(LockLost)
  await held.release()
})

testInFakeTime('a lock outlasts one renewal that is never answered', async () => {
  const lock = await client.locks.acquire('unanswered', { ...atOnce, ttl: 10_000 })
  service.latency((endpoint) => (endpoint === 'sessions.renew' ? LONG_MS : 0))
  await vi.advanceTimersByTimeAsync(6_000)
  service.latency(0)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(lock.signal.aborted).toBe(false)
  await lock.release()
})

testInFakeTime('an attempt of a renewal takes no longer than the client allows', async () => {
  const hasty = createClient({ address, fetch, token, attemptTimeout: 500 })
  const lock = await hasty.locks.acquire('hasty', { ...atOnce, ttl: 60_000 })
  service.latency((endpoint) => (endpoint === 'sessions.renew' ? LONG_MS : 0))
  const attempts = () => service.calls.filter(({ endpoint }) => endpoint === 'sessions.renew').length
  const before = attempts()
  await vi.advanceTimersByTimeAsync(34_000)
  expect(attempts() - before).toBeGreaterThan(1)
  await lock.release()
})

test('a wait for a lock ends with its signal, and leaves no session', async () => {
  await using _held = await client.locks.acquire('busy', atOnce)
  const end = new AbortController()
  const waiting = client.locks.acquire('busy', { ...atOnce, signal: end.signal })
  await service.untilWaiting(2)
  end.abort(new TypeError('no more'))
  await expect(waiting).rejects.toThrow('no more')
  expect(await client.sessions.list()).toHaveLength(1)
})

test('one candidate leads at a time, and the next follows when its lock is lost', async () => {
  const end = new AbortController()
  const terms: string[] = []
  let leading = 0
  const stand = (name: string) =>
    client.locks.lead(
      'leader',
      async (lock) => {
        leading += 1
        expect(leading).toBe(1)
        terms.push(name)
        if (terms.length === 3) end.abort()
        else await client.sessions.destroy(lock.session)
        if (terms.length < 3) await once(lock.signal, 'abort')
        leading -= 1
        lock.signal.throwIfAborted()
      },
      { ...atOnce, signal: end.signal },
    )
  await Promise.all([stand('a'), stand('b')])
  expect(terms).toHaveLength(3)
})

test('an election ends with the error of a leader that still holds its lock', async () => {
  const work = () => Promise.reject(new TypeError('broken'))
  await expect(client.locks.lead('failing', work, atOnce)).rejects.toThrow('broken')
  expect(await client.sessions.list()).toEqual([])
})

test('a candidate whose check is critical waits until it has recovered', async () => {
  const check = (Status: string) =>
    client.catalog.register({ Node: 'n', Address: '10.0.0.1', Check: { CheckID: 'c', Name: 'c', Status } })
  await check('critical')
  const session = { Node: 'n', Checks: ['c'] }
  await expect(client.locks.acquire('unwell', { ...atOnce, session })).rejects.toMatchObject({
    code: 'check_critical',
  })
  const end = new AbortController()
  let terms = 0
  const lead = async () => {
    terms += 1
    if (terms === 1) await check('critical')
    else end.abort()
  }
  const attempts = () => service.calls.filter(({ endpoint }) => endpoint === 'sessions.create').length
  const before = attempts()
  const leading = client.locks.lead('unwell', lead, { ...atOnce, session, signal: end.signal })
  for (const refusals of [1, 3]) {
    await expect.poll(() => attempts() - before, { timeout: LONG_MS }).toBeGreaterThanOrEqual(refusals)
    await check('passing')
  }
  await leading
  expect(terms).toBe(2)
})

test('a wait whose session ends rejects with LockLost, and a candidate stands again', async () => {
  const held = await client.locks.acquire('contested', atOnce)
  const end = new AbortController()
  const lead = async () => end.abort()
  const waits = Promise.all([
    client.locks.lead('contested', lead, { ...atOnce, signal: end.signal }),
    expect(client.locks.acquire('contested', atOnce)).rejects.toThrow(LockLost),
  ])
  await service.untilWaiting(3)
  const waiting = (await client.sessions.list()).filter(({ ID }) => ID !== held.session)
  for (const { ID } of waiting) await client.sessions.destroy(ID)
  await held.release()
  await waits
  expect(end.signal.aborted).toBe(true)
})
