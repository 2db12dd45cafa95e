import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits } from '@latchkey/contract'
import { BoundedMap } from '@latchkey/service'
import { firstValue } from '../api/wire-adapter.ts'
import { whatIsAmbiguous } from '../listener/ambiguous-request.ts'

export type HeaderValues = Readonly<Record<string, string>>

export interface PlainRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: HeaderValues
  readonly body: Uint8Array | undefined
}

const HEAD_BYTES_MAX = 2_048
/** Approximate memory of all header blocks: enough for some 16,000 clients. */
const BYTES_MAX = 12 * 1_024 * 1_024
/** Memory of a block besides its characters, and of each of its headers. */
const BYTES_PER_BLOCK = 250
const BYTES_PER_HEADER = 50

const METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'POST', 'DELETE'])
const VERSION = ' HTTP/1.1'
const LINE_END = '\r\n'
const HEAD_END = '\r\n\r\n'
const PLAIN_URL = /^\/v1\/[\w\-./?=&~:,+]*$/
const LENGTH = /^(?:0|[1-9]\d{0,5})$/
/** Lines of a block besides its headers: it begins with the end of the request line and ends with an empty line. */
const LINES_BESIDES = 3
/** Headers that change how Node treats the connection or the bytes after the head. */
const FRAMING = ['transfer-encoding', 'expect', 'upgrade'] as const

/**
 * Caches how Node parsed the headers of requests: clients repeat them with each request, and parsing takes longer than
 * most answers. The key is the raw bytes, so no text is interpreted in two ways. Only the request line is parsed here,
 * and only in its plainest form.
 */
export class KnownHeads {
  private readonly blocks = new BoundedMap<string, HeaderValues>(BYTES_MAX)

  /** @returns the only request in these bytes; undefined if Node has to parse them. */
  find(bytes: Buffer): PlainRequest | undefined {
    const split = splitRequest(bytes)
    const headers = split && this.blocks.get(split.block)
    if (!headers) return undefined
    const { method, url, body } = split
    const length = headers['content-length']
    if ((body?.length ?? 0) !== Number(length ?? 0) || (method === 'GET' && length !== undefined))
      return undefined
    return { method, url, headers, body }
  }

  /**
   * Learns the headers of bytes that Node has parsed.
   *
   * @param request the only one that began in them.
   * @param response its answer.
   * @param isFromStart whether the first byte is known to begin a request: only then are its headers learned.
   * @returns whether the bytes are exactly this plain request and the next byte begins another; false if unknown.
   */
  see(bytes: Buffer, request: IncomingMessage, response: ServerResponse, isFromStart: boolean): boolean {
    const split = splitRequest(bytes)
    if (!split || !response.shouldKeepAlive || !isOnly(split, request)) return false
    if (isFromStart) this.learn(split, request)
    return true
  }

  private learn(split: SplitRequest, request: IncomingMessage): void {
    if (!isPlain(request) || whatIsAmbiguous(request) !== undefined) return
    // Each line of the block is a header, as Node read it.
    const headers = request.rawHeaders.length / 2
    if (split.block.split(LINE_END).length !== headers + LINES_BESIDES) return
    // A copy, because a substring retains its whole text.
    const block = Buffer.from(split.block, 'latin1').toString('latin1')
    if (this.blocks.get(block) !== undefined) return
    // The values are stored a second time.
    const bytes = 2 * block.length + BYTES_PER_BLOCK + headers * BYTES_PER_HEADER
    this.blocks.set(block, valuesOf(request), bytes)
  }
}

/**
 * Whether the bytes are exactly this request. They begin with its request line, and the first empty line ends its head,
 * so anything more would make them longer. Node does not report every head that it parses: it refuses some itself.
 */
function isOnly({ method, url, body }: SplitRequest, request: IncomingMessage): boolean {
  const { headers } = request
  if (headers['transfer-encoding'] !== undefined) return false
  const length = Number(headers['content-length'] ?? 0)
  return method === request.method && url === request.url && length === (body?.length ?? 0)
}

interface SplitRequest {
  readonly method: string
  readonly url: string
  /** From the end of the request line to the empty line, both included. */
  readonly block: string
  readonly body: Buffer | undefined
}

function splitRequest(bytes: Buffer): SplitRequest | undefined {
  if (bytes.length > HEAD_BYTES_MAX + limits.ANONYMOUS_BODY_BYTES_MAX) return undefined
  const text = bytes.toString('latin1', 0, HEAD_BYTES_MAX)
  const methodEnd = text.indexOf(' ')
  const lineEnd = text.indexOf(LINE_END)
  const headEnd = text.indexOf(HEAD_END, lineEnd) + HEAD_END.length
  const urlEnd = lineEnd - VERSION.length
  if (headEnd < HEAD_END.length || !text.startsWith(VERSION, urlEnd)) return undefined
  const method = text.slice(0, methodEnd)
  const url = text.slice(methodEnd + 1, urlEnd)
  if (!METHODS.has(method) || !PLAIN_URL.test(url)) return undefined
  const body = bytes.length === headEnd ? undefined : bytes.subarray(headEnd)
  return { method, url, block: text.slice(lineEnd, headEnd), body }
}

/** Whether the next request begins directly after this one, and no header is repeated. */
function isPlain({ headers, rawHeaders }: IncomingMessage): boolean {
  if (FRAMING.some((name) => headers[name] !== undefined)) return false
  if (!LENGTH.test(headers['content-length'] ?? '0')) return false
  // A repeated header can be read in two ways.
  return Object.keys(headers).length === rawHeaders.length / 2
}

function valuesOf(request: IncomingMessage): HeaderValues {
  const values: Record<string, string> = Object.create(null)
  for (const name of Object.keys(request.headers)) values[name] = firstValue(request, name) ?? ''
  return values
}
