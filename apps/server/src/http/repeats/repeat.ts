import { STATUS_CODES, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import type { Service, WireReply, WireRequest } from '@latchkey/service'
import type { Logger } from 'pino'
import { type Records, recordAnswer } from '../access-log.ts'
import { COUNTED_BYTES_MIN } from '../api/backpressure.ts'
import type { ClientSignals } from '../api/client-signals.ts'
import { bodyTooLarge } from '../api/read-body.ts'
import type { Compression } from '../compression/compression.ts'
import { requestIdOf } from '../request-id.ts'
import type { HeaderValues, PlainRequest } from './known-heads.ts'

export interface RepeatParts extends Records {
  readonly service: Pick<Service, 'reply'>
  readonly log: Pick<Logger, 'error'>
  readonly compression: Pick<Compression, 'varies'>
  readonly signals: ClientSignals
  /** The key by which a client is limited; undefined for trusted proxies. */
  readonly clientOf: (request: { readonly socket: Socket }) => string | undefined
}

export interface ShortReply extends WireReply {
  readonly body: string | Uint8Array
}

const NO_BODY = new Uint8Array()

export class Repeat implements WireRequest {
  readonly method: string
  readonly url: string
  /** Without the one that holds the secret. */
  readonly headers: HeaderValues
  readonly socket: Socket
  readonly requestId: string
  /** `performance.now()` at arrival. */
  readonly since = performance.now()
  /** Aborted when its client leaves; undefined if it cannot outlive its client. */
  abort: AbortController | undefined
  /** Undefined until the service has replied. */
  reply: WireReply | undefined
  /** Called with the reply if it was not available when the repeat began. */
  onReply: ((reply: WireReply) => void) | undefined
  private readonly secret: PlainRequest['secret']
  private readonly block: string
  private readonly body: Uint8Array
  private readonly parts: RepeatParts

  constructor(
    { method, url, headers, secret, block, body }: PlainRequest,
    socket: Socket,
    parts: RepeatParts,
  ) {
    this.method = method
    this.url = url
    this.headers = headers
    this.secret = secret
    this.block = block
    this.body = body ?? NO_BODY
    this.socket = socket
    this.requestId = requestIdOf(this)
    this.parts = parts
  }

  get signal(): AbortSignal | undefined {
    return this.abort?.signal
  }

  get client(): string | undefined {
    return this.parts.clientOf(this)
  }

  get alike(): string | undefined {
    return this.method === 'GET' ? this.block : undefined
  }

  header(name: string): string | undefined {
    return name === this.secret?.name ? this.secret.value : this.headers[name]
  }

  readBody(bytesMax: number): Uint8Array {
    if (this.body.length > bytesMax) throw bodyTooLarge(bytesMax)
    return this.body
  }

  start(): void {
    // The client left while its request was queued.
    if (this.socket.destroyed) return
    this.guard(() => {
      const reply = this.parts.service.reply(this)
      if (reply instanceof Promise) reply.then((later) => this.take(later)).catch((error) => this.fail(error))
      else this.take(reply)
    })
  }

  /** Runs work whose errors nothing else would catch. */
  guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.fail(error)
    }
  }

  private fail(error: unknown): void {
    this.parts.log.error({ err: error, id: this.requestId }, 'an answer could not be written')
    this.ended(false)
    this.socket.destroy()
  }

  private take(reply: WireReply): void {
    this.reply = reply
    this.onReply?.(reply)
  }

  async replied(): Promise<WireReply> {
    return (
      this.reply ??
      new Promise((resolve) => {
        this.onReply = resolve
      })
    )
  }

  get short(): ShortReply | undefined {
    const { reply } = this
    const body = reply?.body ?? ''
    const isWhole = typeof body === 'string' || body instanceof Uint8Array
    if (!reply || !isWhole || body.length >= COUNTED_BYTES_MIN || !areValid(reply.headers)) return undefined
    if (!this.parts.compression.varies(reply)) return { ...reply, body }
    if (this.headers['accept-encoding'] !== undefined) return undefined
    return { ...reply, headers: { Vary: 'Accept-Encoding', ...reply.headers }, body }
  }

  written(reply: WireReply): void {
    this.ended(true)
    recordAnswer(reply, this, this.parts)
  }

  /** Call when the client has disconnected. Its request is still recorded. */
  leave(): void {
    if (this.reply) {
      this.written(this.reply)
      return
    }
    this.ended(false)
    this.onReply = (later) => this.written(later)
  }

  /** Call when the client has received its answer or has left. */
  ended(isAnswered: boolean): void {
    if (this.abort) this.parts.signals.end(this.abort, isAnswered)
  }
}

/** Node throws on an invalid header. The listener then answers the request and reports the failure. */
function areValid(headers: WireReply['headers']): boolean {
  try {
    for (const name in headers) validateHeaderValue(name, headers[name] as string)
    return true
  } catch {
    return false
  }
}

/** Writes a reply with the same bytes as Node's `ServerResponse`. Its headers must be valid. */
export function writeShort({ status, headers, body }: ShortReply, socket: Socket, keepAliveMs: number): void {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (const name in headers) {
    head += `${name}: ${headers[name]}\r\n`
  }
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  head += `Content-Length: ${length}\r\nDate: ${dateText()}\r\n`
  head += `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n\r\n`
  if (typeof body === 'string') {
    // If there are as many bytes as characters, both encodings are equal, and `latin1` is faster.
    socket.write(head + body, length === body.length ? 'latin1' : 'utf8')
    return
  }
  socket.cork()
  socket.write(head, 'latin1')
  socket.write(body)
  socket.uncork()
}

let second = 0
let text = ''

/** The current Date header, formatted once per second. */
function dateText(): string {
  const now = Math.floor(Date.now() / 1_000)
  if (now !== second) {
    second = now
    text = new Date(now * 1_000).toUTCString()
  }
  return text
}
