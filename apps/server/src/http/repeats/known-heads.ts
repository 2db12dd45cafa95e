import type { IncomingMessage } from 'node:http'
import { BoundedMap } from '@latchkey/service'
import { firstValue } from '../api/wire-adapter.ts'
import { whatIsAmbiguous } from '../listener/ambiguous-request.ts'

/** The headers of a request, by their names in lower case: of each its first value. */
export type HeaderValues = Readonly<Record<string, string>>

/** The start of a request without a body. */
export interface Head {
  /** Path and query. */
  readonly url: string
  readonly headers: HeaderValues
}

/** Longer ones are not kept. */
const HEAD_BYTES_MAX = 2_048
/** Of all header blocks together. Some 10,000 clients have one of 150 characters each. */
const CHARACTERS_MAX = 4 * 1_024 * 1_024

const START = 'GET /v1/'
const VERSION = ' HTTP/1.1'
const LINE_END = '\r\n'
/** What needs no decoding. */
const PLAIN_URL = /^[\w\-./?=&~:,+]+$/
/** Each makes Node treat the connection, or what follows the head, in another way. */
const FRAMING = ['content-length', 'transfer-encoding', 'expect', 'upgrade'] as const

/**
 * Remembers how Node parsed the headers of reads: a client sends the same ones with each request, and parsing takes longer
 * than most answers. The key is their bytes, so no text is interpreted in two ways. Only the request line is parsed here, and
 * only in its plainest form.
 */
export class KnownHeads {
  private readonly blocks = new BoundedMap<string, HeaderValues>(CHARACTERS_MAX)

  /** @returns undefined: Node has to parse these bytes. */
  find(bytes: Buffer): Head | undefined {
    const split = splitHead(bytes)
    const headers = split && this.blocks.get(split.block)
    return headers && { url: split.url, headers }
  }

  /**
   * @param bytes what Node parsed: all bytes of one request.
   * @param request what it made of them.
   */
  learn(bytes: Buffer, request: IncomingMessage): void {
    const split = splitHead(bytes)
    if (!split || !isPlain(request) || whatIsAmbiguous(request) !== undefined) return
    // A copy, because a part of a text keeps all of it.
    const block = Buffer.from(split.block, 'latin1').toString('latin1')
    if (this.blocks.get(block) === undefined) this.blocks.set(block, valuesOf(request), block.length)
  }
}

interface SplitHead {
  readonly url: string
  /** From the end of the request line on. */
  readonly block: string
}

/** @returns undefined if the bytes do not begin like the head of a plain read. */
function splitHead(bytes: Buffer): SplitHead | undefined {
  if (bytes.length > HEAD_BYTES_MAX) return undefined
  const text = bytes.toString('latin1')
  if (!text.startsWith(START)) return undefined
  const lineEnd = text.indexOf(LINE_END)
  const urlEnd = lineEnd - VERSION.length
  if (!text.startsWith(VERSION, urlEnd)) return undefined
  const url = text.slice('GET '.length, urlEnd)
  return PLAIN_URL.test(url) ? { url, block: text.slice(lineEnd) } : undefined
}

/** Whether the next request begins right behind this one, on a connection that stays open. */
function isPlain({ headers }: IncomingMessage): boolean {
  if (FRAMING.some((name) => headers[name] !== undefined)) return false
  return headers.connection === undefined || headers.connection.toLowerCase() === 'keep-alive'
}

function valuesOf(request: IncomingMessage): HeaderValues {
  const values: Record<string, string> = Object.create(null)
  for (const name of Object.keys(request.headers)) values[name] = firstValue(request, name) ?? ''
  return values
}
