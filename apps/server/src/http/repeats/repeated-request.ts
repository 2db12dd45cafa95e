import type { Socket } from 'node:net'
import type { WireRequest } from '@latchkey/service'
import { bodyTooLarge } from '../api/read-body.ts'
import { requestIdOf } from '../request-id.ts'
import type { HeaderValues, PlainRequest } from './known-heads.ts'

/** The key by which a client is limited; undefined for trusted proxies. */
export type ClientOf = (request: { readonly socket: Socket }) => string | undefined

const NO_BODY = new Uint8Array()

/** A request for which Node created no message, as the API sees it. */
export class RepeatedRequest implements WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderValues
  readonly socket: Socket
  readonly requestId: string
  /** `performance.now()` at arrival. */
  readonly since: number
  /** Aborted when its client leaves; undefined if it cannot outlive its client. */
  abort: AbortController | undefined
  private readonly clientOf: ClientOf
  private readonly body: Uint8Array

  constructor({ method, url, headers, body }: PlainRequest, socket: Socket, clientOf: ClientOf) {
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
    return this.abort?.signal
  }

  get client(): string | undefined {
    return this.clientOf(this)
  }

  get alike(): object | undefined {
    // Requests with equal header blocks share one object.
    return this.method === 'GET' ? this.headers : undefined
  }

  header(name: string): string | undefined {
    return this.headers[name]
  }

  readBody(bytesMax: number): Uint8Array {
    if (this.body.length > bytesMax) throw bodyTooLarge(bytesMax)
    return this.body
  }
}
