/** Cuts answers to the size that clients accept. Decisions: dns. */
import type { DnsRecord, DnsReply } from '@latchkey/catalog'
import { writeReply } from './message-writer.ts'
import type { Query } from './query.ts'

export interface AnswerRoom {
  readonly bytes: number
  readonly answers: number
}

/** For UDP clients that announce no size. RFC 1035, 4.2.1. */
const UDP_BYTES = 512
/** Maximum instances of a service for these clients, as in existing services. */
const UDP_ANSWERS_MAX = 3
/**
 * Maximum bytes over UDP, whatever the client announces, to limit amplification by forged questions. This much passes every
 * IPv6 network in one piece: 1,280 bytes minus the headers.
 */
const UDP_BYTES_MAX = 1_232
/** The length of a message over TCP has two bytes. */
const TCP_BYTES_MAX = 65_535
/** Minimum bytes of a record with an address: a pointer, ten bytes, and the address. */
const ADDRESS_BYTES_MIN = 16
/** Minimum bytes of an SRV record with a short target, and of the target's address. */
const LOCATION_BYTES_MIN = 40 + ADDRESS_BYTES_MIN

export function roomOf(query: Query, transport: 'udp' | 'tcp'): AnswerRoom {
  const recordBytes = query.question.type === 'SRV' ? LOCATION_BYTES_MIN : ADDRESS_BYTES_MIN
  if (transport === 'tcp') return { bytes: TCP_BYTES_MAX, answers: Math.floor(TCP_BYTES_MAX / recordBytes) }
  const bytes = Math.min(Math.max(query.udpSize ?? 0, UDP_BYTES), UDP_BYTES_MAX)
  return { bytes, answers: bytes === UDP_BYTES ? UDP_ANSWERS_MAX : Math.floor(bytes / recordBytes) }
}

/**
 * Writes as much of an answer as fits. Drops TXT records among the additional records first, then answers from the end
 * with the addresses of their targets, then the remaining additional and authority records. The message is marked as truncated
 * if no answer is left, or if answers other than instances of a service are missing, because those are not interchangeable.
 */
export function writeInto(room: AnswerRoom, query: Query, reply: DnsReply): Buffer {
  const whole = { ...reply, additionals: withoutRepetitions(reply.additionals) }
  const { isOfService = false } = reply
  let cut = isOfService ? takeAnswers(whole, room.answers) : whole
  for (;;) {
    const missing = reply.answers.length - cut.answers.length
    const message = writeReply(query, cut, missing > 0 && (!isOfService || cut.answers.length === 0))
    if (
      message.length <= room.bytes ||
      cut.answers.length + cut.authorities.length + cut.additionals.length === 0
    )
      return message
    cut = smaller(cut, room.bytes / message.length)
  }
}

/** @param share the fraction of the message that fits. */
function smaller(reply: DnsReply, share: number): DnsReply {
  const { answers, authorities, additionals } = reply
  if (reply.additionals.some(({ type }) => type === 'TXT'))
    return { ...reply, additionals: additionals.filter(({ type }) => type !== 'TXT') }
  if (answers.length > 1) return takeAnswers(reply, Math.max(1, Math.floor(answers.length * share)))
  if (additionals.length > 0) return { ...reply, additionals: additionals.slice(0, -1) }
  if (authorities.length > 0) return { ...reply, authorities: [] }
  return { ...reply, answers: [] }
}

/** The first answers, with the additional records for their targets. */
function takeAnswers(reply: DnsReply, count: number): DnsReply {
  if (reply.answers.length <= count) return reply
  const answers = reply.answers.slice(0, count)
  const targets = new Set(answers.flatMap(({ type, data }) => (type === 'SRV' ? [data.target] : [])))
  const additionals = reply.additionals.filter(({ name }) => targets.has(name))
  return { ...reply, answers, additionals }
}

function withoutRepetitions(records: readonly DnsRecord[]): readonly DnsRecord[] {
  const known = new Map(records.map((record) => [JSON.stringify(record), record]))
  return known.size === records.length ? records : [...known.values()]
}
