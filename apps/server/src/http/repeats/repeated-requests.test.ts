/** Requests with known headers are answered as Node would answer them, whatever else their connection carries. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Service, WireReply, WireRequest } from '@latchkey/service'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { afterEach, expect, test, vi } from 'vitest'
import { appOptions, listenerOptions } from '../../../test/app-options.ts'
import { socketsOfTest } from '../../../test/open-sockets.ts'
import { ClientSignals } from '../api/client-signals.ts'
import { type AppOptions, createApp, STARTS_PER_TURN_MAX } from '../app.ts'
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../listener/http-server.ts'

const servers: HttpServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(0)
})
const open = socketsOfTest()

/** What a request is answered with, whichever way it takes. */
function textFor(method: string, url: string, token: string | undefined, body = ''): string {
  return `${method} ${url} ${token} ${body};${url.endsWith('/long') ? LONG : url.endsWith('/huge') ? HUGE : ''}`
}
const LONG = '.'.repeat(50_000)
/** Node's messages write it. */
const HUGE = ':'.repeat(100_000)

/** Replies at once, a few turns later (`/slow`), once its client has gone (`/held`), with the body of a write, or a stream. */
class EchoService implements Pick<Service, 'reply'> {
  readonly asked: string[] = []
  readonly aborted: string[] = []

