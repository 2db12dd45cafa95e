import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { atOnce, errorOf } from '../../test/at-once.ts'
import { CALLER_SECRET, clientOf } from '../../test/client.ts'
import { ACCESSOR_ID, aToken } from '../../test/records.ts'
import {
  closedAddress,
  halfBody,
  html,
  json,
  plain,
  problem,
  reset,
  startServer,
} from '../../test/test-server.ts'
import { Invalid, type LatchkeyError, Timeout, Unavailable } from '../errors.ts'
import type { ClientOptions, RetryEvent } from '../options.ts'

// Without jitter, every pause is the shortest.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** A client with a frozen clock, whose n-th request gets the n-th answer; further requests get the last answer. */
function clockedClient(options: ClientOptions, ...answers: readonly (() => Promise<Response>)[]) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  let count = 0
  const fetch = vi.fn(() => {
    count += 1
    return answers[Math.min(count, answers.length) - 1]?.() ?? expect.unreachable()
  })
  return { client: clientOf({ address: 'http://acl.example' }, { fetch, ...options }), fetch }
}

const never = () => new Promise<never>(() => {})
const token = async () => Response.json(aToken())
const unavailable =
  (retryAfter: string, headers = {}) =>
  async () =>
    Response.json(
      { code: 'unavailable' },
      { status: 503, headers: { 'Retry-After': retryAfter, ...headers } },
    )

const update = { Local: false, Description: 'new' }

test.each([
  ['a reset connection', reset()],
  ['half a body', halfBody()],
  ['half an error page', halfBody(503, 'text/html')],
  ['429 (spec 8)', problem(429, 'too_many_connections')],
  ['502 of a proxy', html(502)],
  ['503', problem(503, 'unavailable')],
  ['504 of a proxy', html(504)],
])('repeats a read after %s (SDK-01)', async (_, fault) => {
  await using server = await startServer(fault, json(aToken()))
  const token = await clientOf(server).tokens.read(ACCESSOR_ID)
  expect(token.AccessorID).toBe(ACCESSOR_ID)
  expect(server.requests).toHaveLength(2)
})

test('repeats a read twice, then gives the last error (SDK-01)', async () => {
  await using server = await startServer(html(502))
  const error = await errorOf(clientOf(server).tokens.self())
  expect(error).toBeInstanceOf(Unavailable)
  expect(error).toMatchObject({ status: 502, kind: 'unavailable', maybeApplied: false })
  expect(server.requests).toHaveLength(3)
})

test('repeats an attempt that timed out, within the time of the call (SDK-01)', async () => {
  const { client, fetch } = clockedClient({ attemptTimeout: 60 }, never, token)
  const call = client.tokens.self()
  await vi.advanceTimersByTimeAsync(59)
  expect(fetch).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(2)
  expect((await call).AccessorID).toBe(ACCESSOR_ID)
  expect(fetch).toHaveBeenCalledTimes(2)
})

test('does not begin a repetition after the time of the call (SDK-01)', async () => {
  const { client, fetch } = clockedClient({ attemptTimeout: 60, timeout: 100 }, never)
  const call = client.tokens.self().catch((e: unknown) => e)
  await vi.advanceTimersByTimeAsync(99)
  expect(await atOnce(call)).toBe('pending')
  await vi.advanceTimersByTimeAsync(1)
  expect(await call).toBeInstanceOf(Timeout)
  expect(fetch).toHaveBeenCalledTimes(2)
})

test.each([
  ['500', problem(500, 'internal')],
  ['501', problem(501, 'endpoint_not_built')],
  ['a rule that is broken', problem(400, 'id_invalid')],
])('does not repeat a read after %s', async (_, fault) => {
  await using server = await startServer(fault, json(aToken()))
  await expect(clientOf(server).tokens.read(ACCESSOR_ID)).rejects.toThrow()
  expect(server.requests).toHaveLength(1)
})

test('waits as long as Retry-After says, in seconds', async () => {
  const events: RetryEvent[] = []
  const onRetry = (event: RetryEvent) => events.push(event)
  const { client, fetch } = clockedClient({ onRetry }, unavailable('1'), token)
  const call = client.tokens.self()
  await vi.advanceTimersByTimeAsync(999)
  expect(fetch).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  await call
  expect(fetch).toHaveBeenCalledTimes(2)
  expect(events).toMatchObject([{ endpoint: 'tokens.self', attempt: 1, delayMs: 1_000 }])
})

test('measures a Retry-After instant with the clock of the service, not the local one (SDK-01)', async () => {
  const serviceNow = Date.UTC(2001, 0, 1)
  const [now, retryAt] = [serviceNow, serviceNow + 1_000].map((ms) => new Date(ms).toUTCString())
  const delays: number[] = []
  const onRetry = ({ delayMs }: RetryEvent) => delays.push(delayMs)
  const { client } = clockedClient({ onRetry }, unavailable(`${retryAt}`, { Date: now }), token)
  const call = client.tokens.self()
  await vi.advanceTimersByTimeAsync(1_000)
  await call
  expect(delays).toEqual([1_000])
})

