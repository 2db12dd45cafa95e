/** The listening side: connections, time limits, and a shutdown that finishes what was begun. */

import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { refuseAmbiguous } from './ambiguous-request.ts'
import { type ConnectionLimitOptions, limitConnections } from './connection-limit.ts'
import { limitDiscarded } from './limit-discarded.ts'
import { listen } from './listen.ts'

export interface HttpServerOptions {
  readonly host: string
  readonly port: number
  /** Whether other workers of this server listen on the port, too. */
  readonly isShared: boolean
  readonly connections: ConnectionLimitOptions
  readonly listener: RequestListener
}

export interface HttpServer {
  readonly server: Server
  /** Where it listens, as `host:port`. */
  readonly address: string
  /** From now on every answer is the last one of its connection: whoever asks again connects anew, elsewhere. */
  drain(): void
  /**
   * Takes no new connection, lets requests in flight finish, and closes what is left after the deadline.
   * @param deadlineMs milliseconds from now.
   */
  close(deadlineMs: number): Promise<void>
}

/** A client that does not even finish its headers in this time is gone or means harm (DOS-02). */
const HEADERS_MS_MAX = 10_000
/** For the whole request to arrive; answering may take as long as a blocking query. */
const REQUEST_MS_MAX = 40_000
/** Longer than the pauses of most balancers, so that the side that knows of requests closes. */
const KEEP_ALIVE_MS = 75_000

/** @throws StartError where the address cannot be listened on. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, listener, connections } = options
  const guarded = guard(listener)
  let isDraining = false
  const server = createServer(
    {
      headersTimeout: HEADERS_MS_MAX,
      requestTimeout: REQUEST_MS_MAX,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 2_000,
      insecureHTTPParser: false,
      ServerResponse: answerOf(() => isDraining),
    },
    guarded,
  )
  server.on('checkContinue', (request, response) => {
    // The body comes when it is asked for, which a refusal never does; then nobody knows what the client sends next.
    response.setHeader('Connection', 'close')
    guarded(request, response)
  })
  limitConnections(server, connections)
  await listen(server, { host, port, isShared: options.isShared })
  const { address, family, port: actualPort } = server.address() as AddressInfo
  return {
    server,
    address: family === 'IPv6' ? `[${address}]:${actualPort}` : `${address}:${actualPort}`,
    drain: () => {
      isDraining = true
    },
    close: (deadlineMs) => closeServer(server, deadlineMs),
  }
}

type HeadersOf = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** An answer that closes its connection where it is the last one, decided as late as it can be: a wait takes minutes. */
function answerOf(isLast: () => boolean) {
  return class Answer extends ServerResponse<IncomingMessage> {
    override writeHead(status: number, reason?: string | HeadersOf, headers?: HeadersOf): this {
      if (isLast()) this.shouldKeepAlive = false
      if (reason === undefined || typeof reason === 'string') return super.writeHead(status, reason, headers)
      return super.writeHead(status, reason)
    }
  }
}

/** What a request must pass before anybody looks at what it asks for. */
function guard(listener: RequestListener): RequestListener {
  return refuseAmbiguous((request, response) => {
    limitDiscarded(request, response)
    listener(request, response)
  })
}

async function closeServer(server: Server, deadlineMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
  await closed
  clearInterval(idle)
  clearTimeout(deadline)
}
