/** Requests that are answered without Node's messages: see `repeated-requests.ts`. */
import { type IncomingMessage, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import type { Service, WireReply, WireRequest } from '@latchkey/service'
import type { Logger } from 'pino'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { AccessLog } from '../access-log.ts'
import type { ClientSignals } from '../api/client-signals.ts'
import { bodyTooLarge } from '../api/read-body.ts'
import { COUNTED_BYTES_MIN } from '../api/unread-answers.ts'
import type { Compression } from '../compression/compression.ts'
import type { Door } from '../door.ts'
import { isOnFastLane } from '../fast-lane.ts'
import type { FairTurns } from '../listener/fair-turns.ts'
import { requestIdOf } from '../request-id.ts'
import type { HeaderValues, PlainRequest } from './known-heads.ts'

interface RepeatsOptions {
  readonly service: Pick<Service, 'reply'>
  readonly door: Pick<Door, 'refusalOf'>
  readonly log: Pick<Logger, 'error'>
  readonly metrics: Pick<Metrics, 'request'>
  readonly accessLog: AccessLog | undefined
  readonly compression: Pick<Compression, 'varies'>
  readonly clientOf: (request: { readonly socket: Socket }) => string | undefined
  readonly signals: ClientSignals
  /** Shared with the requests that Express starts. */
  readonly starts: FairTurns
  /** Whether writes may be forwarded to a primary, which takes as long as that does. */
  readonly forwardsWrites: boolean
}

/** A reply that is written in one piece. */
export interface ShortReply extends WireReply {
  readonly body: string | Uint8Array
}

const MANY_TURNS = /\/(?:who-can|what-if|lint)/
const ELSEWHERE = /[?&]dc=/
const MAY_WAIT = /[?&]index=/

export class Repeats {
  private readonly options: RepeatsOptions
  /** Repeats that Node's messages answer, by Node's request. */
  private readonly handedOver = new WeakMap<IncomingMessage, Repeat>()

  constructor(options: RepeatsOptions) {
    this.options = options
  }

  /** Begins to answer a request. @returns undefined if it is refused, or left to Node. */
  begin(plain: PlainRequest, socket: Socket): Repeat | undefined {
    const { door, forwardsWrites, starts, clientOf, signals } = this.options
    if (maybeLong(plain) || (forwardsWrites && plain.method !== 'GET')) return undefined
    const request = new RepeatedRequest(plain, socket, clientOf)
    if (door.refusalOf(request)) return undefined
    if (mayWait(plain)) request.waiting = signals.begin()
    const repeat = new Repeat(request, this.options)
    if (isOnFastLane(plain)) repeat.start()
    else starts.next(clientOf({ socket }), () => repeat.start())
    return repeat
  }

  /** Lets Node's messages answer: with the reply that the service gives to the repeat, not by asking it again. */
  handOver(repeat: Repeat, request: IncomingMessage): void {
    this.handedOver.set(request, repeat)
  }

  /** The repeat that a request of Node is. */
  handedTo(request: IncomingMessage): Repeat | undefined {
    return this.handedOver.get(request)
  }
}

/** Whether the answer may take many turns, or another datacenter. */
function maybeLong({ method, url }: PlainRequest): boolean {
  return (method !== 'GET' && MANY_TURNS.test(url)) || (url.includes('?') && ELSEWHERE.test(url))
}

function mayWait({ url }: PlainRequest): boolean {
  return url.includes('?') && MAY_WAIT.test(url)
}

/** A request, its reply, and what is recorded of both. */
export class Repeat {
  readonly request: RepeatedRequest
  /** Undefined until the service has replied. */
  reply: WireReply | undefined
  /** Called with a reply that was not there when the repeat began. */
  onReply: (() => void) | undefined
  private readonly options: RepeatsOptions

  constructor(request: RepeatedRequest, options: RepeatsOptions) {
    this.request = request
    this.options = options
  }

  start(): void {
    // The client left while its request was queued.
    if (this.request.socket.destroyed) return
    this.guard(() => {
      const reply = this.options.service.reply(this.request)
      if (reply instanceof Promise) reply.then((later) => this.take(later)).catch((error) => this.fail(error))
      else this.take(reply)
    })
  }

  /** Does what nothing else would catch the errors of. */
  guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.fail(error)
    }
  }

  private fail(error: unknown): void {
    const { requestId, socket } = this.request
    this.options.log.error({ err: error, id: requestId }, 'an answer could not be written')
    this.ended(false)
    socket.destroy()
  }

  private take(reply: WireReply): void {
    this.reply = reply
    this.onReply?.()
  }

  /** Resolves when the service has replied. */
  async replied(): Promise<WireReply> {
    return (
      this.reply ??
      new Promise((resolve) => {
        this.onReply = () => {
          if (this.reply) resolve(this.reply)
        }
      })
    )
  }

  /** The reply, if it is written in one piece. */
  get short(): ShortReply | undefined {
    const { reply } = this
    const body = reply?.body ?? ''
    const isWhole = typeof body === 'string' || body instanceof Uint8Array
    if (!reply || !isWhole || body.length >= COUNTED_BYTES_MIN || !areValid(reply.headers)) return undefined
    if (!this.options.compression.varies(reply)) return { ...reply, body }
    if (this.request.headers['accept-encoding'] !== undefined) return undefined
    return { ...reply, headers: { Vary: 'Accept-Encoding', ...reply.headers }, body }
  }

  /** Call after the reply was written, or could not be. */
  written(reply: WireReply): void {
    const { requestId, method, url, socket, headers, since } = this.request
    const { metrics, accessLog } = this.options
    this.ended(true)
    const ms = performance.now() - since
    metrics.request(reply.endpoint ?? 'none', reply.status, ms / 1_000)
    accessLog?.answered({
      reply,
      requestId,
      method,
      url,
      ms,
      address: socket.remoteAddress,
      agent: headers['user-agent'],
    })
  }

  /** Call when the client has gone. What it asked for is recorded all the same. */
  leave(): void {
    const { reply } = this
    if (reply) {
      this.written(reply)
      return
    }
    this.ended(false)
    this.onReply = () => {
      if (this.reply) this.written(this.reply)
    }
  }

  /** Call when the client has its answer, or has gone. */
  ended(isAnswered: boolean): void {
    const { waiting } = this.request
    if (waiting) this.options.signals.end(waiting, isAnswered)
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

const NO_BODY = new Uint8Array()

class RepeatedRequest implements WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderValues
  readonly socket: Socket
  readonly requestId: string
  /** `performance.now()` at its arrival. */
  readonly since: number
  /** Its client, if the answer may have to wait for news. */
  waiting: AbortController | undefined
  private readonly clientOf: RepeatsOptions['clientOf']
  private readonly body: Uint8Array

  constructor(
    { method, url, headers, body }: PlainRequest,
    socket: Socket,
    clientOf: RepeatsOptions['clientOf'],
  ) {
    this.method = method
    this.url = url
    this.headers = headers
    this.body = body ?? NO_BODY
    this.socket = socket
    this.requestId = requestIdOf(this)
    this.since = performance.now()
    this.clientOf = clientOf
  }

  get signal(): AbortSignal | undefined {
    return this.waiting?.signal
  }

  get client(): string | undefined {
    return this.clientOf(this)
  }

  get alike(): object | undefined {
    // Those of equal header blocks are one object.
    return this.method === 'GET' ? this.headers : undefined
  }

  header(name: string): string | undefined {
    return this.headers[name]
  }

  readBody(bytesMax: number): Promise<Uint8Array> {
    return this.body.length > bytesMax ? Promise.reject(bodyTooLarge(bytesMax)) : Promise.resolve(this.body)
  }
}
