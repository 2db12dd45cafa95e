/** Writes DNS answers. Repeated names are compressed to pointers. RFC 1035, 4.1.4. */
import type { DnsReply } from '@latchkey/catalog'
import { type Answer, encode } from 'dns-packet'
import { HEADER_BYTES, type Query, type Unanswerable } from './query.ts'

const RCODES: Readonly<Record<DnsReply['rcode'], number>> = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
}

const IS_ANSWER = 1 << 15
const AUTHORITATIVE = 1 << 10
const TRUNCATED = 1 << 9
const RECURSION_DESIRED = 1 << 8
const RECURSION_AVAILABLE = 1 << 7
const OPCODE_SHIFT = 11

/** An answer without a question: the message could not be read. */
export function writeStatus({ id, isRecursionDesired, opcode, rcode }: Unanswerable): Buffer {
  const message = Buffer.alloc(HEADER_BYTES)
  message.writeUInt16BE(id, 0)
  const flags = IS_ANSWER | (opcode << OPCODE_SHIFT) | (isRecursionDesired ? RECURSION_DESIRED : 0)
  message.writeUInt16BE(flags | RCODES[rcode], 2)
  return message
}

/** @param isTruncated whether records are missing for which another transport has room. */
export function writeReply(query: Query, reply: DnsReply, isTruncated = false): Buffer {
  const { answers, authorities, additionals } = reply
  const header = writeStatus({ ...query, opcode: 0, rcode: reply.rcode })
  const flags =
    header.readUInt16BE(2) |
    (reply.isAuthoritative ? AUTHORITATIVE : 0) |
    (isTruncated ? TRUNCATED : 0) |
    (reply.isRecursionAvailable ? RECURSION_AVAILABLE : 0)
  header.writeUInt16BE(flags, 2)
  const edns = query.udpSize === undefined ? [] : [encodeEdns(query.udpSize)]
  const counts = [1, answers.length, authorities.length, additionals.length + edns.length]
  for (const [i, count] of counts.entries()) header.writeUInt16BE(count, 4 + 2 * i)
  const written: Uint8Array[] = [header, query.questionBytes]
  let at = HEADER_BYTES + query.questionBytes.length
  /** Where each name is written. */
  const places = new Map([[query.question.name, HEADER_BYTES]])
  const note = (name: string, place: number) => {
    if (place <= POINTED_MAX && !places.has(name)) places.set(name, place)
  }
  for (const record of [...answers, ...authorities, ...additionals]) {
    const bytes = encodeAnswer(
      record.type === 'TXT' ? { ...record, data: stringsOf(record.data) } : { ...record },
    )
    const place = places.get(record.name)
    note(record.name, at)
    const pieces = place === undefined ? [bytes] : [pointerTo(place), bytes.subarray(nameBytes(record.name))]
    written.push(...pieces)
    for (const piece of pieces) at += piece.length
    // The data of these types ends in a name.
    const target = record.type === 'SRV' ? record.data.target : NAMES.has(record.type) && record.data
    if (typeof target === 'string') note(target, at - nameBytes(target))
  }
  return Buffer.concat([...written, ...edns])
}

const STRING_BYTES_MAX = 255
const POINTER = 0xc000
/** The highest offset that a pointer can express. */
const POINTED_MAX = 0x3fff

const NAMES: ReadonlySet<string> = new Set(['CNAME', 'NS', 'PTR'])

function pointerTo(place: number): Buffer {
  const pointer = Buffer.alloc(2)
  pointer.writeUInt16BE(POINTER | place)
  return pointer
}

function nameBytes(name: string): number {
  return name === '' ? 1 : Buffer.byteLength(name) + 2
}

function encodeEdns(udpPayloadSize: number): Buffer {
  const options = { extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }
  return encodeAnswer({ type: 'OPT', name: '.', udpPayloadSize, ...options })
}

/** Encodes a single record: a message with nothing else, without the header. */
function encodeAnswer(record: Answer): Buffer {
  return encode({ type: 'response', answers: [record] }).subarray(HEADER_BYTES)
}

/** A text in pieces that fit; at least one, which may be empty. */
function stringsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text)
  const count = Math.max(1, Math.ceil(bytes.length / STRING_BYTES_MAX))
  return Array.from({ length: count }, (_, i) =>
    bytes.subarray(i * STRING_BYTES_MAX, (i + 1) * STRING_BYTES_MAX),
  )
}
