import { once } from 'node:events'
import { Agent, createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { ENDPOINTS, type Endpoint } from '@latchkey/contract'
import type { WireRequest } from '@latchkey/service'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appOptions, listenerOptions } from '../../test/app-options.ts'
import { type AppOptions, createApp, STARTS_PER_TURN_MAX } from './app.ts'
import { HostGuard } from './host-guard.ts'
import { startHttpServer } from './listener/http-server.ts'

let server: Server
let port: number
/** Requests that reached the API. */
const asked: WireRequest[] = []

const service: AppOptions['service'] = {
  reply: (request) => {
    asked.push(request)
    const headers = { 'Content-Type': 'application/json', 'X-Request-Id': request.requestId }
    return { status: 200, headers, body: '"é"', endpoint: undefined, accessorId: undefined }
  },
}
const OPTIONS = appOptions(service, { guard: new HostGuard({ host: '127.0.0.1', allowedHosts: ['x'] }) })

beforeAll(async () => {
  server = createServer(createApp(OPTIONS).listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})

beforeEach(() => {
  asked.length = 0
})

afterAll(() => {
  server.close()
})

/** Sends a request line unchanged, which no HTTP client would do. */
async function send(
  method: string,
  target: string,
  { host = 'x', origin }: { readonly host?: string; readonly origin?: string } = {},
): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(port, '127.0.0.1')
  const headers = origin === undefined ? '' : `Origin: ${origin}\r\n`
  const accept = 'Accept: application/problem+json\r\n'
  socket.end(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${headers}${accept}Connection: close\r\n\r\n`)
  const answer = await text(socket)
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2)
  return {
    status: Number(head.split(' ', 2)[1]),
    head: head.replace(/^(Date|X-Request-Id): .*\r\n/gm, ''),
    body,
  }
}

test('DOS-05: many requests of one client do not delay a request of another one', async () => {
  const clientOf = (request: object) => (request as IncomingMessage).headers['x-client'] as string
  const { listener: app } = createApp({ ...OPTIONS, clientOf, fastLane: false })
  const floodSize = 100
  const arrived: (() => void)[] = []
  const collecting = createServer((request, response) => {
    if (arrived.push(() => app(request, response)) <= floodSize) return
    for (const enter of arrived) enter()
  }).listen(0, '127.0.0.1')
  await once(collecting, 'listening')
  const { port } = collecting.address() as AddressInfo
  const agent = new Agent({ maxSockets: floodSize + 1 })
  const ask = (client: string) =>
    new Promise((resolve, reject) => {
      const headers = { Host: 'x', 'X-Client': client }
      httpRequest({ agent, port, host: '127.0.0.1', path: '/v1/status/leader', headers }, (answer) =>
        answer.resume().on('end', resolve),
      )
        .on('error', reject)
        .end()
    })
  const flood = Array.from({ length: floodSize }, () => ask('flood'))
  await expect.poll(() => arrived.length).toBe(floodSize)
  await Promise.all([...flood, ask('another')])
  collecting.close()
  const order = asked.map((request) => request.header('x-client'))
  expect(order).toHaveLength(floodSize + 1)
  expect(order.indexOf('another')).toBeLessThanOrEqual(STARTS_PER_TURN_MAX + 1)
})

test.each([
  '/v1/acl/token/self',
  '/v1/',
  '/v1/%zz',
  '/v1/kv/%zz',
  '/v1/a//b?c=%',
  '//',
  '//v1/acl//tokens',
  '/v1/../x',
])('only the API answers %s, unchanged', async (target) => {
  const { status, body } = await send('GET', target)
  expect([status, body]).toEqual([200, '"é"'])
  expect(asked.map(({ method, url }) => [method, url])).toEqual([['GET', target]])
})

test.each([
  ['/', 200],
  ['/livez', 200],
  ['/readyz', 200],
  ['/livez/', 404],
  ['/v1', 404],
  ['/v10/acl', 404],
  ['/V1/acl/tokens', 404],
  ['/nothing', 404],
])('%s does not reach the API, and is answered with %i', async (target, status) => {
  expect((await send('GET', target)).status).toBe(status)
  expect(asked).toEqual([])
})

test('on a connection that drains, an answer through Express is the last one, like any other', async () => {
  const { listener } = createApp({ ...OPTIONS, fastLane: false })
  const draining = await startHttpServer(listenerOptions({ listener }))
  const agent = new Agent({ keepAlive: true })
  for (const [isLast, path] of [
    [false, '/v1/acl/token'],
    [true, '/v1/acl/token'],
    [true, '/livez'],
  ] as const) {
    if (isLast) draining.drain()
    const options = { agent, headers: { Host: 'x' }, method: path === '/livez' ? 'GET' : 'PUT' }
    const request = httpRequest(`http://${draining.address}${path}`, options).end()
    const [response] = await once(request, 'response')
    await text(response)
    expect([path, response.headers.connection]).toEqual([path, isLast ? 'close' : 'keep-alive'])
  }
  agent.destroy()
  await draining.close(0)
})

test('HEAD has the headers of GET and no body', async () => {
  const get = await send('GET', '/v1/acl/token/self')
  const head = await send('HEAD', '/v1/acl/token/self')
  expect(head).toEqual({ ...get, body: '' })
  expect(get.head).toContain('Content-Length: 4')
})

test('without a handler, an unknown method outside the API is a 404, and inside it the API decides', async () => {
  expect((await send('DELETE', '/nothing')).status).toBe(404)
  expect((await send('PATCH', '/v1/x')).status).toBe(200)
  expect(asked.map(({ method }) => method)).toEqual(['PATCH'])
})

describe('every endpoint of the contract, and the paths beside the API', () => {
  const endpoints = Object.values<Endpoint>(ENDPOINTS).map(({ method, path }) => ({
    method,
    path: `/v1${path}`,
  }))
  const pages = ['/', '/livez', '/readyz', '/docs', '/nothing', 'http://x/v1/acl/bootstrap']
  const all = [...endpoints, ...pages.map((path) => ({ method: 'GET', path }))]

  test.each(all)('421 host_not_allowed: $method $path for a foreign host', async ({ method, path }) => {
    const { status, body } = await send(method, path, { host: 'evil.example' })
    expect([status, JSON.parse(body).code]).toEqual([421, 'host_not_allowed'])
    expect(asked).toEqual([])
  })

  test.each(endpoints.filter(({ method }) => method !== 'GET'))(
    '403 origin_foreign: $method $path from a page of another origin',
    async ({ method, path }) => {
      const { status, body } = await send(method, path, { origin: 'http://evil.example' })
      expect([status, JSON.parse(body).code]).toEqual([403, 'origin_foreign'])
      expect(asked).toEqual([])
      expect((await send(method, path, { origin: 'http://x' })).status).toBe(200)
    },
  )
})
