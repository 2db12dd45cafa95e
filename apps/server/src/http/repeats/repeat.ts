import { validateHeaderValue } from 'node:http'
import type { Service, WireReply } from '@latchkey/service'
import type { Logger } from 'pino'
import type { Metrics } from '../../telemetry/metrics.ts'
import { type AccessLog, recordAnswer } from '../access-log.ts'
import { COUNTED_BYTES_MIN } from '../api/backpressure.ts'
import type { ClientSignals } from '../api/client-signals.ts'
import type { Compression } from '../compression/compression.ts'
import type { RepeatedRequest } from './repeated-request.ts'

export interface RepeatParts {
  readonly service: Pick<Service, 'reply'>
  readonly log: Pick<Logger, 'error'>
  readonly metrics: Pick<Metrics, 'request'>
  readonly accessLog: AccessLog | undefined
  readonly compression: Pick<Compression, 'varies'>
  readonly signals: ClientSignals
}

/** A reply that is written in one piece. */
export interface ShortReply extends WireReply {
  readonly body: string | Uint8Array
}

/** A request, its reply, and what is recorded of both. */
export class Repeat {
  readonly request: RepeatedRequest
  /** Undefined until the service has replied. */
  reply: WireReply | undefined
  /** Called with the reply if it was not available when the repeat began. */
  onReply: ((reply: WireReply) => void) | undefined
  private readonly parts: RepeatParts

  constructor(request: RepeatedRequest, parts: RepeatParts) {
    this.request = request
    this.parts = parts
  }

  start(): void {
    // The client left while its request was queued.
    if (this.request.socket.destroyed) return
    this.guard(() => {
      const reply = this.parts.service.reply(this.request)
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
    const { requestId, socket } = this.request
    this.parts.log.error({ err: error, id: requestId }, 'an answer could not be written')
    this.ended(false)
    socket.destroy()
  }

  private take(reply: WireReply): void {
    this.reply = reply
    this.onReply?.(reply)
  }

  /** Resolves when the service has replied. */
  async replied(): Promise<WireReply> {
    return (
      this.reply ??
      new Promise((resolve) => {
        this.onReply = resolve
      })
    )
  }

  /** The reply, if it is written in one piece. */
  get short(): ShortReply | undefined {
    const { reply } = this
    const body = reply?.body ?? ''
    const isWhole = typeof body === 'string' || body instanceof Uint8Array
    if (!reply || !isWhole || body.length >= COUNTED_BYTES_MIN || !areValid(reply.headers)) return undefined
    if (!this.parts.compression.varies(reply)) return { ...reply, body }
    if (this.request.headers['accept-encoding'] !== undefined) return undefined
    return { ...reply, headers: { Vary: 'Accept-Encoding', ...reply.headers }, body }
  }

  /** Call after the reply was written or writing it failed. */
  written(reply: WireReply): void {
    this.ended(true)
    recordAnswer(reply, this.request, this.parts)
  }

  /** Call when the client has disconnected. Its request is still recorded. */
  leave(): void {
    const { reply } = this
    if (reply) {
      this.written(reply)
      return
    }
    this.ended(false)
    this.onReply = (later) => this.written(later)
  }

  /** Call when the client has received its answer or has left. */
  ended(isAnswered: boolean): void {
    const { abort } = this.request
    if (abort) this.parts.signals.end(abort, isAnswered)
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
