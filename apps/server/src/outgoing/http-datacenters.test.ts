import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { AclError } from '@latchkey/contract'
import type { ForwardedRequest } from '@latchkey/service'
import { HOSTILE_ANSWERS, startHostileServer } from '@latchkey/testkit/process/hostile-server'
import { freePorts, listenOnFreePort } from '@latchkey/testkit/process/ports'
import { pino } from 'pino'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { HttpDatacenters } from './http-datacenters.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

type Options = ConstructorParameters<typeof HttpDatacenters>[0]
type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Connects to a server as dc2. Limits that the test waits for are short; all others are too long to matter. */
async function reach(listener: Listener, limits: Parameters<typeof at>[1] = {}) {
  const server = createServer(listener)
  servers.push(server)
  return at(await listenOnFreePort(server), limits)
}

function at(
  port: number | readonly number[],
  limits: Options['limits'] = {},
  options: Pick<Options, 'now' | 'onAnswer'> = {},
) {
  const origins = [port].flat().map((each) => `http://127.0.0.1:${each}`)
  return new HttpDatacenters({
    datacenters: [{ name: 'dc2', origins }],
    log: pino({ level: 'silent' }),
    limits: { connectMsMax: 60_000, answerMsMax: 60_000, ...limits },
    ...options,
  })
}

function aRequest(method: string, request: Partial<ForwardedRequest> = {}): ForwardedRequest {
  return {
    method,
    url: '/v1/x?dc=dc2',
    headers: {},
    body: undefined,
    waitMs: 0,
    isOfKnownCaller: true,
    signal: undefined,
    ...request,
  }
}

test('an answer of any status arrives with its headers and its body', async () => {
  const datacenters = await reach(async (request, response) => {
    response.writeHead(418, { 'X-Service-Index': '7' })
    response.end(`${request.method} ${request.url} ${request.headers.a} ${await text(request)}`)
  })
  const body = new TextEncoder().encode('body')
  const reply = await datacenters.send('dc2', aRequest('PUT', { headers: { a: 'b' }, body }))
  expect(reply).toMatchObject({ status: 418 })
  expect(reply.header('x-service-index')).toBe('7')
  expect(await text(reply.body)).toBe('PUT /v1/x?dc=dc2 b body')
})

test.each([
  '/v1/kv/../acl/bootstrap?dc=dc2',
  '/v1/kv/%2e%2e/acl/bootstrap?dc=dc2',
  '/v1/kv/a%2F..%2Fb?dc=dc2',
  '//127.0.0.1:1/v1/x?dc=dc2',
  '/\\127.0.0.1:1/v1/x?dc=dc2',
  'http://127.0.0.1:1/v1/x?dc=dc2',
])('SSRF-01: %s arrives unchanged, at the configured origin', async (url) => {
  const datacenters = await reach((request, response) => void response.end(request.url))
  expect(await text((await datacenters.send('dc2', aRequest('PUT', { url }))).body)).toBe(url)
})

test('a request that cannot be sent does not count against the limit', async () => {
  const datacenters = await reach((_request, response) => void response.end(), { inFlightMax: 1 })
  const unwritable = datacenters.send('dc2', aRequest('GET', { headers: { a: '\n' } }))
  await expect(unwritable).rejects.toMatchObject({ code: 'ERR_INVALID_CHAR' })
  expect(await datacenters.send('dc2', aRequest('GET'))).toMatchObject({ status: 200 })
})

test('datacenter_unreachable with Retry-After, and without an address in the message: nothing listens', async () => {
  const [port = 0] = await freePorts(1)
  const refusal = await refused(at(port).send('dc2', aRequest('PUT')))
  expect(refusal.code).toBe('datacenter_unreachable')
  expect(refusal.details.headers).toEqual({ 'Retry-After': '1' })
  expect(refusal.message).not.toMatch(/127|localhost|ECONN/)
})

test('the next address is tried if there is no connection to the first; an address that received the request ends the search', async () => {
  const [closed = 0] = await freePorts(1)
  const asked: string[] = []
  const open = createServer((request, response) => {
    asked.push(request.method ?? '')
    if (request.method === 'DELETE') response.destroy()
    else response.end()
  })
  servers.push(open)
  const port = await listenOnFreePort(open)
  const datacenters = at([closed, port, closed])
  expect(await datacenters.send('dc2', aRequest('PUT'))).toMatchObject({ status: 200 })
  expect((await refused(datacenters.send('dc2', aRequest('DELETE')))).code).toBe('datacenter_silent')
  expect(asked).toEqual(['PUT', 'DELETE'])
})

test.each([
  ['the connection is lost', (request: IncomingMessage) => void request.socket.destroy(), {}],
  ['no answer comes', () => {}, { answerMsMax: 50 }],
])(
  '%s: a write is sent once and its outcome is unknown; a read is repeated once',
  async (_case, listener, limits) => {
    const methods: (string | undefined)[] = []
    const datacenters = await reach((request) => {
      methods.push(request.method)
      listener(request)
    }, limits)
    expect((await refused(datacenters.send('dc2', aRequest('PUT')))).code).toBe('datacenter_silent')
    expect((await refused(datacenters.send('dc2', aRequest('GET')))).code).toBe('datacenter_unreachable')
    expect(methods).toEqual(['PUT', 'GET', 'GET'])
  },
)

