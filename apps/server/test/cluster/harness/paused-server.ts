/**
 * DUR-04, the lease: a process that runs alone answers from its own state. While it is paused, another process starts and
 * changes that state. When it resumes, it must not answer from the outdated state.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Token } from '@latchkey/contract'
import { jsonOf } from './gateway.ts'
import { askDatabase, MANAGEMENT, startServerGroup } from './server-group.ts'

interface PausedServerResult {
  readonly pauses: number
  /** Answers of the paused process to requests sent after the change. */
  readonly answers: number
  /** Answers that showed the state before the change. */
  readonly outdated: readonly string[]
  /** Maximum time from resuming to the first successful write, in milliseconds. */
  readonly writeMs: number
}

/** Requests that wait in its sockets when the process resumes. */
const WAITING = 20

/** @param options.pausesMs minimum duration of each pause, which includes the start of the other process. */
export async function provePausedServer(options: {
  readonly databaseUrl: string
  readonly pausesMs: readonly number[]
}): Promise<PausedServerResult> {
  const { databaseUrl, pausesMs } = options
  const outdated: string[] = []
  let [answers, writeMs] = [0, 0]
  for (const pauseMs of pausesMs) {
    const group = await startServerGroup({ databaseUrl, count: 2 })
    try {
      await group.end(1, 'SIGTERM')
      const [paused] = group.gateways
      const server = group.server(0)
      if (!paused || !server) throw new Error('there is no server')
      const manage = (method: 'PUT' | 'DELETE', path: string, body?: unknown, gateway = paused) =>
        gateway.ask({ method, path, token: MANAGEMENT, body })
      const token = jsonOf<Token>(await manage('PUT', '/acl/token', { Description: 'known' }))
      await untilAlone(databaseUrl)
      const self = { method: 'GET', path: '/acl/token/self', token: token.SecretID } as const
      if ((await paused.ask(self)).status !== 200) throw new Error('the token is not known')

      server.process.kill('SIGSTOP')
      const pausedAt = performance.now()
      const [, other] = group.gateways
      await group.start(1)
      jsonOf(await manage('DELETE', `/acl/token/${token.AccessorID}`, undefined, other))
      await sleep(Math.max(0, pauseMs - (performance.now() - pausedAt)))
      // These requests wait in its sockets and are handled first when it resumes.
      const waiting = Array.from({ length: WAITING }, () => askRaw(server.url, token.SecretID))
      await sleep(50)
      server.process.kill('SIGCONT')
      const goneOnAt = performance.now()
      const write = async () => {
        while ((await manage('PUT', '/acl/token', { Description: 'after' })).status !== 200) await sleep(50)
        writeMs = Math.max(writeMs, Math.round(performance.now() - goneOnAt))
      }
      const [seen] = await Promise.all([Promise.all(waiting), write()])
      // On a busy machine some are refused with 503, which proves nothing.
      answers += seen.filter((line) => !line.includes(' 503 ')).length
      outdated.push(
        ...seen.filter((line) => !/ (403|503) /.test(line)).map((line) => `after ${pauseMs} ms: ${line}`),
      )
    } finally {
      await group.stop()
    }
  }
  return { pauses: pausesMs.length, answers, outdated, writeMs }
}

/** Waits until only one member is left and has sent a heartbeat since then. */
async function untilAlone(databaseUrl: string): Promise<void> {
  for (;;) {
    const rows = await askDatabase(
      databaseUrl,
      'SELECT left_at FROM member WHERE left_at IS NULL AND NOT is_fenced',
    )
    if (rows.length === 1) break
    await sleep(50)
  }
  // One heartbeat.
  await sleep(1_200)
}

/** Sends a request at once over a new connection. @returns the status line of the answer. */
async function askRaw(url: string, secretId: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(`GET /v1/acl/token/self HTTP/1.1\r\nHost: ${hostname}\r\nX-Service-Token: ${secretId}\r\n\r\n`)
  const [chunk]: Buffer[] = (await once(socket, 'data')) as Buffer[]
  socket.destroy()
  return chunk?.toString('latin1').split('\r\n', 1)[0] ?? ''
}
