/** The HTTP server with all its listening sockets. */
import { EventEmitter, once } from 'node:events'
import { type RequestListener, request, type ServerResponse } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@latchkey/contract'
import type { WireReply } from '@latchkey/service'
import { afterEach, describe, expect, test } from 'vitest'
import { appOptions, listenerOptions, UNLIMITED } from '../../../test/app-options.ts'
import { askSocket, socketsOfTest } from '../../../test/open-sockets.ts'
import { StartError } from '../../start-error.ts'
import { createApp } from '../app.ts'
import { advertisedAddress } from './advertised-address.ts'
import { connectionSlots } from './connection-limit.ts'
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts'
import { LISTENERS } from './listen.ts'

const servers: HttpServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(0)
})
const open = socketsOfTest()

async function start(
  listener: RequestListener,
  options: Partial<HttpServerOptions> = {},
): Promise<HttpServer & { readonly port: number }> {
  const server = await startHttpServer(listenerOptions({ listener, ...options }))
  servers.push(server)
  return { ...server, port: Number(server.address.split(':').at(-1)) }
}

/** Just short enough to be written without Node's messages. */
const HALF = 'x'.repeat(60_000)

const OK: RequestListener = (_request, response) => {
  response.end('ok')
}

test('a body that arrived whole while its request waited does not stop its connection', async () => {
  const { port } = await start(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    await sleep(20)
    response.end(`<${request.url} ${body}>`)
  })
  const socket = await open(port)
  let answers = ''
  socket.on('data', (data) => {
    answers += data
  })
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  const chunked = 'PUT /2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'
  socket.write(get('/1') + chunked + get('/3'))
  await expect.poll(() => answers).toContain('</3 >')
  expect(answers).toContain('</2 abc>')
  socket.write(get('/4'))
  await expect.poll(() => answers).toContain('</4 >')
})

test('DOS-04: the unread bodies of refused requests are discarded one after another', async () => {
  const { port } = await start(OK)
  const body = 'x'.repeat(400_000)
  const sent = `PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}GET / HTTP/1.1\r\nHost: x\r\n\r\n`
  const sockets = await Promise.all(Array.from({ length: 6 }, () => open(port)))
  const discardedAt = await Promise.all(
    sockets.map(async (socket) => {
      let answers = ''
      socket.write(sent)
      for await (const piece of socket) {
        answers += piece
        if (answers.split('200 OK').length > 2) break
      }
      return performance.now()
    }),
  )
  // Each body begins 50 ms after the one before.
  expect(Math.max(...discardedAt) - Math.min(...discardedAt)).toBeGreaterThan(150)
})

test('DOS-04: a body just above the bound, sent after its refusal, leaves the connection usable', async () => {
  const { port } = await start(OK)
  const length = limits.BODY_BYTES_MAX + 1
  const socket = await open(port)
  socket.write(`PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`)
  await once(socket, 'data')
  await new Promise((resolve) => socket.write('x'.repeat(length), resolve))
  await sleep(50)
  socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(await text(socket)).toContain('200 OK')
})

test.each([
  ['10.0.0.1:8500', '10.0.0.1:8500'],
  ['[::1]:8500', '[::1]:8500'],
  ['0.0.0.0:8500', '10.0.0.7:8500'],
  ['[::]:8500', '10.0.0.7:8500'],
  ['0.0.0.0:8500', '127.0.0.1:8500', []],
  ['0.0.0.0:8500', '127.0.0.1:8500', ['fe80::1', '169.254.0.9', '2001:db8::1']],
  ['[::]:8500', '[2001:db8::1]:8500', ['fe80::1', 'fd00::2', '2001:db8::1']],
])(
  'a server that listens on %s names %s of its machine',
  (address, shown, own = ['192.0.2.1', '10.0.0.7']) => {
    const interfaces = own.map((one) => ({ address: one, internal: false }))
    const loopback = { address: '127.0.0.1', internal: true }
    expect(advertisedAddress(address, [loopback, ...interfaces])).toBe(shown)
  },
)

