import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { WireRequest } from '@latchkey/acl'
import type { OpenApiDocument } from '@latchkey/contract/openapi'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMetrics } from '../telemetry/metrics.ts'
import { createApp } from './app.ts'

let server: Server
let port: number
/** What reached the API. */
const asked: WireRequest[] = []

beforeAll(async () => {
  const app = createApp({
    api: {
      handle: async (request) => {
        asked.push(request)
        const headers = { 'Content-Type': 'application/json', 'X-Request-Id': request.requestId }
        return { status: 200, headers, body: '"é"', endpoint: undefined, accessorId: undefined }
      },
    },
    openapi: () => ({}) as OpenApiDocument,
    log: pino({ level: 'silent' }),
    accessLog: undefined,
    metrics: createMetrics(),
    notReady: async () => [],
    closing: new AbortController().signal,
  })
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})

beforeEach(() => {
  asked.length = 0
})

afterAll(() => {
  server.close()
})

/** Sends a request line as it is, which no client of HTTP would. */
async function send(method: string, target: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.end(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  const answer = await text(socket)
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2)
  return {
    status: Number(head.split(' ', 2)[1]),
    head: head.replace(/^(Date|X-Request-Id): .*\r\n/gm, ''),
    body,
  }
}

test.each(['/v1/acl/token/self', '/v1/', '/v1/%zz', '/v1/a//b?c=%', '//', '//v1/acl//tokens', '/v1/../x'])(
  'the API alone answers %s, as it was sent',
  async (target) => {
    const { status, body } = await send('GET', target)
    expect([status, body]).toEqual([200, '"é"'])
    expect(asked.map(({ method, url }) => [method, url])).toEqual([['GET', target]])
  },
)

test.each([
  ['/', 200],
  ['/livez', 200],
  ['/readyz', 200],
  ['/livez/', 404],
  ['/v1', 404],
  ['/v10/acl', 404],
  ['/V1/acl/tokens', 404],
  ['/nothing', 404],
])('the API is not asked for %s, which is answered with %i', async (target, status) => {
  expect((await send('GET', target)).status).toBe(status)
  expect(asked).toEqual([])
})

test('an answer is the same through Express and on the lane before it', async () => {
  const lane = await send('GET', '/v1/acl/token/self')
  const express = await send('GET', `http://127.0.0.1:${port}/v1/acl/token/self`)
  expect(asked).toHaveLength(2)
  expect(express).toEqual(lane)
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
