/** Reads DNS messages that clients send. RFC 1035, 6891. */
import type { DnsQuestion, DnsReply } from '@latchkey/acl'
import { decode } from 'dns-packet'

/** A question that can be answered. */
export interface Query {
  readonly id: number
  readonly isRecursionDesired: boolean
  readonly question: DnsQuestion
  /** The question as it was sent, which the answer repeats byte for byte. */
  readonly questionBytes: Uint8Array
  /** Bytes that the client takes over UDP, if it announces them (EDNS). */
  readonly udpSize: number | undefined
}

/** A message that is answered with a status alone. */
export interface Unanswerable {
  readonly id: number
  readonly isRecursionDesired: boolean
  /** What the message asks for, where that is not a query; 0 is one. */
  readonly opcode: number
  readonly rcode: DnsReply['rcode']
}

/** Length of the header of a message. */
export const HEADER_BYTES = 12

const FLAGS_AT = 2
const IS_ANSWER = 0x80
const RECURSION_DESIRED = 0x01
const OPCODE = 0x78
const OPCODE_SHIFT = 3

/**
 * Reads a message.
 *
 * @returns `undefined` for one that is not answered: an answer, or less than a header.
 */
export function readQuery(message: Buffer): Query | Unanswerable | undefined {
  const flags = message[FLAGS_AT]
  if (flags === undefined || message.length < HEADER_BYTES || (flags & IS_ANSWER) !== 0) return undefined
  const header = { id: message.readUInt16BE(0), isRecursionDesired: (flags & RECURSION_DESIRED) !== 0 }
  const opcode = (flags & OPCODE) >> OPCODE_SHIFT
  if (opcode !== 0) return { ...header, opcode, rcode: 'NOTIMP' }
  // One question, before a big number of questions takes memory.
  if (message.readUInt16BE(4) !== 1) return { ...header, opcode, rcode: 'FORMERR' }
  try {
    const { questions: [asked] = [], additionals = [] } = decode(message)
    if (!asked) return { ...header, opcode, rcode: 'FORMERR' }
    const edns = additionals.find((each) => each.type === 'OPT')
    return {
      ...header,
      question: { name: asked.name === '.' ? '' : asked.name, type: asked.type },
      questionBytes: questionOf(message),
      udpSize: edns?.udpPayloadSize,
    }
  } catch {
    return { ...header, opcode, rcode: 'FORMERR' }
  }
}

/** Type and class, after the name. */
const QUESTION_TAIL_BYTES = 4

/** The first question: labels, each after its length, an empty one, type and class. Nothing before it can be pointed to. */
function questionOf(message: Buffer): Uint8Array {
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) at += 1 + length
  return message.subarray(HEADER_BYTES, at + 1 + QUESTION_TAIL_BYTES)
}
