/** DOS-05: anonymous requests cost the database nothing, however many there are. */

import type { EndpointName } from '@latchkey/contract'
import { afterAll, expect, test } from 'vitest'
import { ANONYMOUS_REQUESTS, type AnonymousRequest } from './anonymous-requests.ts'
import { createTestDatabase } from './database.ts'
import { startDatabaseProxy } from './database-proxy.ts'
import { startTestServer } from './server.ts'

const REQUESTS = 120
/** Covers heartbeats every second and caches that last one second, with a margin for slow machines. */
const PIECES_PER_SECOND_MAX = 20
/** These decide by the current records, which several processes confirm with one query for all concurrent requests. */
const CONFIRMED = new Set<string>([
  'decisions.authorize',
  'legacy.info',
  'login.login',
] satisfies EndpointName[])

const database = await createTestDatabase()
const proxy = await startDatabaseProxy(database.url)
const env = { LATCHKEY_LOG_LEVEL: 'warn' }
// A process that runs alone answers from memory; with two, neither does.
const server = await startTestServer({ ...env, DATABASE_URL: proxy.url })
await startTestServer({ ...env, DATABASE_URL: database.url })
afterAll(() => proxy.close())

async function ask({ method, path, body }: AnonymousRequest, token?: string): Promise<number> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    // Decompressing long documents would take most of the test.
    headers: { 'Accept-Encoding': 'identity', ...(token === undefined ? {} : { 'X-Service-Token': token }) },
    ...(body === undefined ? {} : { body }),
  })
  await response.text()
  return response.status
}

/** Counts the chunks that the server sends to its database during the work, beyond its heartbeats. */
async function piecesDuring(work: () => Promise<void>): Promise<number> {
  const before = proxy.pieces()
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1_000
  return proxy.pieces() - before - Math.ceil(seconds) * PIECES_PER_SECOND_MAX
}

const local = ANONYMOUS_REQUESTS.filter(({ name }) => !CONFIRMED.has(name))
const confirmed = ANONYMOUS_REQUESTS.filter(({ name }) => CONFIRMED.has(name))

test.each(local)('DOS-05: $name: no query per request, not even with unknown secrets', async (request) => {
  await ask(request)
  const pieces = await piecesDuring(async () => {
    for (let i = 0; i < REQUESTS; i += 1) {
      const token = i % 2 === 0 ? undefined : `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
      expect(await ask(request, token)).toBeLessThan(500)
    }
  })
  expect(pieces).toBeLessThan(20)
})

test.each(confirmed)('DOS-05: $name: concurrent requests share their queries', async (request) => {
  await ask(request)
  const pieces = await piecesDuring(async () => {
    await Promise.all(Array.from({ length: REQUESTS / 2 }, () => ask(request)))
  })
  expect(pieces).toBeLessThan(REQUESTS / 4)
})
