/** Attacks by a web page on a new server on the same machine as the browser. Decisions: hosts. */

import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { exchange } from './raw-http.ts'
import { ENCRYPTION_KEYS } from './shared-env.ts'

let database: TestDatabase
let server: RunningServer
let everywhere: RunningServer

beforeAll(async () => {
  database = await createTestDatabase()
  const env = {
    DATABASE_URL: database.url,
    LATCHKEY_ENCRYPTION_KEYS: ENCRYPTION_KEYS,
    LATCHKEY_LOG_LEVEL: 'info',
  }
  server = await runServer(env)
  everywhere = await runServer({ ...env, HOST: '0.0.0.0', LATCHKEY_ALLOWED_HOSTS: 'acl.example.com' })
})
afterAll(async () => {
  await server.stop('SIGKILL')
  await everywhere.stop('SIGKILL')
  await database.drop()
})

async function bootstrap(at: RunningServer, headers: string): Promise<{ status: number; text: string }> {
  const request = `PUT /v1/acl/bootstrap HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`
  const { statuses, text } = await exchange(Number(new URL(at.url).port), [request])
  return { status: statuses[0] ?? 0, text }
}

test('421 host_not_allowed: a rebound name cannot bootstrap, and the refusal is logged', async () => {
  const text = await bootstrap(server, 'Host: evil.example:8500\r\nOrigin: http://evil.example:8500')
  expect(text.status).toBe(421)
  expect(text.text).toContain('Content-Type: text/plain')
  const problem = await bootstrap(server, 'Host: evil.example\r\nAccept: application/problem+json')
  expect(problem.text).toContain('"code":"host_not_allowed"')
  expect(problem.text).toContain('urn:latchkey:error:host_not_allowed')
  await expect.poll(() => server.log.some((line) => line.includes('"status":421'))).toBe(true)
})

test('403 origin_foreign: a page from another origin cannot bootstrap', async () => {
  const { status, text } = await bootstrap(
    server,
    `Host: ${new URL(server.url).host}\r\nOrigin: http://evil.example\r\nAccept: application/problem+json`,
  )
  expect(status).toBe(403)
  expect(text).toContain('"code":"origin_foreign"')
})

test('a server that listens on all addresses accepts any address, but only listed names', async () => {
  for (const host of ['203.0.113.9:8500', '[2001:db8::1]', 'acl.example.com', 'localhost']) {
    const request = `GET /v1/status/leader HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    expect((await exchange(Number(new URL(everywhere.url).port), [request])).statuses).toEqual([200])
  }
  expect((await bootstrap(everywhere, 'Host: other.example.com')).status).toBe(421)
})

test('an operator on the machine of the server can still bootstrap after these attacks', async () => {
  const { host } = new URL(server.url)
  expect((await bootstrap(server, `Host: ${host}\r\nOrigin: http://${host}`)).status).toBe(200)
})
