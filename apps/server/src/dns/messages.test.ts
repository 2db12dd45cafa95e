/** DNS on the wire: how messages are read, and how answers are written and cut. Decisions: dns. */
import { type DnsRecord, type DnsReply, emptyReply } from '@latchkey/catalog'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { decode, encode, type Packet } from 'dns-packet'
import { describe, expect, test } from 'vitest'
import { roomOf, writeInto } from './fit-reply.ts'
import { writeReply, writeStatus } from './message-writer.ts'
import { type Query, readQuery } from './query.ts'

const NAME = 'Web.service.consul'

function aMessage(packet: Packet = {}): Buffer {
  return encode({ type: 'query', id: 7, flags: 1 << 8, questions: [{ name: NAME, type: 'SRV' }], ...packet })
}

function withEdns(udpPayloadSize: number): Buffer {
  const options = { extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }
  return aMessage({ additionals: [{ type: 'OPT', name: '.', udpPayloadSize, ...options }] })
}

function aQuery(message = aMessage()): Query {
  const query = readQuery(message)
  if (query === undefined || 'rcode' in query) return expect.fail('not a query')
  return query
}

const located = (i: number): DnsRecord => ({
  name: NAME,
  type: 'SRV',
  ttl: 0,
  data: { priority: 1, weight: 1, port: i, target: `n${i}.node.dc1.consul` },
})
const address = (i: number): DnsRecord => ({
  name: `n${i}.node.dc1.consul`,
  type: 'A',
  ttl: 0,
  data: `10.0.0.${i}`,
})
const metadata = (i: number): DnsRecord => ({
  name: `n${i}.node.dc1.consul`,
  type: 'TXT',
  ttl: 0,
  data: 'x'.repeat(100),
})

function aReply(count: number, beside: readonly ((i: number) => DnsRecord)[] = [address]): DnsReply {
  const numbers = Array.from({ length: count }, (_, i) => i)
  const additionals = numbers.flatMap((i) => beside.map((record) => record(i)))
  return { ...emptyReply('NOERROR'), isOfService: true, answers: numbers.map(located), additionals }
}

describe('reading', () => {
  test('a question, with its flags and the size that its client accepts', () => {
    expect(aQuery()).toMatchObject({
      id: 7,
      isRecursionDesired: true,
      question: { name: NAME, type: 'SRV' },
      udpSize: undefined,
    })
    expect(aQuery(withEdns(1232)).udpSize).toBe(1232)
    expect(aQuery(encode({ questions: [{ name: '.', type: 'NS' }] })).question.name).toBe('')
  })

  test('a label that contains a dot or is not UTF-8 equals neither several labels nor a name', () => {
    const named = (...labels: readonly (string | Buffer)[]) => {
      const name = labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
      const message = Buffer.concat([aMessage().subarray(0, 12), ...name, Buffer.from([0, 0, 1, 0, 1])])
      const query = aQuery(message)
      expect(Buffer.concat([message.subarray(0, 12), query.questionBytes])).toEqual(message)
      return query.question.name
    }
    expect(named('a', 'b', 'node', 'consul')).toBe('a.b.node.consul')
    expect(named('a.b', 'node', 'consul')).toBe('a\0b.node.consul')
    expect(named('web', 'service.consul')).toBe('web.service\0consul')
    expect(named('.')).toBe('\0')
    expect(named(Buffer.from([0x61, 0xff]), 'consul')).toBe('a\0.consul')
  })

  test.each([
    ['an answer', encode({ type: 'response', questions: [{ name: NAME, type: 'A' }] }), undefined],
    ['less than a header', aMessage().subarray(0, 11), undefined],
    ['nothing', Buffer.alloc(0), undefined],
    ['an update', aMessage({ flags: 5 << 11 }), 'NOTIMP'],
    [
      'two questions',
      aMessage({
        questions: [
          { name: NAME, type: 'A' },
          { name: NAME, type: 'A' },
        ],
      }),
      'FORMERR',
    ],
    ['no question', aMessage({ questions: [] }), 'FORMERR'],
    ['half a question', aMessage().subarray(0, 20), 'FORMERR'],
    [
      'a name that points to itself',
      Buffer.concat([aMessage().subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]),
      'FORMERR',
    ],
  ])('%s', (_, message, rcode) => {
    const read = readQuery(message)
    expect(read === undefined ? undefined : 'rcode' in read && read.rcode).toBe(rcode)
  })

  test('a status repeats what the message asked for', () => {
    const update = readQuery(aMessage({ flags: 5 << 11 }))
    const status = update && 'rcode' in update ? decode(writeStatus(update)) : undefined
    expect(status).toMatchObject({ id: 7, opcode: 'UPDATE', rcode: 'NOTIMP' })
  })

  test('FUZZ: damaged messages are answered with a readable message, or not at all', () => {
    const random = new SeededRandom(chooseSeed('DNS messages'))
    const originals = [
      aMessage(),
      withEdns(4_096),
      encode({
        type: 'query',
        questions: [{ name: NAME, type: 'A' }],
        answers: [{ name: NAME, type: 'A', data: '10.0.0.1' }],
      }),
    ]
    for (let left = fuzzCount(2_000); left > 0; left--) {
      const message = Buffer.from(random.pick(originals))
      for (let damages = 1 + random.below(4); damages > 0; damages--)
        message[random.below(message.length)] = random.below(256)
      const cut = random.chance(0.3) ? message.subarray(0, random.below(message.length)) : message
      const read = readQuery(cut)
      if (read === undefined) continue
      const bytes = 'rcode' in read ? writeStatus(read) : writeReply(read, aReply(3))
      expect(decode(bytes), cut.toString('hex')).toMatchObject({ id: read.id, type: 'response' })
    }
  })
})

