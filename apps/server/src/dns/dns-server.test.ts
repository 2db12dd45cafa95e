/** DNS over real sockets. Decisions: dns. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { type DnsReply, emptyReply } from '@latchkey/catalog'
import { parseServiceVersion, profileOf } from '@latchkey/contract'
import { type RateLimits, TokenBuckets } from '@latchkey/service'
import { aNode, aService } from '@latchkey/testkit/records/catalog-builders'
import { aWorld, MANAGEMENT } from '@latchkey/testkit/service/world'
import { decode, encode, type Packet } from 'dns-packet'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { socketsOfTest } from '../../test/open-sockets.ts'
import { loadConfig } from '../config/config.ts'
import { StartError } from '../start-error.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { limitAnswers } from './limit-answers.ts'
import { Responder, type ResponderOptions } from './responder.ts'
import { startDns } from './start-dns.ts'
import { CONNECTIONS_PER_CLIENT_MAX } from './tcp-server.ts'

const log = pino({ level: 'silent' })
const open = socketsOfTest()
const servers: DnsServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

type Question = { readonly name: string; readonly type: 'A' | 'SRV' | 'TXT' }
const WEB: Question = { name: 'web.service.consul', type: 'A' }

const ask = (question: Question, id = 1) => encode({ type: 'query', id, questions: [question] })

async function overUdp(port: number, ...messages: Buffer[]): Promise<Packet> {
  const socket = createSocket('udp4')
  try {
    for (const message of messages) socket.send(message, port, '127.0.0.1')
    const [answer] = (await once(socket, 'message')) as [Buffer]
    return decode(answer)
  } finally {
    socket.close()
  }
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

/** Reads messages until the connection ends, or until there are enough. */
async function read(socket: Socket, count: number): Promise<Packet[]> {
  let bytes = Buffer.alloc(0)
  const answers: Packet[] = []
  for await (const piece of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, piece as Buffer])
    while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
      const end = 2 + bytes.readUInt16BE(0)
      answers.push(decode(bytes.subarray(2, end)))
      bytes = bytes.subarray(end)
    }
    if (answers.length >= count) break
  }
  return answers
}

describe('with the names of a service', () => {
  let server: DnsServer | undefined
  const answered: string[] = []
  beforeAll(async () => {
    const { service, store } = await aWorld()
    await store.commit([
      {
        table: 'nodes',
        op: 'put',
        record: aNode({ Node: 'a', Address: '10.0.0.1', Meta: { a: '1', b: '2', c: '3', d: '4', e: '5' } }),
        expect: 0,
      },
      ...Array.from({ length: 12 }, (_, i) => {
        const record = aService({ Node: 'a', ID: `web-${i}`, Service: 'web', Address: `10.0.1.${i}` })
        return { table: 'services', op: 'put', record, expect: 0 } as const
      }),
    ])
    server = await startDns({
      config: loadConfig({ LATCHKEY_DNS_PORT: '0', LATCHKEY_DNS_TOKEN: MANAGEMENT, LATCHKEY_DNS_TTL: '9s' }),
      profile: profileOf(parseServiceVersion('1.11')),
      service,
      onAnswer: (rcode, transport) => answered.push(`${rcode} ${transport}`),
      log,
    })
  })
  afterAll(() => server?.close())
  const port = () => server?.port ?? 0

  test('a question over UDP: three answers, with the settings in them', async () => {
    const { answers = [], id } = await overUdp(port(), ask(WEB, 77))
    expect({ id, count: answers.length }).toEqual({ id: 77, count: 3 })
    expect((await overUdp(port(), ask({ name: 'a.node.consul', type: 'A' }))).answers).toMatchObject([
      { name: 'a.node.consul', type: 'A', ttl: 9, data: '10.0.0.1' },
    ])
    expect(answered).toContain('NOERROR udp')
  })

  test.each([
    ['TXT', 5],
    ['ANY', 6],
  ] as const)(
    '%s of a node over UDP: all its records, because only services have a limit',
    async (type, count) => {
      const { answers = [] } = await overUdp(port(), ask({ name: 'a.node.consul', type: type as 'TXT' }))
      expect(answers).toHaveLength(count)
    },
  )

  test('questions over one TCP connection are answered in order, however they are split', async () => {
    const socket = await open(port())
    const bytes = Buffer.concat([1, 2, 3].map((id) => framed(ask(WEB, id))))
    for (let at = 0; at < bytes.length; at += 7) socket.write(bytes.subarray(at, at + 7))
    const answers = await read(socket, 3)
    expect(answers.map(({ id, answers: found = [] }) => [id, found.length])).toEqual([
      [1, 12],
      [2, 12],
      [3, 12],
    ])
  })

  test('a client that closes its side after its question gets its answer', async () => {
    const socket = await open(port())
    socket.end(framed(ask(WEB)))
    expect(await read(socket, 2)).toHaveLength(1)
  })

  test('answers, garbage and empty messages are not answered, and do no harm', async () => {
    const bad = [encode({ type: 'response', questions: [WEB] }), Buffer.from('garbage'), Buffer.alloc(0)]
    expect((await overUdp(port(), ...bad, ask(WEB, 5))).id).toBe(5)
  })
})

function aResponder(options: Partial<ResponderOptions>): Responder {
  return new Responder({
    resolve: () => emptyReply('NOERROR'),
    mayAnswer: limitAnswers(0),
    hasEdns: true,
    onAnswer: () => {},
    onError: () => {},
    ...options,
  })
}

async function aServer(options: Partial<ResponderOptions> = {}, idleMs?: number): Promise<number> {
  const responder = aResponder(options)
  const server = await startDnsServer({
    address: '127.0.0.1',
    port: 0,
    isShared: false,
    responder,
    onError: () => {},
    ...(idleMs === undefined ? {} : { idleMs }),
  })
  servers.push(server)
  return server.port
}