test('a truncated error page keeps its status and Retry-After', async () => {
  await using server = await startServer((response, request) => {
    response.setHeader('Retry-After', 3600)
    halfBody(503, 'text/html')(response, request)
  })
  const error = await errorOf(clientOf(server).tokens.self())
  expect(error).toMatchObject({ status: 503, retryAfterMs: 3_600_000 })
})

test('gives up at once if Retry-After exceeds the time of the call', async () => {
  await using server = await startServer(problem(503, 'unavailable', {}, { 'Retry-After': 3600 }))
  const error = await errorOf(clientOf(server).tokens.self())
  expect(error).toMatchObject({ kind: 'unavailable', retryAfterMs: 3_600_000 })
  expect(server.requests).toHaveLength(1)
})

test.each([
  ['a reset connection', reset()],
  ['half a body', halfBody()],
  ['503', problem(503, 'unavailable')],
  ['502 of a proxy', html(502)],
])(
  'does not repeat a write that cannot be repeated after %s, and says that it may be applied',
  async (_, fault) => {
    await using server = await startServer(fault, json(aToken()))
    const error = await errorOf(clientOf(server).tokens.clone(ACCESSOR_ID))
    expect(error).toBeInstanceOf(Unavailable)
    expect(error).toMatchObject({ maybeApplied: true })
    expect(server.requests).toHaveLength(1)
  },
)

test('repeats any write where nothing was applied: 429', async () => {
  await using server = await startServer(problem(429, 'too_many_connections'), json(aToken()))
  await clientOf(server).tokens.clone(ACCESSOR_ID)
  expect(server.requests).toHaveLength(2)
})

test('repeats any write where nothing was sent to the datacenter that makes it: 503 datacenter_unreachable', async () => {
  const fault = problem(503, 'datacenter_unreachable')
  await using server = await startServer(fault, json(aToken()), fault, fault, fault)
  await clientOf(server).tokens.clone(ACCESSOR_ID)
  expect(server.requests).toHaveLength(2)
  await expect(clientOf(server).tokens.clone(ACCESSOR_ID)).rejects.toMatchObject({ maybeApplied: false })
})

test('504 datacenter_silent: repeats what has ids of its own, and neither an update nor a clone', async () => {
  const fault = problem(504, 'datacenter_silent')
  await using server = await startServer(fault, json(aToken()), fault)
  const client = clientOf(server)
  await client.tokens.create()
  expect(server.requests).toHaveLength(2)
  for (const write of [client.tokens.update(ACCESSOR_ID, update), client.tokens.clone(ACCESSOR_ID)]) {
    await expect(write).rejects.toMatchObject({ code: 'datacenter_silent', maybeApplied: true })
  }
  expect(server.requests).toHaveLength(4)
})

test('repeats any write where nothing was sent, and says that nothing was applied', async () => {
  const events: RetryEvent[] = []
  const client = clientOf({ address: await closedAddress() }, { onRetry: (event) => events.push(event) })
  const error = await errorOf(client.tokens.clone(ACCESSOR_ID))
  expect(error).toBeInstanceOf(Unavailable)
  expect(error).toMatchObject({ maybeApplied: false, status: undefined })
  expect(events).toHaveLength(2)
})

test('repeats any write that Deno, whose errors have no code, could not connect for', async () => {
  await using server = await startServer(json({ ID: 'p', Name: 'web' }))
  const refused =
    'error sending request for url (http://x/): client error (Connect): tcp connect error: Connection refused'
  let attempts = 0
  const fetch: typeof globalThis.fetch = async (url, init) => {
    attempts += 1
    if (attempts === 1) throw new TypeError('fetch failed', { cause: new Error(refused) })
    return await globalThis.fetch(url, init)
  }
  await clientOf(server, { fetch }).policies.create({ Name: 'web' })
  expect(attempts).toBe(2)
})

test('repeats an update after a reset connection: it gives the same state', async () => {
  await using server = await startServer(reset(), json(aToken()))
  await clientOf(server).tokens.update(ACCESSOR_ID, update)
  expect(server.requests.map((request) => request.body)).toEqual([
    JSON.stringify(update),
    JSON.stringify(update),
  ])
})

test('does not repeat an update after a timeout: the first might land after a newer one', async () => {
  const { client, fetch } = clockedClient({ attemptTimeout: 60 }, never, token)
  const call = client.tokens.update(ACCESSOR_ID, update).catch((e: unknown) => e)
  await vi.advanceTimersByTimeAsync(60)
  const error = await call
  expect(error).toBeInstanceOf(Timeout)
  expect(error).toMatchObject({ maybeApplied: true })
  expect(fetch).toHaveBeenCalledTimes(1)
})

test('does not repeat a conditional write of a key', async () => {
  await using server = await startServer(reset(), json(false))
  await expect(clientOf(server).kv.put('a', 'b', { cas: 7 })).rejects.toMatchObject({ maybeApplied: true })
  expect(server.requests).toHaveLength(1)
})

