import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { limits } from '@latchkey/contract'
import { FairQueue } from '@latchkey/service'
import { describe, expect, test } from 'vitest'
import { Backpressure } from './backpressure.ts'
import { bodyBudget } from './body-budget.ts'
import {
  NodeWireRequest,
  type Outlet,
  PIECE_BYTES_MAX,
  WRITTEN_PER_TURN_BYTES_MAX,
  writeReply,
} from './wire-adapter.ts'

const response = {} as ServerResponse

function aRequest(fields: object): NodeWireRequest {
  const request = { method: 'GET', url: '/', headers: {}, headersDistinct: {}, ...fields }
  return new NodeWireRequest(request as unknown as IncomingMessage, response, {
    requestId: 'r',
    signal: undefined,
    bodies: bodyBudget(),
    clientOf: () => undefined,
  })
}

describe('the request line', () => {
  test.each([
    ['/v1/acl/tokens?a=b', '/v1/acl/tokens?a=b'],
    ['//v1//x', '//v1//x'],
    ['http://x/v1/acl/tokens', '/v1/acl/tokens'],
    ['HTTPS://user@x:8500/v1?a=http://y/z', '/v1?a=http://y/z'],
    ['http://x', '/'],
    ['http://x?a=b', '/?a=b'],
    ['http://x//v1', '//v1'],
    ['http:///v1', '/v1'],
    ['*', '*'],
    ['x:443', 'x:443'],
    ['ftp://x/v1', 'ftp://x/v1'],
  ])('the target %s has the path %s (RFC 9112, 3.2)', (url, path) => {
    expect(aRequest({ url }).url).toBe(path)
  })
})

describe('headers (INJ-05)', () => {
  test('absent, single, with a comma in it', () => {
    const request = aRequest({ headers: { a: '1', b: '1,2' }, headersDistinct: { a: ['1'], b: ['1,2'] } })
    expect([request.header('a'), request.header('b'), request.header('c')]).toEqual(['1', '1,2', undefined])
  })

  test('the first value of a repeated header is used, whether Node joined them or not', () => {
    const request = aRequest({
      headers: { 'x-service-token': 'one, two', 'set-cookie': ['a', 'b'] },
      headersDistinct: { 'x-service-token': ['one', 'two'], 'set-cookie': ['a', 'b'] },
    })
    expect(request.header('x-service-token')).toBe('one')
    expect(request.header('set-cookie')).toBe('a')
  })
})

/** A response that records what was written. */
function aResponse() {
  const stream = new PassThrough()
  const heads: [number, object][] = []
  const written = Object.assign(stream, {
    writeHead: (status: number, headers: object) => {
      heads.push([status, headers])
      return written
    },
  })
  return { stream, heads, response: written as unknown as ServerResponse }
}

const anOutlet = (): Outlet => ({
  unread: new Backpressure(),
  turns: new FairQueue(WRITTEN_PER_TURN_BYTES_MAX, { startsAtOnce: true }),
  clientOf,
})
/** The client of a response, as {@link aReader} makes them. */
const clientOf = (request: IncomingMessage) => (request as { client?: string } | undefined)?.client
const write = (written: Parameters<typeof writeReply>[0], response: ServerResponse, outlet = anOutlet()) =>
  writeReply(written, response, outlet)
const reply = (body: Parameters<typeof writeReply>[0]['body']) =>
  ({ status: 200, headers: { A: 'b' }, body, endpoint: undefined, accessorId: undefined }) as const