  reply(request: WireRequest): WireReply | Promise<WireReply> {
    this.asked.push(request.url)
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

interface Counted {
  readonly port: number
  readonly server: HttpServer
  readonly service: EchoService
  /** URLs of requests that were begun as repeated ones. */
  readonly repeated: string[]
  /** How many of them Node's messages answered. */
  handedOver(): number
  /** The server's end of the connection that sent the last of them. */
  latest(): Socket | undefined
}

/** @param own `fastLane: false` leaves every request to Node. */
async function start(own: Partial<AppOptions> = {}): Promise<Counted> {
  const service = new EchoService()
  const repeated: string[] = []
  let handedOver = 0
  let latest: Socket | undefined
  const app = createApp(appOptions(service, own))
  const repeats: HttpServerOptions['repeats'] = app.repeats && {
    begin: (plain, socket) => {
      const repeat = app.repeats?.begin(plain, socket)
      if (repeat) repeated.push(plain.url)
      if (repeat) latest = socket
      return repeat
    },
    handOver: (repeat, request) => {
      handedOver += 1
      app.repeats?.handOver(repeat, request)
    },
  }
  const server = await startHttpServer(listenerOptions({ listener: app.listener, repeats }))
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

function read(path: string, token = 'a'): string {
  return `GET /v1/acl/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Token: ${token}\r\n\r\n`
}

function write(body: string, path = 'token'): string {
  return `PUT /v1/acl/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Token: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** Collects what a connection receives. */
function received(socket: Socket): { text(): string } {
  let text = ''
  socket.on('data', (data: Buffer) => {
    text += data.toString('latin1')
  })
  return { text: () => text.replaceAll(/^(?:Date|X-Request-Id): .*\r\n/gm, '') }
}

/** Sends requests one after the other, each after the answer to the one before. */
async function converse(port: number, requests: readonly string[]): Promise<string[]> {
  const socket = await open(port)
  const answers: string[] = []
  for (const request of requests) {
    socket.write(request)
    const [data] = await once(socket, 'data')
    answers.push(String(data))
  }
  return answers
}

test('a request is answered as a repeated one once Node has parsed its headers, on any connection', async () => {
  const { port, repeated } = await start()
  const first = await converse(port, Array(2).fill(read('token/self')))
  expect(repeated).toEqual(['/v1/acl/token/self'])
  expect(new Set(first.map(withoutDate)).size).toBe(1)
  // Other paths and connections share the headers. Node parses the first request of each, and other headers.
  await converse(port, [read('token/1'), read('token/2'), read('token/3', 'b')])
  expect(repeated.slice(1)).toEqual(['/v1/acl/token/2'])
})

function withoutDate(answer: string): string {
  return answer.replace(/^Date: .*\r\n/m, '')
}

/** Each part of a head that keeps Node from treating the next request like the one before. */
test.each([
  ['a body', 'Content-Length: 0\r\n'],
  ['a chunked body', 'Transfer-Encoding: chunked\r\n'],
  ['an end of the connection', 'Connection: close\r\n'],
  ['an end of the connection, as old proxies spell it', 'Proxy-Connection: close\r\n'],
  ['an upgrade', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
  ['an unknown expectation', 'Expect: foo\r\n'],
  ['a header twice', 'X-Token: b\r\n'],
  ['a second host', 'Host: 127.0.0.1\r\n'],
  ['no host', undefined],
  ['many characters', `X-Long: ${'x'.repeat(2_100)}\r\n`],
])('a head with %s is never answered as a repeated one', async (_what, header) => {
  const { port, repeated } = await start()
  const request =
    header === undefined
      ? read('token/self').replace('Host: 127.0.0.1\r\n', '')
      : read('token/self').replace('\r\n\r\n', `\r\n${header}\r\n`)
  const body = header?.startsWith('Transfer') ? '0\r\n\r\n' : ''
  for (let connection = 0; connection < 3; connection += 1) {
    const socket = await open(port)
    for (const text of [...Array(3).fill(read('token/known')), ...Array(3).fill(request + body)]) {
      if (!socket.writable) break
      socket.write(text)
      await Promise.race([once(socket, 'data'), once(socket, 'close')])
    }
  }
  expect(new Set(repeated)).toEqual(new Set(['/v1/acl/token/known']))
})

test.each(['HTTP/1.0', 'http/1.1', 'HTTP/1.1 '])('the version %j is left to Node', async (version) => {
  const { port, repeated } = await start()
  const known = read('token/self')
  await converse(port, Array(4).fill(known))
  const count = repeated.length
  const socket = await open(port)
  for (let i = 0; i < 3; i += 1) {
    socket.write(known)
    await once(socket, 'data')
  }
  socket.write(known.replace('HTTP/1.1', version))
  await Promise.race([once(socket, 'data'), once(socket, 'close')])
  expect(repeated).toHaveLength(count + 2)
})

test('bytes in the middle of a body are not learned as a head', async () => {
  const { port, repeated } = await start()
  const inner = read('token/inner')
  const socket = await open(port)
  const answers = received(socket)
  for (const text of [read('a'), read('a'), read('a')]) {
    socket.write(text)
    await once(socket, 'data')
  }
  const before = repeated.length
  // The body looks like a head; the request behind it arrives with its end.
  socket.write(`PUT /v1/acl/token HTTP/1.1\r\nHost: x\r\nContent-Length: ${inner.length}\r\n\r\n`)
  await nextTurn()
  socket.write(inner + read('token/behind'))
  await expect.poll(() => answers.text()).toContain('GET /v1/acl/token/behind a ;')
  // The same bytes, at the start of a request, are two.
  for (let i = 0; i < 3; i += 1) {
    socket.write(read('b'))
    await once(socket, 'data')
  }
  socket.write(inner + read('token/behind'))
  await expect.poll(() => answers.text().match(/GET \/v1\/acl\/token\/behind/g)).toHaveLength(2)
  expect(answers.text()).toContain('GET /v1/acl/token/inner a ;HTTP/1.1 200')
  expect(repeated.slice(before)).not.toContain('/v1/acl/token/inner')
})

test('the body of a request that Node refuses by itself is not answered as a read', async () => {
  const { port } = await start()
  await converse(port, Array(4).fill(read('token/self')))
  const socket = await open(port)
  const answers = received(socket)
  const statuses = () => [...answers.text().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  const body = read('token/self')
  for (let i = 1; i <= 3; i += 1) {
    socket.write(read('token/self'))
    await expect.poll(statuses).toHaveLength(i)
  }
  const refused = `PUT /v1/acl/token HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(read('token/self') + refused)
  await expect.poll(statuses).toEqual([200, 200, 200, 200, 417])
  socket.write(body)
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  socket.write(read('token/last', 'new'))
  await expect.poll(() => answers.text()).toContain('/v1/acl/token/last new ;')
  expect(statuses()).toEqual([200, 200, 200, 200, 417, 200])
})

/** Bytes that end within the empty line of a head, and then hold a body that ends like one, and the start of another head. */
function splitInEmptyLine(start: string): readonly string[] {
  const body = `${'x'.repeat(start.length - 4)}\r\n\r\n`
  const head = `PUT /v1/acl/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r`
  return [head, `\n${body}${start}`]
}

test('the rest of a head is not taken for a request, nor learned with other headers than its own', async () => {
  const { port } = await start()
  const { port: plain } = await start({ fastLane: false })
  const known = read('token/self')
  const victim = 'GET /v1/acl/token/self HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
  for (const last of [known, victim]) {
    for (const start of [
      'PUT /v1/acl/token/own HTTP/1.1\r\nX-A: ',
      'GET /v1/acl/token/own HTTP/1.1\r\nX-Token: foreign\r\nX-A: ',
    ]) {
      const pieces = [known, known, known, ...splitInEmptyLine(start), last]
      expect(await exchange(port, pieces)).toBe(await exchange(plain, pieces))
    }
  }
  expect(await exchange(port, [victim, victim, victim])).not.toContain('foreign')
})

/** Requests that Node answers, or refuses, without an event that tells of them. */
const UNANNOUNCED = [
  'GET /v1/acl/tokens HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
  'GARBAGE\r\n\r\n',
  'GET /v1/acl/tokens HTTP/1.1\r\nHost : x\r\n\r\n',
  'PUT /v1/acl/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 2\r\n\r\n',
  'GET /v1/acl/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
]

test.each(UNANNOUNCED)('a read with %j behind it is not learned as one read', async (behind) => {
  const { port } = await start()
  const { port: plain } = await start({ fastLane: false })
  const pieces = [...Array(3).fill(read('token/self')), read('token/self', 'other') + behind]
  for (let connection = 0; connection < 3; connection += 1) {
    expect(await exchange(port, pieces)).toBe(await exchange(plain, pieces))
  }
})

test('a server that drains leaves all reads to Node, so that their connections end', async () => {
  const { port, repeated, server } = await start()
  const socket = await open(port)
  for (let i = 0; i < 4; i += 1) {
    socket.write(read('token/self'))
    await once(socket, 'data')
  }
  server.drain()
  socket.write(read('token/self'))
  const [last] = await once(socket, 'data')
  expect([repeated.length, String(last).includes('Connection: close')]).toEqual([3, true])
})

/** A connection whose requests with these headers are repeated from now on. */
async function openKnown(port: number): Promise<Socket> {
  await converse(port, Array(4).fill(read('token/self')))
  const socket = await open(port)
  for (let i = 0; i < 2; i += 1) {
    socket.write(read('token/self'))
    await once(socket, 'data')
  }
  return socket
}

const WAIT = 'token/1?index=5'

test('a wait ends when its client leaves, and its connection does not count as idle meanwhile', async () => {
  const { port, repeated, service, latest } = await start()
  const socket = await openKnown(port)
  socket.write(read('token/slow'))
  await once(socket, 'data')
  expect(latest()?.timeout).toBeGreaterThan(60_000)
  socket.write(read(WAIT))
  await expect.poll(() => repeated.at(-1)).toBe(`/v1/acl/${WAIT}`)
  expect(latest()?.timeout).toBe(0)
  expect(service.aborted).toEqual([])
  socket.destroy()
  await expect.poll(() => service.aborted).toEqual([`/v1/acl/${WAIT}`])
})

test('a wait behind which another request arrives is answered first, by Node, and asked once', async () => {
  const closing = new AbortController()
  const { port, service, handedOver } = await start({ closing: closing.signal })
  const socket = await openKnown(port)
  const answers = received(socket)
  socket.write(read(WAIT))
  await expect.poll(() => service.asked.at(-1)).toBe(`/v1/acl/${WAIT}`)
  socket.write(read('token/behind'))
  await expect.poll(handedOver).toBe(1)
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  expect(answers.text()).toBe('')
  closing.abort()
  await expect.poll(() => answers.text()).toMatch(/index=5 a ;HTTP.*\/behind a ;/s)
  expect(service.asked.filter((url) => url.includes('index='))).toHaveLength(1)
})

test.each(['drain', 'close'] as const)('a wait is answered before its connection ends: %s', async (how) => {
  const closing = new AbortController()
  const { port, service, server } = await start({ closing: closing.signal })
  const socket = await openKnown(port)
  const idle = await openKnown(port)
  const answers = received(socket)
  socket.write(read(WAIT))
  await expect.poll(() => service.asked.at(-1)).toBe(`/v1/acl/${WAIT}`)
  const ended = Promise.all([socket, ...(how === 'close' ? [idle] : [])].map((each) => once(each, 'close')))
  const stopped = how === 'close' ? server.close(20_000) : server.drain()
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  expect(answers.text()).toBe('')
  closing.abort()
  await ended
  expect(answers.text()).toMatch(/\?index=5 a ;$/)
  expect(answers.text().includes('Connection: close')).toBe(how === 'drain')
  await stopped
})

test('a write whose client leaves is recorded, whichever way its answer would have taken', async () => {
  const logged: string[] = []
  const { port, repeated } = await start({ accessLog: { answered: ({ url }) => logged.push(url) } })
  const leaveAfter = async (pieces: readonly string[], url: string) => {
    const socket = await openKnown(port)
    // Its headers are known from now on.
    for (let i = 0; i < 2; i += 1) {
      socket.write(write('body'))
      await once(socket, 'data')
    }
    const before = repeated.length
    socket.setNoDelay(true)
    for (const piece of pieces) {
      socket.write(piece)
      await expect.poll(() => repeated.length, { interval: 0 }).toBeGreaterThan(before)
    }
    socket.resetAndDestroy()
    await expect.poll(() => logged.at(-1)).toBe(url)
  }
  await leaveAfter([write('body', 'token/slow')], '/v1/acl/token/slow')
  await leaveAfter([write('body', 'slow/huge')], '/v1/acl/slow/huge')
  await leaveAfter([write('body', 'slow'), read('token/self')], '/v1/acl/slow')
})

test('a request that Node answers after all keeps its id, and the time since it came', async () => {
  const logged: { readonly requestId: string; readonly ms: number }[] = []
  const closing = new AbortController()
  const { port } = await start({
    closing: closing.signal,
    accessLog: { answered: (answered) => logged.push(answered) },
  })
  const socket = await openKnown(port)
  socket.write(read('token/1?index=5&then=/huge'))
  await sleep(60)
  const count = logged.length
  closing.abort()
  await expect.poll(() => logged.length).toBe(count + 1)
  expect(logged.at(-1)?.ms).toBeGreaterThan(50)
})

test('a failure to answer ends the connection, and the server goes on', async () => {
  const { port, service } = await start()
  const socket = await openKnown(port)
  for (const fails of [
    () => {
      throw new Error('at once')
    },
    () => Promise.reject(new Error('later')),
  ]) {
    const failing = await openKnown(port)
    const reply = vi.spyOn(service, 'reply').mockImplementationOnce(fails)
    failing.write(read('token/self'))
    await once(failing, 'close')
    reply.mockRestore()
  }
  socket.write(read('token/self'))
  expect(String((await once(socket, 'data'))[0])).toContain('200 OK')
})

test('of a request for another host, no wait is left', async () => {
  const { port } = await start()
  const refused = read('token/1?index=5').replace('127.0.0.1', 'evil.example')
  const [begin, end] = [vi.spyOn(ClientSignals.prototype, 'begin'), vi.spyOn(ClientSignals.prototype, 'end')]
  const answers = await converse(port, [refused, refused, refused, refused])
  expect(answers.every((answer) => /HTTP\/1.1 4\d\d/.test(answer))).toBe(true)
  await expect.poll(() => end.mock.calls.length).toBe(begin.mock.calls.length)
})

test('long bodies arrive as they were sent, and their pieces are freed once Node has parsed them', async () => {
  const { port, repeated } = await start()
  const socket = await openKnown(port)
  const answers = received(socket)
  const freed = vi.spyOn(ArrayBuffer.prototype, 'transfer')
  const body = Array.from({ length: 60_000 }, (_, i) => i.toString(36)).join('')
  socket.write(write(body) + read('token/1') + write(body) + read('token/2'))
  await expect.poll(() => answers.text().length).toBeGreaterThan(2 * body.length)
  await expect.poll(() => answers.text()).toContain('/token/2 a ;')
  expect(answers.text().split(body)).toHaveLength(3)
  expect(freed.mock.calls.length).toBeGreaterThan(2)
  const before = repeated.length
  socket.write(read('token/3'))
  await expect.poll(() => answers.text()).toContain('/token/3 a ;')
  // Where the last request began is unknown until a whole one came.
  socket.write(read('token/4'))
  await expect.poll(() => repeated.length).toBe(before + 1)
})

test('writes wait for their turn, as those that Express starts', async () => {
  const { port, service } = await start()
  const sockets = await Promise.all(Array.from({ length: 40 }, () => openKnown(port)))
  for (let i = 0; i < 3; i += 1) {
    for (const socket of sockets) socket.write(write('body'))
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
  }
  const before = service.asked.length
  const answered = Promise.all(sockets.map((socket) => once(socket, 'data')))
  for (const socket of sockets) socket.write(write('body'))
  const perTurn: number[] = []
  while (service.asked.length < before + sockets.length) {
    const count = service.asked.length
    await nextTurn()
    perTurn.push(service.asked.length - count)
  }
  await answered
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2 * STARTS_PER_TURN_MAX)
})

test('a known read waits for the answers before it, those of Node and its own', async () => {
  const { port, repeated, latest } = await start()
  const socket = await open(port)
  const answers = received(socket)
  for (let i = 1; i <= 4; i += 1) {
    socket.write(read('token/self'))
    await once(socket, 'data')
  }
  const line = latest()
  const order = () =>
    [...answers.text().matchAll(/\w+ \/v1\/acl\/token(\S*) \w+ \w*;/g)].slice(4).map(([, end]) => end)
  // Both reach the server in one turn.
  line?.emit('data', Buffer.from(read('token/slow')))
  line?.emit('data', Buffer.from(read('token/self')))
  await expect.poll(order).toEqual(['/slow', '/self'])
  expect(repeated.at(-1)).toBe('/v1/acl/token/slow')
  for (let i = 1; i <= 3; i += 1) {
    socket.write(read('token/self'))
    await once(socket, 'data')
  }
  line?.emit('data', Buffer.from(read('token/self')))
  line?.emit('data', Buffer.from(write('last')))
  await expect.poll(() => order().slice(5)).toEqual(['/self', ''])
})

test('a client that does not read gets its answers in order, and few of them are made ahead', async () => {
  const { port, repeated, latest } = await start()
  await converse(port, Array(4).fill(read('token/self')))
  const socket = await open(port)
  const count = 500
  // Else the kernel collects requests until it hears of earlier ones.
  socket.setNoDelay(true).pause()
  let queued = 0
  for (let i = 0; i < count; i += 1) {
    socket.write(read(`token/${i}/long`))
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
    queued = Math.max(queued, latest()?.writableLength ?? 0)
  }
  expect(queued).toBeLessThan(4 * LONG.length)
  const answers = received(socket)
  socket.resume()
  const urls = () =>
    [...answers.text().matchAll(/GET \/v1\/acl\/token\/(\d+)\/long a ;/g)].map(([, i]) => Number(i))
  await expect.poll(() => urls().length, { timeout: 20_000 }).toBe(count)
  expect(urls()).toEqual(Array.from({ length: count }, (_, i) => i))
  expect(repeated.length).toBeGreaterThan(2)
})

/** A way to break a conversation into the pieces that the server reads. */
function* piecesOf(text: string, random: SeededRandom): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const isHead = random.chance(0.6)
    // Sometimes within the empty line.
    const missing = random.chance(0.1) ? random.below(4) : 0
    const end = isHead ? text.indexOf('\r\n\r\n', at) + 4 - missing : at + 1 + random.below(200)
    const next = end > at + 3 || !isHead ? end : text.length
    yield text.slice(at, next)
    at = next
  }
}

