/** A mock service on a real port, for HTTP clients in other processes. */

import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { MockService } from '@latchkey/mocks'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'

export async function serveMock(service: MockService): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(async (incoming, outgoing) => {
    const answer = await service.fetch(service.baseUrl + incoming.url, await initOf(incoming))
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
    outgoing.end(await answer.bytes())
  })
  const port = await listenOnFreePort(server)
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function initOf(incoming: IncomingMessage): Promise<RequestInit> {
  const { method = 'GET' } = incoming
  const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
    value === undefined || ['host', 'connection', 'content-length', 'transfer-encoding'].includes(name)
      ? []
      : [[name, String(value)] as [string, string]],
  )
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return { method, headers, ...(hasBody ? { body: new Uint8Array(await buffer(incoming)) } : {}) }
}
