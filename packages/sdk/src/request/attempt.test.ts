import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atOnce, errorOf } from '../../test/at-once.ts'
import { clientOf } from '../../test/client.ts'
import { ACCESSOR_ID, aToken } from '../../test/records.ts'
import {
  closedAddress,
  halfBody,
  html,
  json,
  plain,
  reset,
  silence,
  stalledBody,
  startServer,
} from '../../test/test-server.ts'
import { ContractBroken, LatchkeyError, NotFound, Timeout, Unavailable } from '../errors.ts'

const once = { retries: 0 }
const INDEX = { 'X-Service-Index': 7 }

test.each([
  ['a reset connection', reset(), Unavailable],
  ['half a body', halfBody(), Unavailable],
  ['no answer', silence(), Timeout],
  ['a body that stalls', stalledBody(), Timeout],
  ['a web page with 200', html(200), ContractBroken],
  ['a web page with 403', html(403), ContractBroken],
  ['a web page with 500', html(500), Unavailable],
  ['no content', plain(204, ''), ContractBroken],
  ['another success', plain(206, '[]', { 'Content-Type': 'application/json' }), ContractBroken],
  ['an empty body with 200', plain(200, '', { 'Content-Type': 'application/json' }), ContractBroken],
  ['cut JSON', plain(200, '{"AccessorID":', { 'Content-Type': 'application/json' }), ContractBroken],
  ['another content type', plain(200, JSON.stringify(aToken())), ContractBroken],
  ['an answer of another shape', json([aToken()]), ContractBroken],
  ['null', json(null), ContractBroken],
  ['a refusal of another type', plain(400, '{}', { 'Content-Type': 'application/json' }), ContractBroken],
  [
    'cut problem details',
    plain(404, '{"code":', { 'Content-Type': 'application/problem+json' }),
    ContractBroken,
  ],
  ['a plain 404 with an index, as other services of this API answer', plain(404, '', INDEX), NotFound],
])('%s is a typed error (SDK-01)', async (_, fault, errorClass) => {
  await using server = await startServer(fault)
  const client = clientOf(server, { ...once, ...(errorClass === Timeout ? { attemptTimeout: 100 } : {}) })
  const error = await errorOf(client.tokens.read(ACCESSOR_ID))
  expect(error).toBeInstanceOf(errorClass)
  expect(error).toBeInstanceOf(LatchkeyError)
})

test('a refused connection is Unavailable with the cause of the network', async () => {
  const client = clientOf({ address: await closedAddress() }, once)
  const error = await errorOf(client.tokens.self())
  expect(error).toBeInstanceOf(Unavailable)
  expect(error).toMatchObject({
    message: expect.stringContaining('ECONNREFUSED'),
    cause: { code: 'ECONNREFUSED' },
  })
})

test('a redirect is not followed, so the secret stays with the service', async () => {
  await using thief = await startServer(json(aToken()))
  await using server = await startServer(plain(302, '', { Location: `${thief.address}/v1/acl/token/self` }))
  await expect(clientOf(server, once).tokens.self()).rejects.toThrow(/redirect/)
  expect(thief.requests).toHaveLength(0)
})

test.each([
  ['while it waits for the answer', silence()],
  ['while the body arrives', stalledBody()],
])('an abort %s returns at once with the reason of the signal (SDK-01)', async (_, fault) => {
  await using server = await startServer(fault)
  const abort = new AbortController()
  const reason = new Error('enough')
  const call = clientOf(server)
    .tokens.self({ signal: abort.signal })
    .catch((e: unknown) => e)
  await expect.poll(() => server.requests.length).toBe(1)
  await delay(50)
  abort.abort(reason)
  expect(await atOnce(call)).toBe(reason)
})

