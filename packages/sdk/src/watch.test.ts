import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { atOnce } from '../test/at-once.ts'
import { clientOf } from '../test/client.ts'
import { ACCESSOR_ID, aToken } from '../test/records.ts'
import {
  html,
  json,
  problem,
  type Reply,
  reset,
  silence,
  startServer,
  type TestServer,
} from '../test/test-server.ts'
import { ContractBroken, PermissionDenied } from './errors.ts'
import type { RetryEvent } from './options.ts'
import type { Watch } from './watch.ts'

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  vi.restoreAllMocks()
})

function state(index: number, description = `at ${index}`): Reply {
  return json(aToken({ Description: description }), { 'X-Service-Index': index })
}

/** The `index` option of each request; null for the current state. */
function askedIndexes(server: TestServer): (string | null)[] {
  return server.requests.map(({ url }) => new URL(url, server.address).searchParams.get('index'))
}

async function take<T>(watch: Watch<T>, count: number): Promise<{ index: number | undefined; value: T }[]> {
  const states: { index: number | undefined; value: T }[] = []
  for await (const { index, value } of watch) {
    states.push({ index, value })
    if (states.length === count) break
  }
  return states
}

test('yields the current state, then waits for each later one by its index (spec 4.1)', async () => {
  await using server = await startServer(state(7), state(9), state(12), silence())
  const states = await take(clientOf(server).tokens.watch(ACCESSOR_ID), 3)
  expect(states.map(({ index, value }) => [index, value?.Description])).toEqual([
    [7, 'at 7'],
    [9, 'at 9'],
    [12, 'at 12'],
  ])
  expect(askedIndexes(server)).toEqual([null, '7', '9'])
})

test('a wait that ends without news yields nothing', async () => {
  const later: Reply = (response, request) => {
    setTimeout(() => state(7)(response, request), 60)
  }
  await using server = await startServer(state(7), later, later, state(8))
  const states = await take(clientOf(server).tokens.watch(ACCESSOR_ID, { wait: 100 }), 2)
  expect(states.map(({ index }) => index)).toEqual([7, 8])
  expect(askedIndexes(server)).toEqual([null, '7', '7', '7'])
})

test('resumes after a given index without the known state', async () => {
  await using server = await startServer(state(9))
  const states = await take(clientOf(server).tokens.watch(ACCESSOR_ID, { index: 7 }), 1)
  expect(states[0]?.index).toBe(9)
  expect(askedIndexes(server)).toEqual(['7'])
})

test('an index that goes backward is a new state, and the next request starts over (spec 9.3, 1.0.7)', async () => {
  await using server = await startServer(state(90), state(3), state(3), state(4))
  const states = await take(clientOf(server).tokens.watch(ACCESSOR_ID), 3)
  expect(states.map(({ index }) => index)).toEqual([90, 3, 4])
  expect(askedIndexes(server)).toEqual([null, '90', null, '3'])
})

test('an index of 0 does not turn waiting into polling', async () => {
  await using server = await startServer(state(0), state(2))
  await take(clientOf(server).tokens.watch(ACCESSOR_ID), 2)
  expect(askedIndexes(server)).toEqual([null, '1'])
})

test('resumes after faults with its last index, and misses no last state (SDK-01)', async () => {
  await using server = await startServer(
    state(7),
    html(504),
    problem(500, 'internal'),
    problem(429, 'too_many_connections'),
    html(504),
    state(20),
  )
  const events: RetryEvent[] = []
  const client = clientOf(server, { onRetry: (event) => events.push(event) })
  const states = await take(client.tokens.watch(ACCESSOR_ID), 2)
  expect(states.map(({ index }) => index)).toEqual([7, 20])
  expect(askedIndexes(server)).toEqual([null, '7', '7', '7', '7', '7'])
  expect(events.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4])
})

test.each([
  ['a reset connection', reset()],
  ['502', html(502)],
  ['503', problem(503, 'unavailable')],
])('after %s, a service that has lost commits is not waited for', async (_, fault) => {
  await using server = await startServer(state(1_000), fault, state(5), state(6))
  const states = await take(clientOf(server).tokens.watch(ACCESSOR_ID), 3)
  expect(states.map(({ index }) => index)).toEqual([1_000, 5, 6])
  expect(askedIndexes(server)).toEqual([null, '1000', null, null])
})