describe('writing', () => {
  test('the question is repeated, and every record is read back', () => {
    const reply: DnsReply = {
      rcode: 'NXDOMAIN',
      isAuthoritative: true,
      isRecursionAvailable: false,
      answers: [
        { name: NAME, type: 'CNAME', ttl: 1, data: 'n1.node.dc1.consul' },
        { name: 'n1.node.dc1.consul', type: 'AAAA', ttl: 2, data: 'fe80:0:0:0:0:0:0:1' },
        { name: NAME, type: 'PTR', ttl: 0, data: 'web.service.consul' },
        located(1),
      ],
      authorities: [
        { name: 'consul', type: 'NS', ttl: 3, data: 'n1.node.dc1.consul' },
        {
          name: 'consul',
          type: 'SOA',
          ttl: 0,
          data: {
            mname: 'ns.consul',
            rname: 'hostmaster.consul',
            serial: 9,
            refresh: 1,
            retry: 2,
            expire: 3,
            minimum: 4,
          },
        },
      ],
      additionals: [address(1), { name: NAME, type: 'TXT', ttl: 5, data: '' }],
    }
    const read = decode(writeReply(aQuery(withEdns(1_400)), reply))
    expect(read).toMatchObject({
      id: 7,
      type: 'response',
      flag_aa: true,
      flag_ra: false,
      flag_rd: true,
      flag_tc: false,
      rcode: 'NXDOMAIN',
    })
    expect(read.questions).toMatchObject([{ name: NAME, type: 'SRV' }])
    expect(read.answers).toMatchObject([
      reply.answers[0],
      { ...reply.answers[1], data: 'fe80::1' },
      ...reply.answers.slice(2),
    ])
    expect(read.authorities).toMatchObject(reply.authorities)
    expect(read.additionals).toMatchObject([
      address(1),
      { name: NAME, type: 'TXT', data: [Buffer.alloc(0)] },
      { type: 'OPT', udpPayloadSize: 1_400 },
    ])
  })

  test('unknown types and classes of questions are repeated byte for byte', () => {
    const message = aMessage()
    message.writeUInt32BE(0xff01_ff02, message.length - 4)
    const query = aQuery(message)
    expect(writeReply(query, emptyReply('NOERROR')).subarray(12)).toEqual(message.subarray(12))
  })

  test('a long text is several strings', () => {
    const data = 'é'.repeat(300)
    const record: DnsRecord = { name: NAME, type: 'TXT', ttl: 0, data }
    const [read] = decode(writeReply(aQuery(), { ...emptyReply('NOERROR'), answers: [record] })).answers ?? []
    const strings = read?.type === 'TXT' && Array.isArray(read.data) ? read.data : []
    expect(strings.map((each) => each.length)).toEqual([255, 255, 90])
    expect(Buffer.concat(strings.map((each) => Buffer.from(each))).toString()).toBe(data)
  })

  test('names are written once', () => {
    const alone = writeReply(aQuery(), aReply(1, [])).length
    // A pointer, ten bytes, and an address.
    expect(writeReply(aQuery(), aReply(1)).length - alone).toBe(16)
  })
})