test('an answer that is cut off fails, so that no client mistakes it for complete', async () => {
  const datacenters = await reach((_request, response) => {
    response.writeHead(200, { 'Content-Length': 10 }).write('half', () => response.destroy())
  })
  const { body } = await datacenters.send('dc2', aRequest('GET'))
  await expect(text(body)).rejects.toThrow('aborted')
})

test('a client that leaves ends its request in the other datacenter', async () => {
  const leaving = new AbortController()
  const closed = Promise.withResolvers<void>()
  const datacenters = await reach((_request, response) => {
    response.once('close', () => closed.resolve())
    leaving.abort()
  })
  await refused(datacenters.send('dc2', aRequest('GET', { signal: leaving.signal })))
  await closed.promise
})

test('a request above the limit of requests in flight is refused; one that ends makes room', async () => {
  const held: ServerResponse[] = []
  const arrived = Promise.withResolvers<void>()
  const datacenters = await reach(
    (_request, response) => {
      held.push(response)
      if (held.length === 2) arrived.resolve()
      if (held.length > 2) response.end()
    },
    { inFlightMax: 2 },
  )
  const first = datacenters.send('dc2', aRequest('GET'))
  const second = datacenters.send('dc2', aRequest('GET'))
  await arrived.promise
  expect((await refused(datacenters.send('dc2', aRequest('GET')))).code).toBe('datacenter_unreachable')
  expect(held).toHaveLength(2)
  for (const response of held) response.end()
  for (const { body } of await Promise.all([first, second])) await text(body)
  await expect.poll(() => datacenters.send('dc2', aRequest('GET')).then(({ status }) => status)).toBe(200)
})

test.each([
  ['unknown callers', { unknownCallersMax: 1 }, { isOfKnownCaller: false }],
  ['blocking queries', { waitersMax: 1 }, { waitMs: 60_000 }],
] as const)('%s leave room for other requests', async (_case, limits, guest) => {
  const held: ServerResponse[] = []
  const arrived = Promise.withResolvers<void>()
  const datacenters = await reach((request, response) => {
    if (request.method === 'PUT') response.end()
    else {
      held.push(response)
      arrived.resolve()
    }
  }, limits)
  const first = datacenters.send('dc2', aRequest('GET', guest))
  await arrived.promise
  for (let i = 0; i < 100; i += 1) {
    expect((await refused(datacenters.send('dc2', aRequest('GET', guest)))).code).toBe(
      'datacenter_unreachable',
    )
  }
  expect((await datacenters.send('dc2', aRequest('PUT'))).status).toBe(200)
  expect(held).toHaveLength(1)
  for (const response of held) response.end()
  await text((await first).body)
})

test('a blocking query may wait on top of the limit of an answer', async () => {
  const datacenters = await reach((_request, response) => void setTimeout(() => response.end(), 300), {
    answerMsMax: 50,
  })
  const waits = datacenters.send('dc2', aRequest('GET', { waitMs: 60_000 }))
  expect(await waits).toMatchObject({ status: 200 })
})

test('clients that leave do not count as failures of the datacenter', async () => {
  let leave = () => {}
  const datacenters = await reach((request, response) => {
    if (request.method === 'GET') response.end()
    else leave()
  })
  for (let i = 0; i < 5; i += 1) {
    const leaving = new AbortController()
    leave = () => leaving.abort()
    await refused(datacenters.send('dc2', aRequest('PUT', { signal: leaving.signal })))
  }
  expect(await datacenters.send('dc2', aRequest('GET'))).toMatchObject({ status: 200 })
})

test('reports how each request ended, and how long it took', async () => {
  const seen: unknown[] = []
  const server = createServer((request, response) => {
    response.statusCode = 418
    if (request.method === 'GET') response.end()
  })
  servers.push(server)
  const port = await listenOnFreePort(server)
  let now = 0
  const onAnswer = (...facts: unknown[]) => seen.push(facts)
  const datacenters = at(port, {}, { now: () => (now += 500), onAnswer })
  await datacenters.send('dc2', aRequest('GET'))
  const [closed = 0] = await freePorts(1)
  await refused(at(closed, {}, { onAnswer }).send('dc2', aRequest('PUT')))
  const leaving = AbortSignal.timeout(1)
  await refused(datacenters.send('dc2', aRequest('PUT', { signal: leaving })))
  expect(seen).toEqual([
    ['dc2', 418, expect.any(Number)],
    ['dc2', 503, expect.any(Number)],
    ['dc2', undefined, expect.any(Number)],
  ])
})

async function refused(sent: Promise<unknown>): Promise<AclError> {
  const error = await sent.then(
    () => expect.fail('it was answered'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof AclError)) throw error
  return error
}

const BAD_STATUSES = Object.fromEntries(
  ['000', '042', '999'].map((status) => [
    `answers with status ${status}`,
    (socket: Socket) => void socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`),
  ]),
)

test.each(Object.entries({ ...HOSTILE_ANSWERS, ...BAD_STATUSES }))(
  'a request ends, and leaves its place, if the other datacenter %s',
  async (_name, answer) => {
    const server = await startHostileServer(answer)
    onTestFinished(() => server.close())
    const limits = { answerMsMax: 100, bodyMsMax: 100, inFlightMax: 1 }
    const datacenters = at(server.port, limits)
    for (const method of ['GET', 'PUT']) {
      const sent = datacenters.send('dc2', aRequest(method))
      await expect(sent.then(({ body }) => text(body))).rejects.not.toMatchObject({
        cause: { message: 'too many requests are in flight' },
      })
      for (const socket of server.open) socket.end()
      await expect.poll(() => server.open.size).toBe(0)
    }
  },
)