test('random requests in random pieces get the same bytes with and without repeats, and are asked once', async () => {
  const random = new SeededRandom(chooseSeed('repeated requests'))
  const { port, repeated, handedOver, service } = await start()
  const { port: plain, service: other } = await start({ fastLane: false })
  for (let round = 0; round < fuzzCount(60); round += 1) {
    const requests = Array.from({ length: 2 + random.below(19) }, () => randomRequest(random))
    const pieces = [...piecesOf(requests.join(''), random)]
    const [expected, actual] = await Promise.all([exchange(plain, pieces), exchange(port, pieces)])
    expect(actual, `round ${round}`).toBe(expected)
    expect(service.asked, `round ${round}`).toEqual(other.asked)
  }
  expect(repeated.length).toBeGreaterThan(handedOver())
  expect(handedOver()).toBeGreaterThan(0)
})

const ODD = [
  read('token/a%2Fb'),
  read('token/self').replace('GET', 'HEAD'),
  read('token/self').replace('X-Token: a', 'X-Token:a'),
  read('token/self').replace('X-Token: a', 'X-Token: a\r\nX-Token: b'),
  `\r\n${read('token/self')}`,
  read('token/self').replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'),
  write(read('token/inner')).replace('\r\n\r\n', '\r\nExpect: foo\r\n\r\n'),
  // Those that end a connection do so at once, whether earlier answers have left or not.
  ...UNANNOUNCED.slice(0, 1),
]

function randomRequest(random: SeededRandom): string {
  if (random.chance(0.1)) return random.pick(ODD)
  const path = random.pick(['token/self', 'tokens', 'token/1', 'token/slow', 'token/huge', 'token/stream'])
  if (random.chance(0.3))
    return write(random.pick(['', 'body', 'long', read('token/inner'), '\r\n\r\n']), path)
  return read(path, random.pick(['a', 'b']))
}

/** Sends the pieces, some after the answers so far, and reads everything until the server ends the connection. */
async function exchange(port: number, pieces: readonly string[]): Promise<string> {
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