test('a question that fails is answered SERVFAIL, at once or later', async () => {
  const failures: unknown[] = []
  const failing = [
    () => {
      throw new Error('at once')
    },
    () => Promise.reject(new Error('later')),
  ]
  for (const resolve of failing) {
    const port = await aServer({ resolve, onError: (error) => failures.push(error) })
    expect(await overUdp(port, ask(WEB))).toMatchObject({ rcode: 'SERVFAIL', questions: [WEB] })
  }
  expect(failures).toHaveLength(2)
})

test('a client gets a bounded number of answers per second, and a TCP connection above it is closed', async () => {
  let now = 0
  const port = await aServer({ mayAnswer: limitAnswers(1, new TokenBuckets(() => now)) })
  const first = await open(port)
  first.write(Buffer.concat([1, 2, 3].map((id) => framed(ask(WEB, id)))))
  expect(await read(first, 3)).toHaveLength(2)
  now = 1_000
  expect((await overUdp(port, ask(WEB, 4))).id).toBe(4)
})

test('several processes share the limit of a client if another process counts, which decides later', async () => {
  const buckets = new TokenBuckets(() => 0)
  const limits: RateLimits = { take: async (...asked) => buckets.take(...asked) }
  const mayAnswer = [limitAnswers(100, limits), limitAnswers(100, limits)]
  const asked = Array.from({ length: 300 }, (_, i) => mayAnswer[i % 2]?.('a'))
  const admitted = (await Promise.all(asked)).filter(Boolean)
  expect(admitted).toHaveLength(200)
  const responder = aResponder({ mayAnswer: limitAnswers(1, limits) })
  const answers = [1, 2, 3].map((id) => responder.respond(ask(WEB, id), 'udp', 'b'))
  expect((await Promise.all(answers)).filter(Boolean)).toHaveLength(2)
})

test('while 1,000 questions wait, further ones are not answered', async () => {
  const found = Promise.withResolvers<DnsReply>()
  const responder = aResponder({ resolve: () => found.promise })
  const waiting = Array.from({ length: 1_000 }, () => responder.respond(ask(WEB), 'udp', 'a'))
  expect(responder.respond(ask(WEB), 'udp', 'a')).toBeUndefined()
  found.resolve(emptyReply('NOERROR'))
  expect((await Promise.all(waiting)).filter(Boolean)).toHaveLength(1_000)
  expect(await responder.respond(ask(WEB), 'udp', 'a')).toBeDefined()
})

test('questions of TCP connections are answered one per turn of the event loop', async () => {
  let asked = 0
  let turns = 0
  const perTurn: number[] = []
  const count = () => {
    perTurn.push(asked)
    asked = 0
    turns += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const port = await aServer({
    resolve: () => {
      asked += 1
      return emptyReply('NOERROR')
    },
  })
  const sockets = await Promise.all([open(port), open(port)])
  for (const socket of sockets)
    socket.write(Buffer.concat(Array.from({ length: 50 }, () => framed(ask(WEB)))))
  for (const socket of sockets) expect(await read(socket, 50)).toHaveLength(50)
  clearImmediate(counting)
  expect(turns).toBeGreaterThan(90)
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2)
})

test('a connection without a complete question is closed, even if bytes keep arriving', async () => {
  const port = await aServer({}, 200)
  const socket = await open(port)
  const dripping = setInterval(() => socket.write(Buffer.alloc(1)), 20)
  socket.resume()
  await once(socket, 'close')
  clearInterval(dripping)
})

test('a connection that announces a question of more than 4 KiB is closed', async () => {
  const socket = await open(await aServer())
  socket.write(Buffer.from([0x10, 0x01]))
  expect(await read(socket, 1)).toEqual([])
})

test('a client has a bounded number of connections', async () => {
  const port = await aServer()
  const held = await Promise.all(Array.from({ length: CONNECTIONS_PER_CLIENT_MAX }, () => open(port)))
  for (const socket of held) socket.write(framed(ask(WEB)))
  for (const socket of held) expect(await read(socket, 1)).toHaveLength(1)
  const refused = await open(port)
  refused.resume()
  await once(refused, 'close')
  held[0]?.destroy()
  const answersOfNext = async () => {
    const next = await open(port)
    next.write(framed(ask(WEB)))
    return (await read(next, 1)).length
  }
  await expect.poll(answersOfNext).toBe(1)
})

test('the questions of a client that reads no answers are not read either', async () => {
  const record = { name: 'big.service.consul', type: 'TXT', ttl: 0, data: 'x'.repeat(255) } as const
  const big = { ...emptyReply('NOERROR'), answers: Array.from({ length: 240 }, () => record) }
  let asked = 0
  const port = await aServer({
    resolve: ({ name }) => {
      if (name !== record.name) return emptyReply('NOERROR')
      asked += 1
      return big
    },
  })
  const [deaf, other] = [await open(port), await open(port)]
  deaf.pause()
  for (const [socket, name] of [
    [deaf, record.name],
    [other, WEB.name],
  ] as const)
    socket.write(Buffer.concat(Array.from({ length: 200 }, () => framed(ask({ name, type: 'TXT' })))))
  // Connections take turns, so the other one has had as many.
  expect(await read(other, 200)).toHaveLength(200)
  expect(asked).toBeLessThan(200)
})

test('an address in use is named', async () => {
  const port = await aServer()
  const responder = new Responder({} as ResponderOptions)
  const start = startDnsServer({ address: '127.0.0.1', port, isShared: false, responder, onError: () => {} })
  await expect(start).rejects.toThrow(StartError)
  await expect(start).rejects.toThrow('LATCHKEY_DNS_PORT')
})
