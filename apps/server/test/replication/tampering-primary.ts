/** A proxy that changes the answers of a primary to its followers, like a newer, broken or hostile primary. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Changes } from '@latchkey/contract'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'

/** Returns the replacement of an answer: records, or any text. */
export type Tamper = (changes: Changes) => object | string

export interface TamperingPrimary {
  readonly url: string
  /** Changes every answer from now on; undefined: none. */
  tamper(with_: Tamper | undefined): void
  /** Answers that were changed so far. */
  tampered(): number
  close(): Promise<void>
}

/** Headers that a proxy forwards. */
const PASSED = ['content-type', 'x-service-index', 'x-service-next-cursor', 'x-service-knownleader']

/** @param target the URL of the real primary. */
export async function openTamperingPrimary(target: string): Promise<TamperingPrimary> {
  let current: Tamper | undefined
  let count = 0
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const aborting = new AbortController()
    response.once('close', () => aborting.abort())
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) =>
        name.startsWith('x-') && typeof value === 'string' ? [[name, value]] : [],
      ),
    )
    const found = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      signal: aborting.signal,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    })
    let text = await found.text()
    if (current !== undefined && found.status === 200 && request.url?.startsWith('/v1/acl/changes?')) {
      const changed = current(JSON.parse(text) as Changes)
      text = typeof changed === 'string' ? changed : JSON.stringify(changed)
      count += 1
    }
    for (const name of PASSED) {
      const value = found.headers.get(name)
      if (value !== null) response.setHeader(name, value)
    }
    response.writeHead(found.status).end(text)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const port = await listenOnFreePort(server)
  return {
    url: `http://127.0.0.1:${port}`,
    tamper: (with_) => {
      current = with_
    },
    tampered: () => count,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