test('a state that can be read but not waited for counts as no end of the faults', async () => {
  await using server = await startServer((response, request) =>
    (request.url.includes('index=') ? html(502) : state(7))(response, request),
  )
  const attempts: number[] = []
  const client = clientOf(server, { onRetry: ({ attempt }) => attempts.push(attempt) })
  const watch = client.tokens.watch(ACCESSOR_ID, { retries: 3 })
  await expect(take(watch, 2)).rejects.toMatchObject({ status: 502 })
  expect(attempts).toEqual([1, 2, 3])
})

test('ends with the last fault after as many retries as its owner allows', async () => {
  await using server = await startServer(
    state(7),
    html(502),
    state(8),
    html(502),
    problem(503, 'internal'),
    state(9),
  )
  const client = clientOf(server)
  const seen: (number | undefined)[] = []
  const follow = async () => {
    for await (const { index } of client.tokens.watch(ACCESSOR_ID, { retries: 1 })) seen.push(index)
  }
  await expect(follow()).rejects.toMatchObject({ kind: 'unavailable', status: 503 })
  expect(seen).toEqual([7, 8])
})

test('pauses longer after each fault, at most 30 s and what Retry-After says on top', async () => {
  vi.mocked(Math.random).mockReturnValue(1 / 64)
  await using server = await startServer(
    html(502),
    html(502),
    problem(503, 'unavailable', {}, { 'Retry-After': 1 }),
    state(7),
  )
  const pauses: number[] = []
  const client = clientOf(server, { onRetry: ({ delayMs }) => pauses.push(delayMs) })
  await take(client.tokens.watch(ACCESSOR_ID), 1)
  expect(pauses).toEqual([250 / 64, 500 / 64, 1_000 + 1_000 / 64])
})

test('pauses for an hour at most, whatever Retry-After says', async () => {
  for (const retryAfter of ['9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT']) {
    await using server = await startServer(problem(503, 'unavailable', {}, { 'Retry-After': retryAfter }))
    const pause = Promise.withResolvers<number>()
    const client = clientOf(server, { onRetry: ({ delayMs }) => pause.resolve(delayMs) })
    const watch = client.tokens.watch(ACCESSOR_ID)
    void watch.next()
    expect(await pause.promise).toBe(3_600_000)
    await watch.return()
  }
})

test('backs off from a service that does not wait', async () => {
  vi.mocked(Math.random).mockReturnValue(0.5)
  await using server = await startServer(state(7))
  const watch = clientOf(server).tokens.watch(ACCESSOR_ID)
  await watch.next()
  void watch.next()
  await delay(600)
  await watch.return()
  expect(server.requests.length).toBeLessThan(6)
})

test('backs off from two services with different histories behind one address', async () => {
  vi.mocked(Math.random).mockReturnValue(0.5)
  let isOdd = false
  await using server = await startServer((response, request) => {
    isOdd = !isOdd
    state(isOdd ? 90 : 3)(response, request)
  })
  const watch = clientOf(server).tokens.watch(ACCESSOR_ID)
  const until = performance.now() + 800
  while (performance.now() < until) await Promise.race([watch.next(), delay(until - performance.now())])
  await watch.return()
  expect(server.requests.length).toBeLessThan(20)
})

test('asks for nothing while the loop body runs, over one connection', async () => {
  await using server = await startServer(state(7), state(8), state(9))
  let count = 0
  for await (const _ of clientOf(server).tokens.watch(ACCESSOR_ID)) {
    count += 1
    await delay(50)
    expect(server.requests).toHaveLength(count)
    if (count === 3) break
  }
  expect(server.openSocketsMax).toBe(1)
})

test('an absent record is undefined, and its creation is waited for (decisions: blocking queries)', async () => {
  const absent = problem(404, 'not_found', {}, { 'X-Service-Index': 5 })
  await using server = await startServer(absent, state(6), absent)
  const states = await take(clientOf(server).tokens.watch(ACCESSOR_ID), 3)
  expect(states.map(({ index, value }) => [index, value?.Description])).toEqual([
    [5, undefined],
    [6, 'at 6'],
    [5, undefined],
  ])
  expect(askedIndexes(server)).toEqual([null, '5', '6'])
})