describe('the reply', () => {
  test.each([
    [undefined, 0, ''],
    ['', 0, ''],
    ['é', 2, 'é'],
    [new TextEncoder().encode('é'), 2, 'é'],
  ])('%j is written at once, with its length in bytes', async (body, length, sent) => {
    const { stream, heads, response } = aResponse()
    expect(write(reply(body), response)).toBeUndefined()
    expect(heads).toEqual([[200, { A: 'b', 'Content-Length': length }]])
    expect(await text(stream)).toBe(sent)
  })

  test('a stream is written as it arrives, and respects backpressure', async () => {
    const { stream, heads, response } = aResponse()
    let made = 0
    async function* pieces() {
      for (; made < 100; made += 1) yield 'x'.repeat(10_000)
    }
    const done = write(reply(pieces()), response)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(made).toBeLessThan(50)
    expect((await text(stream)).length).toBe(1_000_000)
    await done
    expect(heads).toEqual([[200, { A: 'b' }]])
  })

  test('a stream that fails destroys the connection, so a truncated list never looks complete', async () => {
    const { stream, response } = aResponse()
    stream.on('error', () => {})
    async function* pieces() {
      yield '[1,'
      throw new Error('the database is away')
    }
    await write(reply(pieces()), response)
    expect(stream.destroyed).toBe(true)
    expect(stream.writableFinished).toBe(false)
  })

  test('nothing is written to a disconnected client, and its stream is closed', async () => {
    const { stream, heads, response } = aResponse()
    stream.destroy()
    await write(reply('x'), response)
    expect(heads).toEqual([])
    const leaving = aResponse()
    let isLetGo = false
    async function* pieces() {
      try {
        for (;;) yield 'x'.repeat(100_000)
      } finally {
        isLetGo = true
      }
    }
    const done = write(reply(pieces()), leaving.response)
    setTimeout(() => leaving.stream.destroy(), 10)
    await done
    expect(isLetGo).toBe(true)
  })
})

/** A client that reads everything and counts the bytes. */
function aReader(client = 'a') {
  const stream = new PassThrough()
  const reader = { bytes: 0, isDone: false, response: undefined as unknown as ServerResponse }
  stream
    .on('data', (bytes: Buffer) => {
      reader.bytes += bytes.length
    })
    .on('end', () => {
      reader.isDone = true
    })
  const req = { client }
  reader.response = Object.assign(stream, { writeHead: () => {}, req }) as unknown as ServerResponse
  return reader
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('a long answer', () => {
  test('arrives unchanged, in chunks', async () => {
    const { response, stream, heads } = aResponse()
    const bytes = Buffer.from('é'.repeat(PIECE_BYTES_MAX))
    const done = write(reply(bytes), response)
    expect(await buffer(stream)).toEqual(bytes)
    await done
    expect(heads).toEqual([[200, { A: 'b', 'Content-Length': bytes.length }]])
  })

  test.each(['whole', 'streamed'])(
    'DOS-05: however many clients get one, %s, a turn of the event loop writes a bounded part of them',
    async (form) => {
      const outlet = anOutlet()
      const length = 3 * PIECE_BYTES_MAX
      const shared = new Uint8Array(length)
      async function* pieces() {
        for (let at = 0; at < length; at += PIECE_BYTES_MAX) yield shared.subarray(at, at + PIECE_BYTES_MAX)
      }
      const readers = Array.from({ length: 10 }, () => aReader())
      for (const { response } of readers) {
        void write(reply(form === 'whole' ? shared : pieces()), response, outlet)
      }
      const written = () => readers.reduce((sum, { bytes }) => sum + bytes, 0)
      let before = 0
      while (readers.some(({ isDone }) => !isDone)) {
        await nextTurn()
        // A client may read in one turn what was written in the turn before.
        expect(written() - before).toBeLessThanOrEqual(2 * WRITTEN_PER_TURN_BYTES_MAX)
        before = written()
      }
      expect(before).toBe(readers.length * length)
    },
  )

  test('DOS-05: one client waits for a piece of another one, not for all of its answers', async () => {
    const outlet = anOutlet()
    const flood = Array.from({ length: 50 }, () => aReader('flood'))
    const other = aReader('other')
    const shared = new Uint8Array(2 * PIECE_BYTES_MAX)
    for (const { response } of [...flood, other]) void write(reply(shared), response, outlet)
    while (!other.isDone) await nextTurn()
    expect(flood.filter(({ isDone }) => isDone).length).toBeLessThan(flood.length / 2)
  })

  test('DOS-02: is counted as unread before its first piece is written', async () => {
    const outlet = anOutlet()
    // Uses up the turn.
    void outlet.turns.next(undefined, WRITTEN_PER_TURN_BYTES_MAX)
    const [one, other] = [aReader().response, aReader().response]
    for (const response of [one, other]) {
      void write(reply(new Uint8Array(limits.UNREAD_ANSWERS_BYTES_MAX / 2)), response, outlet)
    }
    let hasRoom = false
    const room = outlet.unread.room().then(() => {
      hasRoom = true
    })
    await Promise.resolve()
    expect(hasRoom).toBe(false)
    one.emit('close')
    await room
  })
})
