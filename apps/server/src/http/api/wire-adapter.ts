/** Converts between Node's requests and responses and those of the API. Decides nothing. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WireReply, WireRequest } from '@latchkey/service'
import type { BodyBudget, BodyRoom } from './body-budget.ts'
import { readBody } from './read-body.ts'
import type { UnreadAnswers } from './unread-answers.ts'

export interface WireOptions {
  readonly requestId: string
  readonly signal: AbortSignal | undefined
  readonly bodies: BodyBudget
}

/**
 * A Node request as the API sees it. A class, because one is created per request: no closures, and fields are read on
 * demand.
 */
export class NodeWireRequest implements WireRequest {
  readonly method: string
  readonly url: string
  readonly requestId: string
  /** Aborted when the client has gone, or the server ends its waits. */
  readonly signal: AbortSignal | undefined
  private readonly request: IncomingMessage
  private readonly response: ServerResponse
  private readonly bodies: BodyBudget
  private room: BodyRoom | undefined

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { requestId, signal, bodies }: WireOptions,
  ) {
    this.method = request.method ?? 'GET'
    this.url = originForm(request.url ?? '/')
    this.requestId = requestId
    this.signal = signal
    this.request = request
    this.response = response
    this.bodies = bodies
  }

  header(name: string): string | undefined {
    return firstValue(this.request, name)
  }

  readBody(bytesMax: number): Promise<Uint8Array> {
    return readBody(this.request, {
      bytesMax,
      askForRoom: (bytes, onOverdue) => {
        const room = this.bodies.ask(bytes, onOverdue)
        this.response.once('close', room.abandon)
        this.room = room
        return room
      },
      onBegin: () => {
        if (this.request.headers.expect !== undefined) this.response.writeContinue()
      },
    })
  }

  /** The request needs its body no more. */
  done(): void {
    this.room?.release()
  }
}

/** Path and query of a request line that holds a whole URL, as clients send it to proxies. RFC 9112, 3.2.2. */
function originForm(url: string): string {
  if (url.startsWith('/')) return url
  const [, path] = /^https?:\/\/[^/?#]*(.*)$/i.exec(url) ?? []
  if (path === undefined) return url
  return path.startsWith('/') ? path : `/${path}`
}

/** Node joins repeated headers with a comma, or keeps the first: for credentials only the first value counts. */
function firstValue(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') return value[0]
  if (!value.includes(',')) return value
  return request.headersDistinct[name]?.[0] ?? value
}

/**
 * Writes a reply: synchronously if it is whole, so that nearly all answers leave in the turn that made them. A stream
 * respects backpressure, and closes the connection if it fails.
 *
 * @returns a promise of the end, for a stream only.
 */
export function writeReply(
  { status, headers, body }: WireReply,
  response: ServerResponse,
  unread: UnreadAnswers,
): Promise<void> | undefined {
  if (response.destroyed) return undefined
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : (body?.length ?? 0)
    response.writeHead(status, { ...headers, 'Content-Length': length })
    response.end(body)
    unread.add(response, body)
    return undefined
  }
  response.writeHead(status, headers)
  return writeStream(body, response, unread)
}

async function writeStream(
  body: AsyncIterable<Uint8Array | string>,
  response: ServerResponse,
  unread: UnreadAnswers,
): Promise<void> {
  try {
    for await (const piece of body) {
      if (response.destroyed) return undefined
      if (response.write(piece)) continue
      unread.add(response, piece)
      await drained(response)
      unread.remove(response)
    }
    response.end()
  } catch (error) {
    response.destroy(error instanceof Error ? error : undefined)
  }
}

/** Resolves when the response is writable again, or closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}
