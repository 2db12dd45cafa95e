/** The listening side: connections, time limits, and a graceful shutdown. */

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { ListenerTls } from '../../tls/listener-tls.ts'
import { refuseAmbiguous } from './ambiguous-request.ts'
import { ConnectionGovernor } from './connection-governor.ts'
import { type ConnectionLimitOptions, limitConnections } from './connection-limit.ts'
import { discardBodies } from './discarded-bodies.ts'
import { LISTENERS, listenTogether } from './listen.ts'

/** Reads the bytes of connections before Node's parser does. */
export interface ConnectionReader {
  /** Adds a new connection, after Node has. */
  open(socket: Socket): void
  /** Calls the listener with each request that Node has parsed. Wraps the listeners of all request events. */
  around(listener: RequestListener): RequestListener
  /** Leaves all requests to Node, including those that have begun. */
  stop(): void
}

export interface HttpServerOptions {
  readonly host: string
  readonly port: number
  readonly isShared: boolean
  readonly connections: ConnectionLimitOptions
  readonly listener: RequestListener
  /** Absent: Node parses every request. */
  readonly reader?: ConnectionReader | undefined
  readonly tls?: ListenerTls | undefined
  readonly stallMsMax?: number
}

export interface HttpServer {
  /** The address it listens on, as `host:port`. */
  readonly address: string
  /** Replaces the certificate, key and authorities for new connections. Only for a server that was started with TLS. */
  setTls(tls: ListenerTls): void
  /** From now on every answer closes its connection, so that clients reconnect elsewhere. */
  drain(): void
  /**
   * Accepts no new connection, lets requests in flight finish, and closes the rest after the deadline.
   * @param deadlineMs milliseconds from now.
   */
  close(deadlineMs: number): Promise<void>
}

/** A client that does not finish its headers in this time is gone or hostile (DOS-02). */
const HEADERS_MS_MAX = 10_000
/** A client that does not finish its handshake in this time is treated the same. */
const HANDSHAKE_MS_MAX = 10_000
/** Time for the whole request to arrive. Answering is not limited: a blocking query may take longer. */
const REQUEST_MS_MAX = 40_000
/** Longer than the idle timeout of most balancers, so that the sending side closes idle connections. */
export const KEEP_ALIVE_MS = 75_000

/** @throws StartError if the address cannot be listened on. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, listener, connections, tls, reader } = options
  const governor = new ConnectionGovernor(options.stallMsMax)
  const around = (next: RequestListener) => {
    const inOrder = governor.inOrder(next)
    return reader ? reader.around(inOrder) : inOrder
  }
  const enter = around(refuseAmbiguous(discardBodies(listener)))
  const servers = Array.from({ length: LISTENERS }, () => createHttpServer(enter, tls))
  /** Connections below TLS, which the HTTP server only knows after their handshake. */
  const carriers = new Set<Socket>()
  for (const server of servers) {
    if (tls) collect(server, carriers)
    // The event of a connection that is ready for HTTP, after any TLS handshake.
    server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      reader?.open(socket)
      governor.open(socket)
    })
    // Without a listener, Node answers all requests of one read at once.
    server.on('checkExpectation', around(refuseExpectation))
  }
  // A client cannot read a refusal before its TLS handshake.
  limitConnections(servers, { ...connections, answers429: connections.answers429 && tls === undefined })
  const at = await listenTogether(servers, { host, port, isShared: options.isShared }).catch((error) => {
    governor.stop()
    for (const server of servers) server.close()
    throw error
  })
  return {
    address: show(at),
    setTls: ({ context }) => {
      for (const server of servers) if ('setSecureContext' in server) server.setSecureContext(context)
    },
    drain: () => {
      governor.drain()
      reader?.stop()
    },
    close: async (deadlineMs) => {
      reader?.stop()
      const endCarriers = setTimeout(() => {
        for (const socket of carriers) socket.destroy()
      }, deadlineMs)
      await Promise.all(servers.map((server) => closeServer(server, deadlineMs)))
      clearTimeout(endCarriers)
      governor.stop()
    },
  }
}

function collect(server: Server, sockets: Set<Socket>): void {
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
}

function createHttpServer(enter: RequestListener, tls: ListenerTls | undefined): Server | TlsServer {
  const options = {
    headersTimeout: HEADERS_MS_MAX,
    requestTimeout: REQUEST_MS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 2_000,
    insecureHTTPParser: false,
    // Node would refuse requests without a Host header at once, all that one read contains; refuseAmbiguous refuses
    // them in turn.
    requireHostHeader: false,
  }
  const server = tls
    ? createTlsServer(
        { ...options, ...tls.context, requestCert: tls.requestCert, handshakeTimeout: HANDSHAKE_MS_MAX },
        enter,
      )
    : createServer(options, enter)
  server.on('checkContinue', (request, response) => {
    // The client only sends the body when it gets a 100, which a refusal never sends. The start of the next request is
    // then unknown.
    response.setHeader('Connection', 'close')
    enter(request, response)
  })
  return server
}

function show({ address, family, port }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}

/** Only the expectation `100-continue` is known. RFC 9110, 10.1.1. */
function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(417).end()
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
