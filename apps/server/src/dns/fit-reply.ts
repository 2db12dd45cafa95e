/** Cuts answers to the size that clients take. Decisions: dns. */
import type { DnsRecord, DnsReply } from '@latchkey/acl'
import { writeReply } from './message-writer.ts'
import type { Query } from './query.ts'

/** Room for an answer. */
export interface Room {
  readonly bytes: number
  readonly answers: number
}

/** Over UDP, of a client that announces no size. RFC 1035, 4.2.1. */
const UDP_BYTES = 512
/** Most bytes over UDP, whatever the client announces: a forged question shall not bring much traffic to its victim. */
const UDP_BYTES_MAX = 4_096
/** The length of a message over TCP has two bytes. */
const TCP_BYTES_MAX = 65_535
/** Fewest bytes of a record with an address: a pointer, ten bytes, and the address. */
const ADDRESS_BYTES_MIN = 16
/** Fewest bytes of an SRV record with a short target, and of the address of that. */
const LOCATION_BYTES_MIN = 40 + ADDRESS_BYTES_MIN

/** @param answersMax most answers for a client that takes no more than 512 bytes. */
export function roomOf(query: Query, transport: 'udp' | 'tcp', answersMax: number): Room {
  const recordBytes = query.question.type === 'SRV' ? LOCATION_BYTES_MIN : ADDRESS_BYTES_MIN
  if (transport === 'tcp') return { bytes: TCP_BYTES_MAX, answers: Math.floor(TCP_BYTES_MAX / recordBytes) }
  const bytes = Math.min(Math.max(query.udpSize ?? 0, UDP_BYTES), UDP_BYTES_MAX)
  return { bytes, answers: bytes === UDP_BYTES ? answersMax : Math.floor(bytes / recordBytes) }
}

/**
 * Writes as much of an answer as there is room for. Metadata beside the answers goes first, then answers from the end with the
 * addresses that belong to them, then what else is beside them.
 *
 * @param options.saysCut whether the answer says that answers are missing. It always does if none is left.
 */
export function writeInto(
  room: Room,
  query: Query,
  reply: DnsReply,
  options: { readonly saysCut: boolean },
): Buffer {
  let cut = takeAnswers({ ...reply, additionals: withoutRepetitions(reply.additionals) }, room.answers)
  for (;;) {
    const missing = reply.answers.length - cut.answers.length
    const message = writeReply(query, cut, missing > 0 && (options.saysCut || cut.answers.length === 0))
    if (message.length <= room.bytes || isBare(cut)) return message
    cut = smaller(cut, room.bytes / message.length)
  }
}

/** @param share the part of the message for which there is room. */
function smaller(reply: DnsReply, share: number): DnsReply {
  const { answers, authorities, additionals } = reply
  if (hasTexts(reply)) return { ...reply, additionals: additionals.filter(({ type }) => type !== 'TXT') }
  if (answers.length > 1) return takeAnswers(reply, Math.max(1, Math.floor(answers.length * share)))
  if (additionals.length > 0) return { ...reply, additionals: additionals.slice(0, -1) }
  if (authorities.length > 0) return { ...reply, authorities: [] }
  return { ...reply, answers: [] }
}

function hasTexts({ additionals }: DnsReply): boolean {
  return additionals.some(({ type }) => type === 'TXT')
}

function isBare({ answers, authorities, additionals }: DnsReply): boolean {
  return answers.length + authorities.length + additionals.length === 0
}

/** The first answers, and beside them what is about their names. */
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
