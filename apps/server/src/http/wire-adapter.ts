/** Between Node's requests and answers and the API's. Nothing is decided here. */

import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WireReply, WireRequest } from '@latchkey/acl'
import { readBody } from './read-body.ts'

/** @param signal aborted when the client has gone, or the server ends its waits. */
export function toWireRequest(
  request: IncomingMessage,
  requestId: string,
  signal: AbortSignal | undefined,
): WireRequest {
  return {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    header: (name) => firstValue(request, name),
    readBody: (bytesMax) => readBody(request, bytesMax),
    signal,
    requestId,
  }
}

/** Node joins repeated headers with a comma, or keeps the first: for credentials only the first value counts. */
function firstValue(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') return value[0]
  if (!value.includes(',')) return value
  return request.headersDistinct[name]?.[0] ?? value
}

/** Writes a reply. A stream waits for a slow reader, and cuts the connection where it fails. */
export async function writeReply(reply: WireReply, response: ServerResponse): Promise<void> {
  const { status, headers, body } = reply
  if (response.destroyed) return
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : (body?.length ?? 0)
    response.writeHead(status, { ...headers, 'Content-Length': length })
    response.end(body)
    return
  }
  response.writeHead(status, headers)
  try {
    for await (const piece of body) {
      if (response.destroyed) return
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
    response.end()
  } catch (error) {
    response.destroy(error instanceof Error ? error : undefined)
  }
}
