/** DOS-05: anonymous clients pipeline many requests to every anonymous endpoint and read no answer. */
import type { Socket } from 'node:net'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ANONYMOUS_REQUESTS, type AnonymousRequest, toWire } from './anonymous-requests.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { openConnection } from './raw-http.ts'
import { MANAGEMENT, SERVER_ENV } from './shared-env.ts'

const CONNECTIONS = 10
const REQUESTS = 1_200
/** Within the default limit of connections per address, and as much as one read of Node takes from each. */
const MANY_CONNECTIONS = 190
const MANY_REQUESTS = 1_600
const MANY: readonly string[] = ['operations.leader', 'policies.lint', 'decisions.authorize', '/livez']

let database: TestDatabase
let server: RunningServer
let idleBytes: number

beforeAll(async () => {
  database = await createTestDatabase()
  server = await runServer({ DATABASE_URL: database.url, ...SERVER_ENV, LATCHKEY_LOG_LEVEL: 'warn' })
  for (const { method, path, body } of ANONYMOUS_REQUESTS) {
    await (await fetch(`${server.url}${path}`, { method, ...(body === undefined ? {} : { body }) })).text()
  }
  idleBytes = await residentBytes()
})
afterAll(async () => {
  await server.stop('SIGKILL')
  await database.drop()
})

/** Memory, as the server reports it to another client. */
async function residentBytes(): Promise<number> {
  const { status, body } = await server.call('GET', '/agent/metrics?format=prometheus', { token: MANAGEMENT })
  expect(status).toBe(200)
  return Number(/^latchkey_process_resident_memory_bytes (\S+)$/m.exec(body)?.[1])
}

/** Sends this many requests on each of the connections, reads no answers, and samples the memory 20 times. */
async function flood(request: AnonymousRequest, connections: number, requests: number): Promise<void> {
  const sockets: Socket[] = []
  for (let i = 0; i < connections; i += 1) {
    sockets.push(await openConnection(Number(new URL(server.url).port)))
  }
  const wire = toWire(request).repeat(requests)
  for (const socket of sockets) socket.pause().write(wire)
  for (let i = 0; i < 20; i += 1) expect(await residentBytes()).toBeLessThan(2 * idleBytes)
  for (const socket of sockets) socket.destroy()
}

test.each(ANONYMOUS_REQUESTS)(
  'DOS-05: $name: 12,000 pipelined requests, read by no client, stay below twice the idle memory',
  (request) => flood(request, CONNECTIONS, REQUESTS),
)

test.each(ANONYMOUS_REQUESTS.filter(({ name }) => MANY.includes(name)))(
  'DOS-05: $name: 190 connections of 1,600 requests, three times, stay below twice the idle memory',
  async (request) => {
    for (let i = 0; i < 3; i += 1) await flood(request, MANY_CONNECTIONS, MANY_REQUESTS)
  },
)
