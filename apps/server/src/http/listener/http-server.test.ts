/** The listening side, with all its listeners. */
import { EventEmitter, once } from 'node:events'
import { type RequestListener, request, type ServerResponse } from 'node:http'
import { BlockList, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { askSocket, socketsOfTest } from '../../../test/open-sockets.ts'
import { StartError } from '../../start-error.ts'
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts'
import { LISTENERS } from './listen.ts'

const servers: HttpServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(0)
})
const open = socketsOfTest()

const LIMITS: HttpServerOptions['connections'] = {
  connectionsMax: 0,
  answers429: true,
  trustedProxies: new BlockList(),
  onRefused: () => {},
}

async function start(
  listener: RequestListener,
  options: Partial<HttpServerOptions> = {},
): Promise<HttpServer & { readonly port: number }> {
  const base = { host: '127.0.0.1', port: 0, isShared: false, connections: LIMITS, listener }
  const server = await startHttpServer({ ...base, ...options })
  servers.push(server)
  return { ...server, port: Number(server.address.split(':').at(-1)) }
}

const OK: RequestListener = (_request, response) => {
  response.end('ok')
}

describe('several listeners in one process', () => {
  test('port 0 is one port of all: connections of many clients are answered, whichever listener takes them', async () => {
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
      connections: { ...LIMITS, connectionsMax, onRefused: (address) => refused.push(address) },
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

  test('a port that another process listens on is refused, although it could be shared', async () => {
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

  test('one that reads slowly, and one that waits for its answer, are left alone', async () => {
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
      // A pause at each of the first pieces: longer than the bound together. The kernel opens its window in steps of
      // several pieces, so each pause is a small part of the bound.
      if (length < 2_000_000) await new Promise((resolve) => setTimeout(resolve, stallMsMax / 20))
    }
    expect(length).toBe(LONG.length)
    expect(String(await once(waiting, 'data'))).toContain('200 OK')
  })
})
