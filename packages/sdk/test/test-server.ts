/** A scripted `node:http` server that may misbehave and records its requests. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

interface SeenRequest {
  readonly method: string
  /** Path with query, as it came. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Reply = (response: ServerResponse, request: SeenRequest) => unknown

export interface TestServer extends AsyncDisposable {
  readonly address: string
  readonly requests: readonly SeenRequest[]
  /** Open connections. */
  readonly openSockets: ReadonlySet<Socket>
  /** Maximum concurrent connections. */
  readonly openSocketsMax: number
  /** Closes idle connections, but none with a request in flight. */
  closeIdle(): void
}

/**
 * Starts a server that answers the n-th request with the n-th reply, and every later one with the last.
 */
export async function startServer(...replies: readonly Reply[]): Promise<TestServer> {
  const requests: SeenRequest[] = []
  const openSockets = new Set<Socket>()
  let openSocketsMax = 0
  const server = createServer(async (request, response) => {
    const seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: await readBody(request),
    }
    requests.push(seen)
    const reply = replies[Math.min(requests.length, replies.length) - 1]
    await reply?.(response, seen)
  })
  server.on('connection', (socket: Socket) => {
    openSockets.add(socket)
    openSocketsMax = Math.max(openSocketsMax, openSockets.size)
    socket.on('close', () => openSockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    requests,
    openSockets,
    get openSocketsMax() {
      return openSocketsMax
    },
    closeIdle: () => server.closeIdleConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An address where nothing listens. */
export async function closedAddress(): Promise<string> {
  await using server = await startServer()
  return server.address
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Answers JSON as the service does. */
export function json(value: unknown, headers: Readonly<Record<string, string | number>> = {}): Reply {
  return (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'X-Service-Index': 7, ...headers })
    response.end(JSON.stringify(value))
  }
}

/** Refuses as the service does when it is asked for problem details. */
export function problem(
  status: number,
  code: string,
  members: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string | number>> = {},
): Reply {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/problem+json', ...headers })
    response.end(
      JSON.stringify({
        type: `/errors/${code}`,
        title: code,
        status,
        detail: `detail of ${code}`,
        code,
        ...members,
      }),
    )
  }
}

/** Answers a body of any type. */
export function plain(
  status: number,
  body: string,
  headers: Readonly<Record<string, string | number>> = {},
): Reply {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers })
    response.end(body)
  }
}

/** A proxy's page. */
export function html(status: number): Reply {
  return plain(status, '<html><body>Bad gateway</body></html>', { 'Content-Type': 'text/html' })
}

/** Closes the connection without an answer. */
export function reset(): Reply {
  return (response) => response.socket?.resetAndDestroy()
}

/** Promises more bytes than it sends, then closes. */
export function halfBody(status = 200, contentType = 'application/json'): Reply {
  return (response) => {
    response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': 100, 'X-Service-Index': 7 })
    response.write('{"AccessorID":"')
    setTimeout(() => response.socket?.destroy(), 5)
  }
}

/** Never answers. */
export function silence(): Reply {
  return () => undefined
}

/** Sends headers and a first byte, then nothing. */
export function stalledBody(): Reply {
  return (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'X-Service-Index': 7 })
    response.write('{')
  }
}