test('an absence without an index is polled and yielded once', async () => {
  const absent = problem(404, 'not_found')
  await using server = await startServer(absent, absent, state(6))
  const states = await take(clientOf(server).tokens.watch(ACCESSOR_ID), 2)
  expect(states.map(({ value }) => value?.Description)).toEqual([undefined, 'at 6'])
  expect(askedIndexes(server)).toEqual([null, null, null])
})

test('ends with a refusal that a retry cannot fix', async () => {
  await using server = await startServer(state(7), problem(403, 'caller_unknown'))
  const watch = clientOf(server).tokens.watchSelf()
  await watch.next()
  await expect(watch.next()).rejects.toThrow(PermissionDenied)
  await expect(watch.next()).resolves.toEqual({ done: true, value: undefined })
})

test.each(['', '9'.repeat(400)])(
  'an answer without an index of the family, or with one beyond all numbers, breaks the contract: %j',
  async (index) => {
    await using server = await startServer(json(aToken(), { 'X-Service-Index': index }))
    await expect(clientOf(server).tokens.watchSelf().next()).rejects.toThrow(ContractBroken)
  },
)

test('an abort ends a waiting watch at once with the reason of the signal (SDK-01)', async () => {
  await using server = await startServer(state(7), silence())
  const abort = new AbortController()
  const watch = clientOf(server).tokens.watch(ACCESSOR_ID, { signal: abort.signal })
  await watch.next()
  const next = watch.next().catch((e: unknown) => e)
  await expect.poll(() => server.requests.length).toBe(2)
  const reason = new Error('enough')
  abort.abort(reason)
  expect(await atOnce(next)).toBe(reason)
})

test('return aborts the request in flight and completes the pending next', async () => {
  await using server = await startServer(state(7), silence())
  const watch = clientOf(server).tokens.watch(ACCESSOR_ID)
  await watch.next()
  const next = watch.next()
  await expect.poll(() => server.requests.length).toBe(2)
  expect(await atOnce(watch.return())).toEqual({ done: true, value: undefined })
  expect(await atOnce(next)).toEqual({ done: true, value: undefined })
  await expect
    .poll(() => {
      server.closeIdle()
      return [...server.openSockets].filter((socket) => socket.bytesRead > 0)
    })
    .toEqual([])
})

test('a watch leaves no listener on the signal of its owner', async () => {
  await using server = await startServer(state(7), state(8), problem(403, 'caller_unknown'), state(9))
  const { signal } = new AbortController()
  const added = vi.spyOn(signal, 'addEventListener')
  const removed = vi.spyOn(signal, 'removeEventListener')
  await take(clientOf(server).tokens.watch(ACCESSOR_ID, { signal }), 2)
  await expect(clientOf(server).tokens.watchSelf({ signal }).next()).rejects.toThrow(PermissionDenied)
  await clientOf(server).tokens.self({ signal })
  expect(added.mock.calls.length).toBeGreaterThan(0)
  expect(removed).toHaveBeenCalledTimes(added.mock.calls.length)
})

test('lists, roles, policies and trees of keys are watched in the same way', async () => {
  const list = (index: number): Reply => json([], { 'X-Service-Index': index })
  await using server = await startServer(
    list(1),
    list(2),
    list(3),
    problem(404, 'not_found', {}, { 'X-Service-Index': 4 }),
  )
  const client = clientOf(server)
  const first = async (watch: Watch<unknown>) => (await take(watch, 1))[0]
  expect(await first(client.tokens.watchList({ policy: ACCESSOR_ID }))).toEqual({ index: 1, value: [] })
  expect(await first(client.roles.watchList())).toEqual({ index: 2, value: [] })
  expect(await first(client.policies.watchList())).toEqual({ index: 3, value: [] })
  expect(await first(client.kv.watchTree('app/'))).toEqual({ index: 4, value: [] })
  expect(server.requests.map(({ url }) => url)).toEqual([
    `/v1/acl/tokens?policy=${ACCESSOR_ID}`,
    '/v1/acl/roles',
    '/v1/acl/policies',
    '/v1/kv/app/?recurse',
  ])
})
