/** Answers to repeated reads: see `repeated-reads.ts`. */
import { validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import { invariant } from '@latchkey/contract'
import type { Service, WireReply, WireRequest } from '@latchkey/service'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { AccessLog } from '../access-log.ts'
import { COUNTED_BYTES_MIN } from '../api/unread-answers.ts'
import type { Compression } from '../compression/compression.ts'
import type { Door } from '../door.ts'
import { requestIdOf } from '../request-id.ts'
import type { Head, HeaderValues } from './known-heads.ts'

interface RepeatAnswersOptions {
  readonly service: Pick<Service, 'answerNow'>
  readonly door: Pick<Door, 'refusalOf'>
  readonly metrics: Pick<Metrics, 'request'>
  readonly accessLog: AccessLog | undefined
  readonly compression: Pick<Compression, 'varies'>
  readonly clientOf: (request: { readonly socket: Socket }) => string | undefined
}

/** A reply that is written in one piece. */
export interface ShortReply extends WireReply {
  readonly body: string | Uint8Array
}

/** An answer that has to be written. */
export interface Repeat {
  readonly reply: ShortReply
  /** Call after it was written. */
  written(): void
}

export class RepeatAnswers {
  private readonly options: RepeatAnswersOptions

  constructor(options: RepeatAnswersOptions) {
    this.options = options
  }

  /** @returns undefined if the request is refused, or the answer is not in memory, is long, or is to be compressed. */
  answer(head: Head, socket: Socket): Repeat | undefined {
    const { service, door, clientOf } = this.options
    const request = new RepeatedRequest(head, socket, clientOf)
    if (door.refusalOf(request)) return undefined
    const reply = service.answerNow(request)
    const short = reply && this.shortReply(reply, request)
    return short && new WrittenRepeat(request, short, this.options)
  }

  private shortReply(reply: WireReply, { headers }: RepeatedRequest): ShortReply | undefined {
    const { body } = reply
    const isWhole = typeof body === 'string' || body instanceof Uint8Array
    if (!isWhole || body.length >= COUNTED_BYTES_MIN || !areValid(reply.headers)) return undefined
    if (!this.options.compression.varies(reply)) return { ...reply, body }
    if (headers['accept-encoding'] !== undefined) return undefined
    return { ...reply, headers: { Vary: 'Accept-Encoding', ...reply.headers }, body }
  }
}

/** Node throws on a header that it does not write. The request is then answered, and the failure reported, by the listener. */
function areValid(headers: WireReply['headers']): boolean {
  try {
    for (const name in headers) validateHeaderValue(name, headers[name] as string)
    return true
  } catch {
    return false
  }
}

class RepeatedRequest implements WireRequest {
  readonly method = 'GET'
  readonly url: string
  readonly headers: HeaderValues
  readonly socket: Socket
  readonly requestId: string
  /** `performance.now()` at its arrival. */
  readonly since: number
  private readonly clientOf: RepeatAnswersOptions['clientOf']

  constructor({ url, headers }: Head, socket: Socket, clientOf: RepeatAnswersOptions['clientOf']) {
    this.url = url
    this.headers = headers
    this.socket = socket
    this.requestId = requestIdOf(this)
    this.since = performance.now()
    this.clientOf = clientOf
  }

  get client(): string | undefined {
    return this.clientOf(this)
  }

  header(name: string): string | undefined {
    return this.headers[name]
  }

  readBody(): never {
    invariant(false, 'a repeated read has no body')
  }
}

class WrittenRepeat implements Repeat {
  readonly reply: ShortReply
  private readonly request: RepeatedRequest
  private readonly options: RepeatAnswersOptions

  constructor(request: RepeatedRequest, reply: ShortReply, options: RepeatAnswersOptions) {
    this.request = request
    this.reply = reply
    this.options = options
  }

  written(): void {
    const { request, reply, options } = this
    const { requestId, method, url, socket, headers } = request
    const ms = performance.now() - request.since
    options.metrics.request(reply.endpoint ?? 'none', reply.status, ms / 1_000)
    options.accessLog?.answered({
      reply,
      requestId,
      method,
      url,
      ms,
      address: socket.remoteAddress,
      agent: headers['user-agent'],
    })
  }
}
