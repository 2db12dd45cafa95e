/** A server whose service echoes its requests, with and without the fast path for repeats, and raw conversations with it. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Service, WireReply, WireRequest } from '@latchkey/service'
import { afterEach } from 'vitest'
import { type AppOptions, createApp } from '../src/http/app.ts'
import { type HttpServer, startHttpServer } from '../src/http/listener/http-server.ts'
import { appOptions, listenerOptions } from './app-options.ts'
import { socketsOfTest } from './open-sockets.ts'

const servers: HttpServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(0)
})
export const open = socketsOfTest()

/** The answer to a request, whichever path it takes. */
function textFor(method: string, url: string, token: string | undefined, body = ''): string {
  return `${method} ${url} ${token} ${body};${url.endsWith('/long') ? LONG : url.endsWith('/huge') ? HUGE : ''}`
}
export const LONG = '.'.repeat(50_000)
/** Long enough that Node's messages write it. */
const HUGE = ':'.repeat(100_000)

/**
 * Replies at once, some turns later (`/slow`), when its client disconnects or the server closes (`index=`), with the body of
 * a write, or with a stream.
 */
class EchoService implements Pick<Service, 'reply'> {
  readonly asked: string[] = []
  readonly ids: string[] = []
  readonly aborted: string[] = []

  reply(request: WireRequest): WireReply | Promise<WireReply> {
    this.asked.push(request.url)
    this.ids.push(request.requestId)
    return request.method === 'GET' ? this.read(request) : this.write(request)
  }

  private read(request: WireRequest): WireReply | Promise<WireReply> {
    const { signal, url } = request
    const reply = replyTo(request)
    if (url.endsWith('/slow')) return later(10, reply)
    if (url.endsWith('/stream')) return { ...reply, body: pieces(reply.body) }
    if (!url.includes('index=')) return reply
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => {
        this.aborted.push(url)
        resolve(reply)
      })
    })
  }

  private async write(request: WireRequest): Promise<WireReply> {
    const body = Buffer.from(await request.readBody(1_000_000)).toString('latin1')
    return later(
      request.url.includes('/slow/') ? 500 : request.url.endsWith('/slow') ? 10 : 0,
      replyTo(request, body),
    )
  }
}

function replyTo(request: WireRequest, body?: string): WireReply & { body: string } {
  const { method, url } = request
  return {
    status: 200,
    headers: { 'Content-Type': 'text/plain' },
    body: textFor(method, url, request.header('x-token'), body),
    endpoint: undefined,
    accessorId: undefined,
  }
}

async function later<T>(turns: number, value: T): Promise<T> {
  for (let turn = 0; turn < turns; turn += 1) await nextTurn()
  return value
}

async function* pieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 10) yield text.slice(at, at + 10)
}

export interface Counted {
  readonly port: number
  readonly server: HttpServer
  readonly service: EchoService
  /** URLs of requests that began as repeats. */
  readonly repeated: string[]
  /** How many of them were answered through Node's messages. */
  handedOver(): number
  /** The server's end of the connection that sent the last repeat. */
  latest(): Socket | undefined
}

/** @param own `fastLane: false` leaves every request to Node. */
export async function start(own: Partial<AppOptions> = {}): Promise<Counted> {
  const service = new EchoService()
  const repeated: string[] = []
  let handedOver = 0
  let latest: Socket | undefined
  const { listener, reader } = createApp(appOptions(service, own))
  if (reader) {
    const { begin, handOver } = reader
    reader.begin = (plain, socket) => {
      const repeat = begin.call(reader, plain, socket)
      if (repeat) repeated.push(plain.url)
      if (repeat) latest = socket
      return repeat
    }
    reader.handOver = (line) => {
      if (line.current) handedOver += 1
      handOver.call(reader, line)
    }
  }
  const server = await startHttpServer(listenerOptions({ listener, reader }))
  servers.push(server)
  return {
    server,
    port: portOf(server),
    service,
    repeated,
    handedOver: () => handedOver,
    latest: () => latest,
  }
}

function portOf({ address }: HttpServer): number {
  return Number(address.split(':').at(-1))
}

export function read(path: string, token = 'a'): string {
  return `GET /v1/acl/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Token: ${token}\r\n\r\n`
}

export function write(body: string, path = 'token'): string {
  return `PUT /v1/acl/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Token: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** Collects what a connection receives. */
export function received(socket: Socket): { text(): string } {
  let text = ''
  socket.on('data', (data: Buffer) => {
    text += data.toString('latin1')
  })
  return { text: () => text.replaceAll(/^(?:Date|X-Request-Id): .*\r\n/gm, '') }
}

/** Sends requests one after another, each after the previous answer. */
export async function converse(port: number, requests: readonly string[]): Promise<string[]> {
  const socket = await open(port)
  const answers: string[] = []
  for (const request of requests) {
    socket.write(request)
    const [data] = await once(socket, 'data')
    answers.push(String(data))
  }
  return answers
}

/** A connection on which requests with these headers are repeats from now on. */
export async function openKnown(port: number): Promise<Socket> {
  await converse(port, Array(4).fill(read('token/self')))
  const socket = await open(port)
  for (let i = 0; i < 2; i += 1) {
    socket.write(read('token/self'))
    await once(socket, 'data')
  }
  return socket
}

/** Sends the pieces, some only after the answers so far, and reads everything until the server closes the connection. */
export async function exchange(port: number, pieces: readonly string[]): Promise<string> {
  const socket = (await open(port)).setNoDelay(true)
  const answers = received(socket)
  for (const piece of pieces) {
    if (!socket.writable) break
    socket.write(piece, 'latin1')
    for (let turn = 0; turn < 4; turn += 1) await nextTurn()
  }
  if (socket.writable) socket.write(`GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  if (!socket.closed) await once(socket, 'close')
  return answers.text()
}
