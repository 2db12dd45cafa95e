/** A provider on loopback that answers as a test configures it, and counts its requests. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Answers one request, now or later. */
export type Answer = (response: ServerResponse) => void

interface KeyServer {
  readonly url: string
  /** Paths of all requests so far. */
  readonly asked: readonly string[]
  /** Sets what a path answers from now on. */
  answer(path: string, answer: Answer): void
}

export const json =
  (value: unknown, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))

/** Starts a server that lives as long as the test. Paths without an answer are 404. */
export async function startKeyServer(): Promise<KeyServer> {
  const answers = new Map<string, Answer>()
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const answer = answers.get(url) ?? json({}, 404)
    answer(response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked, answer: (path, answer) => void answers.set(path, answer) }
}
