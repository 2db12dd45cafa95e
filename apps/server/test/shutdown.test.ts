/** DUR-10: SIGTERM while clients wait and write. */
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { RunningServer } from '@latchkey/testkit/process/server-process'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'
import { openConnection } from './raw-http.ts'
import { startTestServer } from './server.ts'
import { MANAGEMENT } from './shared-env.ts'
import { waitersOf } from './waiters-of.ts'

/** Without an early answer, the blocking queries would wait for five minutes, and so would the exit. */
const STOP_MS_MAX = 120_000
const HELD = 500
const WRITERS = 50

const database = await createTestDatabase()
let server: RunningServer

beforeEach(async () => {
  server = await start()
})

function start(): Promise<RunningServer> {
  return startTestServer({
    DATABASE_URL: database.url,
    LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0',
    LATCHKEY_SHUTDOWN_TIMEOUT: '5m',
  })
}

const headers = { 'X-Service-Token': MANAGEMENT }

/** Sends SIGTERM; returns how the server exited, and after how many milliseconds. */
async function terminate() {
  const startedAt = performance.now()
  const exit = once(server.process, 'exit')
  server.process.kill('SIGTERM')
  const [exitCode, signal] = await exit
  return { exitCode, signal, ms: Math.round(performance.now() - startedAt) }
}

test(`DUR-10: ${HELD} blocking queries are answered, ${WRITERS} writers lose nothing that was acknowledged, exit 0`, async () => {
  let isEnding = false
  const hold = async (): Promise<{ status: number; body: string } | 'closed'> => {
    try {
      const response = await fetch(`${server.url}/v1/acl/tokens?index=99999999&wait=5m`, { headers })
      return { status: response.status, body: await response.text() }
    } catch {
      // On a busy machine, a connection may not open in time.
      return isEnding ? 'closed' : hold()
    }
  }
  const held = Array.from({ length: HELD }, hold)
  // Requests that have not arrived yet would prove nothing.
  await expect.poll(() => waitersOf(server, MANAGEMENT), { timeout: 120_000 }).toBe(HELD)
  const acknowledged: string[] = []
  let refused = 0
  const write = async (writer: number) => {
    for (let i = 0; ; i += 1) {
      const body = JSON.stringify({ Description: `${writer}-${i}` })
      const response = await fetch(`${server.url}/v1/acl/token`, { method: 'PUT', headers, body }).catch(
        () => undefined,
      )
      if (response === undefined) return
      const answer = await response.text()
      if (response.status === 200) acknowledged.push(JSON.parse(answer).AccessorID)
      else refused += 1
    }
  }
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer))
  const probes: (number | 'refused')[] = []
  const probe = async () => {
    for (let isOver = false; !isOver; ) {
      const status = await fetch(`${server.url}/readyz`).then(
        (response) => response.status,
        () => 'refused' as const,
      )
      probes.push(status)
      isOver = server.process.exitCode !== null
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  await expect.poll(() => acknowledged.length, { timeout: 120_000 }).toBeGreaterThan(WRITERS)
  isEnding = true
  const probing = probe()
  const { exitCode, signal, ms } = await terminate()
  const answers = await Promise.all(held)
  await Promise.all([...writers, probing])

  expect({ exitCode, signal }).toEqual({ exitCode: 0, signal: null })
  expect(ms).toBeLessThan(STOP_MS_MAX)
  for (const answer of answers) expect(answer).toMatchObject({ status: 200 })
  expect(refused).toBe(0)
  // Once it has reported that it is not ready, it never reports otherwise.
  const firstFailure = probes.findIndex((status) => status !== 200)
  expect(probes.slice(firstFailure)).not.toContain(200)

  expect(server.log.filter((line) => line.includes('MaxListenersExceededWarning'))).toEqual([])
  server = await start()
  const { body } = await server.call('GET', '/acl/tokens', { token: MANAGEMENT })
  const stored = new Set((body as readonly { AccessorID: string }[]).map(({ AccessorID }) => AccessorID))
  expect(acknowledged.filter((accessorId) => !stored.has(accessorId))).toEqual([])
})

test('a request in flight finishes, a new one is not accepted, idle connections close', async () => {
  const port = Number(new URL(server.url).port)
  const idle = await openConnection(port)
  idle.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(idle, 'data')
  const sending = await openConnection(port)
  sending.write(
    `PUT /v1/acl/token HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${MANAGEMENT}\r\nContent-Length: 22\r\nExpect: 100-continue\r\n\r\n`,
  )
  // The server requests the body, so the request is in progress.
  await once(sending, 'data')
  sending.write('{"Descrip')
  const idleEnds = once(idle, 'close')
  const ended = terminate()
  await idleEnds
  await expect(fetch(`${server.url}/livez`)).rejects.toThrow()
  expect(server.process.exitCode).toBeNull()
  sending.write('tion":"late"}')
  const answer = await text(sending)
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
  expect(answer).toContain('"Description":"late"')
  expect(await ended).toMatchObject({ exitCode: 0 })
})

test('a probed server keeps serving until the load balancer has noticed: 503 at /readyz, and answers close connections', async () => {
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  const held = fetch(`${server.url}/v1/acl/tokens?index=99999999&wait=5m`, { headers })
  await expect.poll(() => waitersOf(server, MANAGEMENT)).toBe(1)
  const ended = terminate()
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status, { interval: 10 }).toBe(503)
  const read = await fetch(`${server.url}/v1/acl/token/self`, { headers })
  expect([read.status, read.headers.get('Connection')]).toEqual([200, 'close'])
  const woken = await held
  expect([woken.status, woken.headers.get('Connection')]).toEqual([200, 'close'])
  expect(await ended).toMatchObject({ exitCode: 0 })
})