test('a token source that hangs ends in a timeout that says so, and no write is in doubt', async () => {
  await using server = await startServer()
  const client = clientOf(server, { ...once, attemptTimeout: 5, token: () => new Promise(() => {}) })
  await expect(client.policies.create({ Name: 'web' })).rejects.toMatchObject({
    kind: 'timeout',
    maybeApplied: false,
    message: 'policies.create: no token to present within 5 ms',
  })
  expect(server.requests).toEqual([])
})

test('an abort while it pauses before a repetition returns at once (SDK-01)', async () => {
  await using server = await startServer(plain(503, '', { 'Retry-After': 2 }))
  const abort = new AbortController()
  const pause = Promise.withResolvers<void>()
  const client = clientOf(server, { onRetry: () => pause.resolve() })
  const call = client.tokens.self({ signal: abort.signal }).catch((e: unknown) => e)
  await pause.promise
  abort.abort()
  expect(await atOnce(call)).toHaveProperty('name', 'AbortError')
})

test('a call with an aborted signal sends nothing', async () => {
  await using server = await startServer(json(aToken()))
  await expect(clientOf(server).tokens.self({ signal: AbortSignal.abort() })).rejects.toHaveProperty(
    'name',
    'AbortError',
  )
  expect(server.requests).toHaveLength(0)
})

test('an abort returns even if the injected fetch ignores signals, and closes its late answer', async () => {
  const answer = Promise.withResolvers<Response>()
  const closed = Promise.withResolvers<void>()
  const body = new ReadableStream({ cancel: () => closed.resolve() })
  const client = clientOf(
    { address: 'http://127.0.0.1:1' },
    { fetch: () => answer.promise, attemptTimeout: 20, retries: 0 },
  )
  await expect(client.tokens.self()).rejects.toThrow(Timeout)
  answer.resolve(new Response(body))
  await closed.promise
})

test('the global fetch is looked up at the call, so that mocks set up later are used', async () => {
  const client = clientOf({ address: 'http://acl.example' })
  const { fetch } = globalThis
  globalThis.fetch = async () => Response.json(aToken({ Description: 'mocked' }))
  try {
    await expect(client.tokens.self()).resolves.toMatchObject({ Description: 'mocked' })
  } finally {
    globalThis.fetch = fetch
  }
})

test('a 429 whose body breaks off is still a refusal, without effect', async () => {
  await using server = await startServer(halfBody(429, 'text/plain'))
  const created = clientOf(server, once).tokens.create({})
  await expect(created).rejects.toMatchObject({ status: 429, maybeApplied: false })
})

test('no socket stays busy after faults, timeouts and aborts (SDK-01)', async () => {
  const faults = [silence(), stalledBody(), halfBody(), html(404), html(500), plain(400, 'x'.repeat(500_000))]
  await using server = await startServer(...faults, silence())
  const client = clientOf(server, { ...once, attemptTimeout: 60 })
  for (const _ of faults) await client.tokens.self().catch(() => undefined)
  const abort = new AbortController()
  const aborted = client.tokens
    .read(ACCESSOR_ID, { signal: abort.signal, attemptTimeout: 5_000 })
    .catch(() => undefined)
  await expect.poll(() => server.requests.at(-1)?.url).toContain(ACCESSOR_ID)
  abort.abort()
  await aborted
  // Node's fetch keeps some connections open: idle ones, and new ones that have not sent a request yet.
  await expect
    .poll(() => {
      server.closeIdle()
      return [...server.openSockets].filter((socket) => socket.bytesRead > 0)
    })
    .toEqual([])
})

test('an error with which Next.js makes a page dynamic arrives unchanged, once', async () => {
  const dynamic = Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' })
  let calls = 0
  const client = clientOf(
    { address: 'http://127.0.0.1:1' },
    {
      fetch: () => {
        calls += 1
        return Promise.reject(dynamic)
      },
    },
  )
  await expect(client.tokens.self()).rejects.toBe(dynamic)
  await expect(client.tokens.watchSelf().next()).rejects.toBe(dynamic)
  expect(calls).toBe(2)
})