describe('room', () => {
  function cut(transport: 'udp' | 'tcp', reply: DnsReply, { edns = 0 } = {}) {
    const query = aQuery(edns === 0 ? aMessage() : withEdns(edns))
    const room = roomOf(query, transport)
    const bytes = writeInto(room, query, reply)
    expect(bytes.length).toBeLessThanOrEqual(room.bytes)
    const { answers = [], additionals = [], flag_tc } = decode(bytes) as Packet & { flag_tc: boolean }
    const types = (type: string) => additionals.filter((each) => each.type === type).length
    return { answers: answers.length, addresses: types('A'), texts: types('TXT'), isCut: flag_tc }
  }

  test.each([
    ['udp', 0, 3],
    ['udp', 512, 3],
    ['udp', 100, 3],
    ['udp', 1_232, 12],
    ['udp', 65_535, 12],
    ['tcp', 0, 12],
  ] as const)('12 instances over %s, with EDNS %i: %i of them', (transport, edns, answers) => {
    expect(cut(transport, aReply(12), { edns })).toEqual({
      answers,
      addresses: answers,
      texts: 0,
      isCut: false,
    })
  })

  test.each([1_233, 4_096, 65_535])('over UDP with EDNS %i, an answer has at most 1,232 bytes', (edns) => {
    expect(roomOf(aQuery(withEdns(edns)), 'udp').bytes).toBe(1_232)
    const { answers, addresses } = cut('udp', aReply(256), { edns })
    expect(answers).toBe(addresses)
    expect(answers).toBeGreaterThan(15)
  })

  const text = (i: number): DnsRecord => ({ ...metadata(i), name: NAME })
  test.each([
    [4, 4, false],
    [5, 4, true],
  ])('%i texts of a node without EDNS: %i that fit in 512 bytes; TC %s', (count, answers, isCut) => {
    const reply = { ...emptyReply('NOERROR'), answers: Array.from({ length: count }, (_, i) => text(i)) }
    expect(cut('udp', reply)).toMatchObject({ answers, isCut })
  })

  test('metadata is dropped before answers, and duplicate records are written once', () => {
    expect(cut('udp', aReply(3, [address, metadata]))).toEqual({
      answers: 3,
      addresses: 3,
      texts: 0,
      isCut: false,
    })
    expect(cut('udp', aReply(1, [address, address, metadata]))).toMatchObject({
      answers: 1,
      addresses: 1,
      texts: 1,
    })
  })

  test('if nothing fits, the answer says that it was truncated', () => {
    const data = 'x'.repeat(600)
    const reply = { ...emptyReply('NOERROR'), answers: [{ name: NAME, type: 'TXT', ttl: 0, data } as const] }
    expect(cut('udp', reply)).toMatchObject({ answers: 0, isCut: true })
    expect(cut('tcp', reply)).toMatchObject({ answers: 1, isCut: false })
  })

  test('over TCP the longest answers fit', () => {
    const { answers } = cut('tcp', aReply(4_000))
    expect(answers).toBeGreaterThan(500)
  })
})
