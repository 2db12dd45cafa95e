/** Reads DNS messages that clients send. RFC 1035, 6891. */
import type { DnsQuestion, DnsReply } from '@latchkey/catalog'
import { decode } from 'dns-packet'

export interface Query {
  readonly id: number
  readonly isRecursionDesired: boolean
  readonly question: DnsQuestion
  /** The question as it was sent, which the answer repeats byte for byte. */
  readonly questionBytes: Uint8Array
  /** Bytes that the client accepts over UDP, if it announces them (EDNS). */
  readonly udpSize: number | undefined
}

/** A message that is answered with only a status. */
export interface Unanswerable {
  readonly id: number
  readonly isRecursionDesired: boolean
  /** The operation that the message requests, if it is not a query; 0 is a query. */
  readonly opcode: number
  readonly rcode: DnsReply['rcode']
}

export const HEADER_BYTES = 12

const FLAGS_AT = 2
const IS_ANSWER = 0x80
const RECURSION_DESIRED = 0x01
const OPCODE = 0x78
const OPCODE_SHIFT = 3

/** @returns `undefined` for a message that is not answered: an answer, or less than a header. */
export function readQuery(message: Buffer): Query | Unanswerable | undefined {
  const flags = message[FLAGS_AT]
  if (flags === undefined || message.length < HEADER_BYTES || (flags & IS_ANSWER) !== 0) return undefined
  const header = { id: message.readUInt16BE(0), isRecursionDesired: (flags & RECURSION_DESIRED) !== 0 }
  const opcode = (flags & OPCODE) >> OPCODE_SHIFT
  if (opcode !== 0) return { ...header, opcode, rcode: 'NOTIMP' }
  // Exactly one question. Checked before a high question count can take memory.
  if (message.readUInt16BE(4) !== 1) return { ...header, opcode, rcode: 'FORMERR' }
  try {
    const { questions: [asked] = [], additionals = [] } = decode(message)
    if (!asked) return { ...header, opcode, rcode: 'FORMERR' }
    const edns = additionals.find((each) => each.type === 'OPT')
    const { name, bytes } = questionOf(message)
    return {
      ...header,
      question: { name, type: asked.type },
      questionBytes: bytes,
      udpSize: edns?.udpPayloadSize,
    }
  } catch {
    return { ...header, opcode, rcode: 'FORMERR' }
  }
}

const QUESTION_TAIL_BYTES = 4
const LABEL_BYTES_MAX = 63

/**
 * Reads the first question: labels, each preceded by its length, an empty label, type and class. There is nothing before it
 * for a pointer to refer to.
 *
 * @throws RangeError if a label is too long.
 */
function questionOf(message: Buffer): { readonly name: string; readonly bytes: Uint8Array } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    if (length > LABEL_BYTES_MAX) throw new RangeError(`a label of ${length} bytes`)
    labels.push(labelOf(message.subarray(at + 1, at + 1 + length)))
    at += 1 + length
  }
  return { name: labels.join('.'), bytes: message.subarray(HEADER_BYTES, at + 1 + QUESTION_TAIL_BYTES) }
}

/** A dot within a label, and bytes that are not UTF-8, become NUL, so that they equal neither several labels nor a name. */
function labelOf(bytes: Buffer): string {
  return bytes.toString().replaceAll(/[.\ufffd]/g, '\0')
}
