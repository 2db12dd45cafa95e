/** DOS-05: requests that a client governor. */
import { once } from 'node:events'
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { ConnectionGovernor } from './connection-governor.ts'

/** Counts the requests that Node's parser creates. */
class CountedRequest extends IncomingMessage {
  static made = 0

  constructor(socket: Socket) {
    super(socket)
    CountedRequest.made += 1
  }
}

const servers: Server[] = []
/** The server's end of each connection, in order of acceptance. */
const accepted: Socket[] = []
const sockets: Socket[] = []
afterEach(() => {
  accepted.length = 0
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

async function listen(listener: RequestListener): Promise<number> {
  const governor = new ConnectionGovernor()
  const server = createServer({ IncomingMessage: CountedRequest }, governor.inOrder(listener))
  server.on('connection', (socket: Socket) => {
    accepted.push(socket)
    governor.open(socket)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

/** Requests for `/0`, `/1` and so on. The headers may end with a body. */
function requests(count: number, headers = ''): string {
  return Array.from({ length: count }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`).join('')
}

/** Reads `count` answers that end with a `<body>`, and returns those bodies. */
function bodies(socket: Socket, count: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const found: string[] = []
    let rest = ''
    const read = (data: Buffer) => {
      const text = rest + data.toString('latin1')
      for (const [, body] of text.matchAll(/<(.*?)>/g)) found.push(String(body))
      // A body may be split across two chunks.
      rest = text.slice(Math.max(text.lastIndexOf('>') + 1, text.length - 100))
      if (found.length < count) return
      socket.off('data', read).off('close', broken)
      resolve(found)
    }
    const broken = () => reject(new Error(`closed after ${found.length} answers`))
    socket.on('data', read).on('close', broken)
  })
}

test('DOS-05: the requests of one connection start one at a time, and are answered in order', async () => {
  let inProgress = 0
  let mostInProgress = 0
  const port = await listen((request, response) => {
    inProgress += 1
    mostInProgress = Math.max(mostInProgress, inProgress)
    setImmediate(() => {
      response.end(`<${request.url}>`)
      response.once('finish', () => {
        inProgress -= 1
      })
    })
  })
  const count = 3_000
  const socket = await open(port)
  socket.write(requests(count))
  expect(await bodies(socket, count)).toEqual(Array.from({ length: count }, (_, i) => `/${i}`))
  expect(mostInProgress).toBe(1)
})

test('DOS-05: for a client that does not read, only as many answers are made as the connection buffers', async () => {
  const body = Buffer.alloc(4 * 1_048_576, 'x')
  let started = 0
  const port = await listen((request, response) => {
    started += 1
    response.write(body)
    response.end(`<${request.url}>`)
  })
  const socket = await open(port)
  socket.pause()
  const count = 40
  socket.write(requests(count))
  const other = await open(port)
  for (let i = 0; i < 5; i += 1) {
    const answered = bodies(other, 1)
    other.write(requests(1))
    await answered
  }
  // The kernel buffers a few MiB on each side.
  expect(started - 5).toBeLessThan(8)
  socket.resume()
  expect(await bodies(socket, count)).toHaveLength(count)
})

test('a request that waits is not started when its client leaves', async () => {
  const started: string[] = []
  let first: ServerResponse | undefined
  let reached = () => {}
  const isReached = new Promise<void>((resolve) => {
    reached = resolve
  })
  const port = await listen((request, response) => {
    started.push(request.url ?? '')
    first ??= response
    reached()
  })
  const socket = await open(port)
  socket.write(requests(5))
  await isReached
  socket.destroy()
  if (first) await once(first, 'close')
  await new Promise((resolve) => setImmediate(resolve))
  expect(started).toEqual(['/0'])
})

test('requests after the last answer of a connection are not started', async () => {
  const started: string[] = []
  const port = await listen((request, response) => {
    started.push(request.url ?? '')
    response.end('<ok>')
  })
  const socket = await open(port)
  socket.resume()
  socket.write(requests(3, 'Connection: close\r\n'))
  await once(socket, 'close')
  expect(started).toEqual(['/0'])
})

/** Runs `count` exchanges; after them, the server has read everything sent before. */
async function roundTrips(socket: Socket, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const answered = bodies(socket, 1)
    socket.write(requests(1))
    await answered
  }
}

/** Answers each request at once, except those with an `X-Held` header, which it never answers. */
const HOLDING: RequestListener = (request, response) => {
  if (request.headers['x-held'] === undefined) response.end(`<${request.url}>`)
}

/** Opens the first connection that sends many requests ahead, which switches all connections to reading in slices. */
async function flood(port: number, headers = 'X-Held: 1\r\n'): Promise<Socket> {
  const socket = await open(port)
  socket.write(requests(100, headers))
  await roundTrips(await open(port), 5)
  return socket
}

test.each([
  ['without bodies', 'X-Held: 1\r\n'],
  ['with bodies', 'X-Held: 1\r\nContent-Length: 10\r\n\r\n01234567'],
])(
  'DOS-05: of many connections that send far ahead, only the first has its requests parsed at once: %s',
  async (_name, rest) => {
    const port = await listen(HOLDING)
    const clients: Socket[] = []
    for (let i = 0; i < 20; i += 1) {
      const client = await open(port)
      clients.push(client)
      // By now, the server has noticed that each client waits for its answers.
      const answered = bodies(client, 1)
      client.write(requests(1))
      await answered
    }
    CountedRequest.made = 0
    for (const client of clients) client.write(requests(1_000, rest))
    await roundTrips(await open(port), 20)
    expect(CountedRequest.made).toBeGreaterThan(20)
    // One connection has 1,500 of them in a read of 64 KiB; each other connection has one slice.
    expect(CountedRequest.made).toBeLessThan(1_500 + 20 * 5 + 20)
  },
)

test('DOS-05: a connection that opens while another has too much waiting is read in slices from its start', async () => {
  const port = await listen(HOLDING)
  await flood(port)
  CountedRequest.made = 0
  const late: Socket[] = []
  for (let i = 0; i < 10; i += 1) late.push(await open(port))
  for (const client of late) client.write(requests(1_000, 'X-Held: 1\r\n'))
  await roundTrips(await open(port), 20)
  expect(CountedRequest.made).toBeLessThan(10 * 5 + 20)
})

test.each(['has closed', 'has its answers'])(
  'a connection that opens after the one that sent far ahead %s is read at full speed',
  async (how) => {
    const port = await listen(HOLDING)
    if (how === 'has closed') {
      const flooding = await flood(port)
      const [side] = accepted
      flooding.destroy()
      if (side) await once(side, 'close')
    } else {
      const flooding = await open(port)
      const answered = bodies(flooding, 1_000)
      flooding.write(requests(1_000))
      await answered
    }
    CountedRequest.made = 0
    const late = await open(port)
    late.write(requests(1_000, 'X-Held: 1\r\n'))
    await roundTrips(await open(port), 20)
    // With slices, it would be about 22.
    expect(CountedRequest.made).toBeGreaterThan(100)
  },
)

test('DOS-05: a turn of the event loop starts 16 of the requests sent ahead, however many clients sent them', async () => {
  let isOver = false
  let started = 0
  const turns: number[] = []
  const look = () => {
    turns.push(started)
    started = 0
    if (!isOver) setImmediate(look)
  }
  const port = await listen((request, response) => {
    // The first request of a connection never waits.
    if (request.headers['x-counted'] !== undefined && request.url !== '/0') started += 1
    HOLDING(request, response)
  })
  await flood(port)
  const clients = await Promise.all(Array.from({ length: 50 }, () => open(port)))
  const answers = clients.map((client) => bodies(client, 50))
  look()
  for (const client of clients) client.write(requests(50, 'X-Counted: 1\r\n'))
  await Promise.all(answers)
  isOver = true
  expect(Math.max(...turns)).toBe(16)
})

test('DOS-05: bytes beyond the turn of a client stay in TCP buffers, even if it sends single bytes', async () => {
  const port = await listen(HOLDING)
  await flood(port)
  const client = await open(port)
  const other = await open(port)
  await roundTrips(other, 1)
  const side = accepted.find(({ remotePort }) => remotePort === client.localPort)
  client.setNoDelay(true).write(requests(1, 'X-Held: 1\r\n'))
  await roundTrips(other, 5)
  const before = Number(side?.bytesRead)
  for (let i = 0; i < 100; i += 1) {
    client.write('G')
    await roundTrips(other, 1)
  }
  // Each piece costs hundreds of bytes, however short it is.
  expect(Number(side?.bytesRead) - before).toBeLessThan(10)
  client.write(Buffer.alloc(4 * 1_048_576, 'x'))
  await roundTrips(other, 20)
  expect(Number(side?.bytesRead) - before).toBeLessThan(65_536)
})

test('requests that are read in slices arrive completely, with either kind of body, even if it looks like a head', async () => {
  const echo: RequestListener = (request, response) => {
    if (request.headers['x-held'] !== undefined) return
    const pieces: Buffer[] = []
    request.on('data', (piece) => pieces.push(piece))
    request.on('end', () => response.end(`<${Buffer.concat(pieces).toString('base64')}>`))
  }
  const port = await listen(echo)
  await flood(port)
  const sent: string[] = []
  const wire: string[] = []
  for (let i = 0; i < 200; i += 1) {
    const body =
      ['', '\r\n\r\n'.repeat(i * 7), 'GET / HTTP/1.1\r\n\r\n'.repeat(i), 'x'.repeat(i * 611)][i % 4] ?? ''
    sent.push(Buffer.from(body, 'latin1').toString('base64'))
    const chunks = body.match(/[\s\S]{1,1500}/g) ?? []
    wire.push(
      i % 3 === 0
        ? `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks
            .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
            .join('')}0\r\n\r\n`
        : `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  }
  const client = await open(port)
  const answers = echoes(client, sent.length)
  client.write(wire.join(''), 'latin1')
  expect(await answers).toEqual(sent)
})

/** As {@link bodies}, for bodies of any length. */
function echoes(socket: Socket, count: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let text = ''
    let seen = 0
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1')
      seen += data.toString('latin1').split('>').length - 1
      if (seen >= count) resolve([...text.matchAll(/<(.*?)>/g)].map(([, body]) => String(body)))
    })
    socket.on('close', () => reject(new Error(`closed after ${seen} answers`)))
  })
}

test('a client that ends its side after its requests gets the answers to all but those in progress', async () => {
  const port = await listen(HOLDING)
  await flood(port)
  const client = await open(port)
  const answers = bodies(client, 99)
  client.end(requests(100))
  expect((await answers).length).toBeGreaterThanOrEqual(99)
})
