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
  /** Without the one that holds the secret. */
  readonly headers: HeaderValues
  readonly secret: SecretHeader | undefined
  /** All headers as they were sent. */
  readonly block: string
  readonly body: Uint8Array | undefined
}

interface SecretHeader {
  readonly name: string
  readonly value: string
}

interface KnownBlock {
  readonly headers: HeaderValues
  /** The header that differs between clients, and what precedes its last word, such as `Bearer `. */
  readonly secret: { readonly name: string; readonly before: string } | undefined
}

const HEAD_BYTES_MAX = 2_048
/** Approximate memory of all header blocks: enough for some 10,000 kinds of clients, each with any number of secrets. */
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
/** Ends of what precedes a secret in a block: `X-Service-Token: ` and `Authorization: Bearer `, in any usual spelling. */
const SECRET_MARKS = ['oken: ', 'earer '] as const
const SECRET_HEADER = /^(?:.*-token|authorization)$/
/** Characters that mean the same to every parser, so that a block is read alike whatever secret it has. */
const SECRET = /^[\w-]{1,128}$/
/**
 * Stands for the secret in a key. Node refuses it in a head, so a learned key has one of them at most. A key begins with the
 * end of a line, or with {@link WITH_SECRET} if a secret was taken out: so no block matches the key of another kind.
 */
const SECRET_PLACE = '\0'
const WITH_SECRET = 'secret'
/** How many more blocks are learned than found before only one of this many is. */
const UNPAID_MAX = 2_000
const LEARNED_ONE_IN = 16
/** Lines of a block besides its headers: it begins with the end of the request line and ends with an empty line. */
const LINES_BESIDES = 3
/** Headers that change how Node treats the connection or the bytes after the head. */
const FRAMING = ['transfer-encoding', 'expect', 'upgrade'] as const

/**
 * Caches how Node parsed the headers of requests: clients repeat them with each request, and parsing takes longer than
 * most answers. The key is the raw bytes without the secret, so that a gateway with the tokens of 10,000 clients needs one
 * block: with a block for each, the cache evicted what it needed next, and the server answered a third fewer self reads. No
 * text is interpreted in two ways. Only the request line is parsed here, and only in its plainest form.
 */
export class KnownHeads {
  private readonly blocks = new BoundedMap<string, KnownBlock>(BYTES_MAX)
  /**
   * Blocks learned, less those found, from 0. Learning blocks that never return, such as those with the trace id of each
   * request, would take 6.4 µs of each request instead of 2.0.
   */
  private unpaid = 0
  private unknown = 0

  /** @returns the request; undefined if Node has to parse it. */
  find({ method, url, block, key, secret: value = '', body }: SplitRequest): PlainRequest | undefined {
    const known = this.blocks.get(key)
    if (!known) return undefined
    if (this.unpaid > 0) this.unpaid -= 1
    const { headers } = known
    const length = headers['content-length']
    if ((body?.length ?? 0) !== Number(length ?? 0) || (method === 'GET' && length !== undefined))
      return undefined
    const secret = known.secret && { name: known.secret.name, value: known.secret.before + value }
    return { method, url, headers, secret, block, body }
  }

  /**
   * Learns the headers of bytes that Node has parsed.
   *
   * @param request the only one that began in them.
   * @param response its answer.
   * @param isFromStart whether the first byte is known to begin a request: only then are its headers learned.
   * @returns whether the bytes are exactly this plain request and the next byte begins another; false if unknown.
   */
  see(
    split: SplitRequest | undefined,
    request: IncomingMessage,
    response: ServerResponse,
    isFromStart: boolean,
  ): boolean {
    if (!split || !response.shouldKeepAlive || !isOnly(split, request)) return false
    if (isFromStart) this.learn(split, request)
    return true
  }

  private learn(split: SplitRequest, request: IncomingMessage): void {
    const { key } = split
    if (this.blocks.get(key) !== undefined) return
    this.unknown += 1
    if (this.unpaid >= UNPAID_MAX && this.unknown % LEARNED_ONE_IN > 0) return
    if (!isPlain(request) || whatIsAmbiguous(request) !== undefined) return
    // Each line of the block is a header, as Node read it.
    const headers = request.rawHeaders.length / 2
    if (split.block.split(LINE_END).length !== headers + LINES_BESIDES) return
    const secret = secretOf(split)
    const values = valuesOf(request)
    if (secret) {
      if (!SECRET_HEADER.test(secret.name)) return
      if (values[secret.name] !== secret.before + split.secret) return
      delete values[secret.name]
    }
    // The values are stored a second time.
    const bytes = 2 * key.length + BYTES_PER_BLOCK + headers * BYTES_PER_HEADER
    // A copy, because a substring retains its whole text.
    this.blocks.set(Buffer.from(key, 'latin1').toString('latin1'), { headers: values, secret }, bytes)
    if (this.unpaid < UNPAID_MAX) this.unpaid += 1
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

export interface SplitRequest {
  readonly method: string
  readonly url: string
  /** From the end of the request line to the empty line, both included. */
  readonly block: string
  /** The block without the secret. */
  readonly key: string
  readonly secret: string | undefined
  readonly body: Buffer | undefined
}

/** Where the secret of a block begins and ends; undefined if it has none, or an unusual one. */
function placeOfSecret(block: string): { readonly from: number; readonly to: number } | undefined {
  for (const mark of SECRET_MARKS) {
    const at = block.indexOf(mark)
    if (at < 0) continue
    const from = at + mark.length
    const to = block.indexOf(LINE_END, from)
    return SECRET.test(block.slice(from, to)) ? { from, to } : undefined
  }
  return undefined
}

/** The header that contains the secret, as the bytes before it say. */
function secretOf({ key, secret }: SplitRequest): KnownBlock['secret'] {
  if (secret === undefined) return undefined
  const line = key.slice(key.lastIndexOf(LINE_END, key.indexOf(SECRET_PLACE)) + LINE_END.length)
  const [, name = '', before = ''] = /^([^:]+): (.*?)\0/s.exec(line) ?? []
  return { name: name.toLowerCase(), before }
}

/** @returns undefined if the bytes are not one plain request. */
export function splitRequest(bytes: Buffer): SplitRequest | undefined {
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
  const block = text.slice(lineEnd, headEnd)
  const place = placeOfSecret(block)
  if (!place) return { method, url, block, key: block, secret: undefined, body }
  const key = WITH_SECRET + block.slice(0, place.from) + SECRET_PLACE + block.slice(place.to)
  return { method, url, block, key, secret: block.slice(place.from, place.to), body }
}

/** Whether the next request begins directly after this one, and no header is repeated. */
function isPlain({ headers, rawHeaders }: IncomingMessage): boolean {
  if (FRAMING.some((name) => headers[name] !== undefined)) return false
  if (!LENGTH.test(headers['content-length'] ?? '0')) return false
  // A repeated header can be read in two ways.
  return Object.keys(headers).length === rawHeaders.length / 2
}

function valuesOf(request: IncomingMessage): Record<string, string> {
  const values: Record<string, string> = Object.create(null)
  for (const name of Object.keys(request.headers)) values[name] = firstValue(request, name) ?? ''
  return values
}
