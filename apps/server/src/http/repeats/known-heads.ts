import type { IncomingMessage, ServerResponse } from 'node:http'
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
/** Memory of all header blocks together, about. Some 15,000 clients have one of 150 characters and four headers each. */
const BYTES_MAX = 8 * 1_024 * 1_024
/** Memory of a block besides its characters, and of each of its headers. */
const BYTES_PER_BLOCK = 250
const BYTES_PER_HEADER = 50

const START = 'GET /v1/'
const VERSION = ' HTTP/1.1'
const LINE_END = '\r\n'
const HEAD_END = '\r\n\r\n'
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
  private readonly blocks = new BoundedMap<string, HeaderValues>(BYTES_MAX)

  /** @returns undefined: Node has to parse these bytes. */
  find(bytes: Buffer): Head | undefined {
    const split = splitHead(bytes)
    const headers = split && this.blocks.get(split.block)
    return headers && { url: split.url, headers }
  }

  /**
   * @param bytes what Node parsed.
   * @param request the only one that it made of them.
   * @param response its answer, not ended by Node.
   */
  learn(bytes: Buffer, request: IncomingMessage, response: ServerResponse): void {
    const split = splitHead(bytes)
    if (!split || !isPlain(request, response) || whatIsAmbiguous(request) !== undefined) return
    // Node does not tell of every head that it parses: it refuses some by itself.
    if (split.block.indexOf(HEAD_END) !== split.block.length - HEAD_END.length) return
    // A copy, because a part of a text keeps all of it.
    const block = Buffer.from(split.block, 'latin1').toString('latin1')
    if (this.blocks.get(block) !== undefined) return
    const headers = request.rawHeaders.length / 2
    this.blocks.set(block, valuesOf(request), block.length + BYTES_PER_BLOCK + headers * BYTES_PER_HEADER)
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

/** Whether the next request begins right behind this one, on a connection that stays open, and each header is there once. */
function isPlain({ headers, rawHeaders }: IncomingMessage, { shouldKeepAlive }: ServerResponse): boolean {
  if (!shouldKeepAlive || FRAMING.some((name) => headers[name] !== undefined)) return false
  // A header that is repeated can be read in two ways.
  return Object.keys(headers).length === rawHeaders.length / 2
}

function valuesOf(request: IncomingMessage): HeaderValues {
  const values: Record<string, string> = Object.create(null)
  for (const name of Object.keys(request.headers)) values[name] = firstValue(request, name) ?? ''
  return values
}