describe('several listeners in one process', () => {
  test('port 0 gives all listeners the same port, and each answers the connections it accepts', async () => {
    const { port } = await start(OK)
    expect(port).toBeGreaterThan(0)
    const clients = await Promise.all(Array.from({ length: 10 * LISTENERS }, () => open(port)))
    const answers = await Promise.all(clients.map(askSocket))
    expect(answers.filter((answer) => answer.includes('200 OK'))).toHaveLength(clients.length)
  })

  test('DOS-01: the connections of a client are counted over all listeners', async () => {
    const refused: string[] = []
    const connectionsMax = 2 * LISTENERS
    const { port } = await start(OK, {
      connections: {
        ...UNLIMITED,
        slots: connectionSlots(connectionsMax),
        onRefused: (address) => refused.push(address),
      },
    })
    const admitted = []
    for (let i = 0; i < connectionsMax; i += 1) {
      const socket = await open(port)
      expect(await askSocket(socket)).toContain('200 OK')
      admitted.push(socket)
    }
    for (let i = 0; i < LISTENERS; i += 1) expect(await text(await open(port))).toContain('429')
    expect(refused).toHaveLength(LISTENERS)
  })

  test('a port that another process listens on is refused, although the kernel could share it', async () => {
    const { port } = await start(OK)
    await expect(start(OK, { port })).rejects.toThrow(StartError)
    const plain = createServer().listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const address = plain.address()
    const taken = typeof address === 'object' && address !== null ? address.port : 0
    await expect(start(OK, { port: taken })).rejects.toThrow(StartError)
    plain.close()
  })

  test('drained: every answer is the last of its connection; closed: no listener takes another', async () => {
    const server = await start(OK)
    const idle = await Promise.all(Array.from({ length: 4 * LISTENERS }, () => open(server.port)))
    server.drain()
    for (const answer of await Promise.all(idle.map(askSocket))) expect(answer).toContain('Connection: close')
    await server.close(1_000)
    const attempts = Array.from({ length: 4 * LISTENERS }, async () => {
      const [error] = await once(connect(server.port, '127.0.0.1'), 'error').catch((reason) => [reason])
      return error.code
    })
    expect(new Set(await Promise.all(attempts))).toEqual(new Set(['ECONNREFUSED']))
  })

  test('the deadline of a close cuts requests in flight on every listener', async () => {
    const { port, close } = await start(() => {})
    const waiting = await Promise.all(Array.from({ length: 4 * LISTENERS }, () => open(port)))
    for (const socket of waiting) socket.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const ended = Promise.all(
      waiting.map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    )
    await close(100)
    await ended
  })
})

describe('a client that does not read', () => {
  const LONG = Buffer.alloc(32 * 1_048_576)

  test('DOS-02: its connection is closed after the bound', async () => {
    const begun = new EventEmitter<{ answer: [ServerResponse] }>()
    const { port } = await start(
      (_request, response) => {
        response.end(LONG)
        begun.emit('answer', response)
      },
      { stallMsMax: 200 },
    )
    const socket = await open(port)
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [answer] = await once(begun, 'answer')
    await once(answer, 'close')
    expect(answer.writableFinished).toBe(false)
  })

  test('the bound also applies behind earlier answers, and the timeout between requests is restored', async () => {
    const stallMsMax = 4_000
    const reply: WireReply = {
      status: 200,
      headers: {},
      body: HALF,
      endpoint: undefined,
      accessorId: undefined,
    }
    const app = createApp(appOptions({ reply: () => reply }))
    let server: Socket | undefined
    const { port } = await start(
      (request, response) => {
        server = request.socket
        app.listener(request, response)
      },
      { stallMsMax, reader: app.reader },
    )
    const client = await open(port)
    for (let i = 0; i < 3; i += 1) {
      client.write('GET /v1/acl/tokens HTTP/1.1\r\nHost: localhost\r\n\r\n')
      let length = 0
      while (length < HALF.length) length += (await once(client, 'data'))[0].length
    }
    client.pause()
    // The kernel buffers some of them.
    for (let i = 0; i < 200 && server?.writableLength === 0; i += 1) {
      client.write('GET /v1/acl/tokens HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await sleep(5)
    }
    await expect.poll(() => server?.timeout).toBe(stallMsMax)
    client.resume()
    await expect.poll(() => server?.timeout).toBeGreaterThan(60_000)
  })

  test('a slow reader keeps its connection, and so does a client that waits for its answer', async () => {
    const stallMsMax = 3_000
    const { port } = await start(
      (incoming, response) => {
        if (incoming.url === '/wait') setTimeout(() => response.end('ok'), 1.5 * stallMsMax)
        else response.end(LONG)
      },
      { stallMsMax },
    )
    const waiting = await open(port)
    waiting.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n')
    const [slow] = await once(request({ port, host: '127.0.0.1', path: '/' }).end(), 'response')
    let length = 0
    for await (const piece of slow) {
      length += piece.length
      // The pauses at the first chunks add up to more than the bound. The kernel opens its window in steps of several
      // pieces, so each pause is a small part of the bound.
      if (length < 2_000_000) await new Promise((resolve) => setTimeout(resolve, stallMsMax / 20))
    }
    expect(length).toBe(LONG.length)
    expect(String(await once(waiting, 'data'))).toContain('200 OK')
  })
})
