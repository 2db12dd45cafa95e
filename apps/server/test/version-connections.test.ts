/** The connection limit on a server process; a contract test covers each version. Spec 8. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { ENCRYPTION_KEYS } from './shared-env.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

async function withServer(
  env: Record<string, string>,
  work: (server: RunningServer) => Promise<void>,
): Promise<void> {
  const server = await runServer({
    DATABASE_URL: database.url,
    LATCHKEY_ENCRYPTION_KEYS: ENCRYPTION_KEYS,
    LATCHKEY_LOG_LEVEL: 'error',
    ...env,
  })
  try {
    await work(server)
  } finally {
    await server.stop('SIGKILL')
  }
}

async function open({ url }: RunningServer, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return sockets
}

/** Sends a request on a connection. Returns the first line of the answer, or how the connection ended instead. */
async function ask(socket: Socket): Promise<string> {
  const answer = new Promise<string>((resolve) => {
    socket.once('data', (bytes) => resolve(String(bytes)))
    socket.once('error', () => resolve('closed without a byte'))
    socket.once('close', () => resolve('closed without a byte'))
  })
  socket.write('GET /v1/status/leader HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return answer
}

const firstLine = async (socket: Socket) => (await ask(socket)).split('\r\n')[0]
const SERVED = 'HTTP/1.1 200 OK'
const SILENT = 'closed without a byte'
const REFUSED = 'HTTP/1.1 429 Too Many Requests'

test.each([
  ['1.6.3', 100, SILENT],
  ['1.8.7', 200, SILENT],
  ['1.9.0', 200, REFUSED],
])('version %s: %i connections of one address, and the next one: %s', (version, limit, next) =>
  withServer({ LATCHKEY_SERVICE_VERSION: version }, async (server) => {
    const sockets = await open(server, limit)
    const [first, last] = [sockets[0], sockets.at(-1)] as [Socket, Socket]
    // The kernel spreads connections over several listeners, which accept in any order: all must be accepted before the next one.
    expect(new Set(await Promise.all(sockets.map(firstLine)))).toEqual(new Set([SERVED]))
    const [surplus] = (await open(server, 1)) as [Socket]
    expect(await firstLine(surplus)).toBe(next)
    if (!surplus.destroyed) await once(surplus, 'close')
    expect(await firstLine(first)).toBe(SERVED)
    last.destroy()
    await expect
      .poll(async () => {
        const [again] = (await open(server, 1)) as [Socket]
        const line = await firstLine(again)
        again.destroy()
        return line
      })
      .toBe(SERVED)
    for (const socket of sockets) socket.destroy()
  }),
)

test.each([
  ['1.11', { LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0' }],
  ['1.11', { LATCHKEY_TRUSTED_PROXIES: '127.0.0.0/8' }],
])('version %s with %j: no limit', (version, env) =>
  withServer({ LATCHKEY_SERVICE_VERSION: version, ...env }, async (server) => {
    const sockets = await open(server, 260)
    expect(await Promise.all([0, 100, 200, 259].map((i) => firstLine(sockets[i] as Socket)))).toEqual(
      Array.from({ length: 4 }, () => SERVED),
    )
    for (const socket of sockets) socket.destroy()
  }),
)

test('the refusal says what to do, and ends the connection', () =>
  withServer(
    { LATCHKEY_SERVICE_VERSION: '1.9.0', LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '1' },
    async (server) => {
      const [kept, surplus] = (await open(server, 2)) as [Socket, Socket]
      const texts = await Promise.all([ask(kept), ask(surplus)])
      const refusal = texts.find((text) => text.startsWith(REFUSED)) ?? ''
      expect(texts.filter((text) => text.startsWith(SERVED))).toHaveLength(1)
      expect(refusal).toContain('\r\nConnection: close\r\n')
      expect(refusal).toContain('\r\nContent-Type: text/plain\r\n')
      expect(refusal).toMatch(
        /\r\n\r\nYour IP is issuing too many concurrent connections, please rate limit your calls\n$/,
      )
    },
  ))