test('an error after a doubtful attempt stays doubtful, whatever the last attempt says', async () => {
  await using server = await startServer(reset(), problem(403, 'caller_unknown'))
  const error: LatchkeyError = await clientOf(server)
    .tokens.update(ACCESSOR_ID, update)
    .then(
      () => expect.unreachable(),
      (e: LatchkeyError) => e,
    )
  expect(error).toMatchObject({ code: 'caller_unknown', maybeApplied: true })
})

test('a blocking query longer than a slice is several requests with one index (Node gives up after 5 minutes)', async () => {
  const same = json(aToken(), { 'X-Service-Index': 9 })
  await using server = await startServer(same, same, json(aToken(), { 'X-Service-Index': 10 }))
  const answer = await clientOf(server, { waitSlice: 100 })
    .withMeta()
    .tokens.read(ACCESSOR_ID, { index: 9, wait: 250 })
  expect(answer.index).toBe(10)
  const waits = server.requests.map((request) => new URL(request.url, server.address).searchParams)
  expect(waits.map((query) => `${query.get('index')} ${query.get('wait')}`)).toEqual([
    '9 100ms',
    '9 100ms',
    '9 50ms',
  ])
})

test('a blocking query for an absent record keeps waiting in the next slice (decisions: blocking queries)', async () => {
  const absent = problem(404, 'not_found', {}, { 'X-Service-Index': 9 })
  await using server = await startServer(absent, json(aToken(), { 'X-Service-Index': 10 }))
  const token = await clientOf(server, { waitSlice: 100 }).tokens.read(ACCESSOR_ID, { index: 9, wait: 200 })
  expect(token.AccessorID).toBe(ACCESSOR_ID)
})

test('a blocking query may take its wait on top of the time of an attempt', async () => {
  const { client } = clockedClient({ attemptTimeout: 100, timeout: 100, retries: 0 }, never)
  const [waiting, read] = [client.tokens.self({ index: 9, wait: 160 }), client.tokens.self()].map((call) =>
    call.catch((e: unknown) => e),
  )
  await vi.advanceTimersByTimeAsync(100)
  expect(await read).toBeInstanceOf(Timeout)
  // The service adds a sixteenth of the wait.
  await vi.advanceTimersByTimeAsync(169)
  expect(await atOnce(Promise.resolve(waiting))).toBe('pending')
  await vi.advanceTimersByTimeAsync(1)
  expect(await waiting).toBeInstanceOf(Timeout)
})

test.each([
  ['stale', '/v1/acl/token/self?stale'],
  ['consistent', '/v1/acl/token/self?consistent'],
  ['default', '/v1/acl/token/self'],
] as const)('asks for the consistency mode %s (spec 4.1)', async (consistency, url) => {
  await using server = await startServer(json(aToken()))
  await clientOf(server).tokens.self({ consistency })
  expect(server.requests[0]?.url).toBe(url)
})

test('a client in stale mode sends no mode to an endpoint that has none', async () => {
  await using server = await startServer(json('127.0.0.1:8300'))
  await clientOf(server, { consistency: 'stale' }).status.leader()
  expect(server.requests[0]?.url).toBe('/v1/status/leader')
})

test('the header family of the options carries token and index', async () => {
  await using server = await startServer(json(aToken(), { 'X-Consul-Index': 42 }))
  const { index } = await clientOf(server, { headerPrefix: 'X-Consul-' }).withMeta().tokens.self()
  expect(index).toBe(42)
  expect(server.requests[0]?.headers['x-consul-token']).toBe(CALLER_SECRET)
})

test('asks for problem details in every form of answer', async () => {
  await using server = await startServer(json(aToken()), plain(200, 'bytes'), plain(200, 'key_prefix "" {}'))
  const client = clientOf(server)
  await client.tokens.self()
  await client.kv.getRaw('a')
  await client.legacy.translate('key "" {}')
  for (const { headers } of server.requests) expect(headers.accept).toContain('application/problem+json')
})

test('misuse is a TypeError, and nothing is sent', async () => {
  await using server = await startServer(json(aToken()))
  const client = clientOf(server)
  await expect(client.tokens.read('..')).rejects.toThrow(TypeError)
  await expect(client.tokens.read('')).rejects.toThrow(TypeError)
  await expect(client.tokens.self({ timeout: 0 })).rejects.toThrow(/timeout must be more than 0/)
  await expect(client.tokens.self({ index: -1 })).rejects.toThrow(/index must be a whole number/)
  await expect(client.tokens.self({ retries: 1.5 })).rejects.toThrow(/retries must be a whole number/)
  expect(server.requests).toHaveLength(0)
})

test('an endless timeout does not end at once', async () => {
  await using server = await startServer((response, request) => {
    setTimeout(() => json(aToken())(response, request), 30)
  })
  const client = clientOf(server, {
    timeout: Number.POSITIVE_INFINITY,
    attemptTimeout: Number.POSITIVE_INFINITY,
  })
  await expect(client.tokens.self()).resolves.toMatchObject({ AccessorID: ACCESSOR_ID })
})

test('an unknown endpoint is not an absent record', async () => {
  await using server = await startServer(problem(404, 'endpoint_unknown'))
  await expect(clientOf(server).tokens.read(ACCESSOR_ID)).rejects.toThrow(Invalid)
})
