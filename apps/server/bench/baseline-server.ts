/**
 * The upper bound of this machine's HTTP: ready-made answers of any length, from raw node:http or a bare Express route.
 *
 *   node bench/baseline-server.ts raw|express
 *
 * `GET /bytes/N` answers N bytes. `GET /held/N` (raw only) waits until `PUT /release`, then answers N bytes: the minimum time
 * to wake so many clients.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'

const bodies = new Map<number, string | Buffer>()
const held: { readonly response: ServerResponse; readonly length: number }[] = []

const server = createServer(process.argv[2] === 'express' ? expressRoute() : raw)
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.on('SIGTERM', () => process.exit())

function expressRoute() {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.get('/bytes/:length', (request, response) => answer(response, Number(request.params.length)))
  return app
}

function raw(request: IncomingMessage, response: ServerResponse): void {
  const [, what, length = '0'] = (request.url ?? '').split('/')
  if (what === 'held') {
    held.push({ response, length: Number(length) })
  } else if (what === 'release') {
    for (const waiting of held.splice(0)) answer(waiting.response, waiting.length)
    answer(response, 4)
  } else {
    answer(response, Number(length))
  }
}

/** Sends the minimum headers of an answer of the service. */
function answer(response: ServerResponse, length: number): void {
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'Content-Length': length,
  })
  response.end(bodyOf(length))
}

function bodyOf(length: number): string | Buffer {
  const known = bodies.get(length)
  if (known !== undefined) return known
  // As in the service: a short body is sent with its headers in one piece.
  const fresh = length < 16_384 ? 'x'.repeat(length) : Buffer.alloc(length, 'x')
  bodies.set(length, fresh)
  return fresh
}
