/** DOS-05: anonymous clients pipeline many requests to every anonymous endpoint and read no answer. */
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { ANONYMOUS_REQUESTS, type AnonymousRequest, toWire } from './anonymous-requests.ts'
import { openConnection } from './raw-http.ts'
import { startTestServer } from './server.ts'
import { MANAGEMENT } from './shared-env.ts'

const CONNECTIONS = 10
const REQUESTS = 1_200
/** Within the default limit of connections per address, and as much as one read of Node takes from each. */
const MANY_CONNECTIONS = 190
const MANY_REQUESTS = 1_600
const MANY: readonly string[] = ['operations.leader', 'policies.lint', 'decisions.authorize', '/livez']

const server = await startTestServer({ LATCHKEY_LOG_LEVEL: 'warn' })
for (const { method, path, body } of ANONYMOUS_REQUESTS) {
  await (await fetch(`${server.url}${path}`, { method, ...(body === undefined ? {} : { body }) })).text()
}
const idleBytes = await residentBytes()

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
