/** Converts between the requests and responses of Node and of the API. Decides nothing. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { AclError, type RouteMatch } from '@latchkey/contract'
import type { FairQueue, Semaphore, WireReply, WireRequest } from '@latchkey/service'
import { type Backpressure, COUNTED_BYTES_MIN } from './backpressure.ts'
import { type Reservation, reserve } from './body-budget.ts'
import { readBody } from './read-body.ts'

/**
 * Maximum bytes of long answers that are written in one turn of the event loop, apart from the end of the last piece. A
 * write copies them to the kernel, which takes about a millisecond per MiB, and several if the client does not read.
 */
export const WRITTEN_PER_TURN_BYTES_MAX = 1_048_576
export const PIECE_BYTES_MAX = 524_288

interface WireOptions {
  readonly match?: RouteMatch | undefined
  readonly requestId: string
  readonly signal: AbortSignal | undefined
  readonly bodies: Semaphore
  readonly clientOf: (request: IncomingMessage) => string | undefined
}

/** A Node request as the API sees it. A class, because one is created per request: no closures. */
export class NodeWireRequest implements WireRequest {
  readonly method: string
  readonly url: string
  readonly requestId: string
  readonly match: RouteMatch | undefined
  readonly signal: AbortSignal | undefined
  private readonly clientOf: WireOptions['clientOf']
  private readonly request: IncomingMessage
  private readonly response: ServerResponse
  private readonly bodies: Semaphore
  private room: Reservation | undefined

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { requestId, match, signal, bodies, clientOf }: WireOptions,
  ) {
    this.method = request.method ?? 'GET'
    this.url = originForm(request.url ?? '/')
    this.requestId = requestId
    this.match = match
    this.signal = signal
    this.clientOf = clientOf
    this.request = request
    this.response = response
    this.bodies = bodies
  }

  get client(): string | undefined {
    return this.clientOf(this.request)
  }

  header(name: string): string | undefined {
    return firstValue(this.request, name)
  }

  readBody(bytesMax: number, token?: string): Promise<Uint8Array> {
    return readBody(this.request, {
      bytesMax,
      askForRoom: (bytes, onOverdue) => {
        const room = reserve(this.bodies, bytes, onOverdue, { address: this.client, token })
        this.response.once('close', room.abandon)
        this.room = room
        return room
      },
      onBegin: () => {
        if (this.request.headers.expect !== undefined) this.response.writeContinue()
      },
    })
  }

  /** Limited only by the time for a whole request to arrive. Nothing is buffered. */
  async *streamBody(): AsyncGenerator<Uint8Array> {
    if (this.request.headers.expect !== undefined) this.response.writeContinue()
    try {
      // Otherwise, a refusal in the middle of the body would close the connection unanswered.
      yield* this.request.iterator({ destroyOnReturn: false })
    } catch (cause) {
      throw new AclError('body_malformed', 'The body ended before its announced length', { cause })
    }
  }

  /** Call when the request no longer needs its body. */
  done(): void {
    this.room?.release()
  }
}

/** Path and query of a request line with a whole URL, as clients send it to proxies. RFC 9112, 3.2.2. */
function originForm(url: string): string {
  if (url.startsWith('/')) return url
  const [, path] = /^https?:\/\/[^/?#]*(.*)$/i.exec(url) ?? []
  if (path === undefined) return url
  return path.startsWith('/') ? path : `/${path}`
}

/** Node joins repeated headers with a comma, or keeps the first: for credentials, only the first value is used. */
export function firstValue(
  request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
  name: string,
): string | undefined {
  const value = request.headers[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') return value[0]
  if (!value.includes(',')) return value
  return request.headersDistinct[name]?.[0] ?? value
}

export interface Outlet {
  readonly unread: Backpressure
  readonly turns: FairQueue
  /** The key by which a client is limited; undefined for trusted proxies. */
  readonly clientOf: WireOptions['clientOf']
}

/**
 * Writes a reply: synchronously if it is short, so that nearly all answers leave in the turn that made them. A long
 * reply is written in pieces, each in a turn that has room for it. A stream respects backpressure; if it fails, the
 * connection is closed.
 *
 * @returns a promise of the end, for a long answer or a stream only.
 */
export function writeReply(
  { status, headers, body }: WireReply,
  response: ServerResponse,
  outlet: Outlet,
): Promise<void> | undefined {
  if (response.destroyed) return undefined
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    const whole = inBytes(body)
    const length = typeof whole === 'string' ? Buffer.byteLength(whole) : (whole?.length ?? 0)
    response.writeHead(status, { ...headers, 'Content-Length': length })
    if (isLong(whole)) return writeWhole(whole, response, outlet)
    response.end(whole)
    return undefined
  }
  response.writeHead(status, headers)
  return writeStream(body, response, outlet)
}

/** Given a long text, Node would keep both the text and its bytes until the client has read them. */
function inBytes<T extends Uint8Array | string | undefined>(piece: T): T | Uint8Array {
  return typeof piece === 'string' && piece.length >= COUNTED_BYTES_MIN ? Buffer.from(piece) : piece
}

function isLong(piece: Uint8Array | string | undefined): piece is Uint8Array {
  return piece instanceof Uint8Array && piece.length >= COUNTED_BYTES_MIN
}

async function writeWhole(
  bytes: Uint8Array,
  response: ServerResponse,
  { unread, turns, clientOf }: Outlet,
): Promise<void> {
  for (let at = 0; !response.destroyed; ) {
    const piece = bytes.subarray(at, at + PIECE_BYTES_MAX)
    unread.add(response, bytes)
    await turns.next(clientOf(response.req), piece.length)
    if (response.destroyed) return
    at += piece.length
    if (at === bytes.length) return void response.end(piece)
    if (!response.write(piece)) await drained(response)
  }
}

async function writeStream(
  body: AsyncIterable<Uint8Array | string>,
  response: ServerResponse,
  outlet: Outlet,
): Promise<void> {
  const pieces = body[Symbol.asyncIterator]()
  try {
    while (!response.destroyed) {
      if (!(await writeNext(pieces, response, outlet))) return void response.end()
    }
    await pieces.return?.()
  } catch (error) {
    response.destroy(error instanceof Error ? error : undefined)
  }
}

/**
 * Writes a piece and waits until it is read. Synchronous between the waits: a suspended loop would keep the last piece,
 * and its text, while it waits for the next.
 *
 * @returns false at the end.
 */
function writeNext(
  pieces: AsyncIterator<Uint8Array | string>,
  response: ServerResponse,
  outlet: Outlet,
): Promise<boolean> {
  return pieces.next().then(({ done, value }) => {
    if (done || response.destroyed) return !done
    const piece = inBytes(value)
    if (!isLong(piece)) return writePiece(piece, response, outlet)
    outlet.unread.add(response, piece)
    return outlet.turns
      .next(outlet.clientOf(response.req), piece.length)
      .then(() => writePiece(piece, response, outlet))
  })
}

/** @returns true, once the response is writable again, or closed. */
function writePiece(
  piece: Uint8Array | string,
  response: ServerResponse,
  { unread }: Outlet,
): true | Promise<true> {
  if (response.destroyed || response.write(piece)) {
    unread.remove(response)
    return true
  }
  return drained(response).then(() => {
    unread.remove(response)
    return true
  })
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}
