/** The server while its database does not answer, or terminates connections. DUR-05, DUR-06; decisions: status codes. */

import { randomUUID } from 'node:crypto'
import { freePorts } from '@latchkey/testkit/process/ports'
import { startCommand } from '@latchkey/testkit/process/server-process'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'
import { startDatabaseProxy } from './database-proxy.ts'
import { startTestServer } from './server.ts'
import { MANAGEMENT, SERVER_ENV } from './shared-env.ts'

/** Two seconds, and a margin for busy machines. */
const FAIL_MS_MAX = 10_000
const RECOVERY_MS_MAX = 30_000

const database = await createTestDatabase()
const proxy = await startDatabaseProxy(database.url)
const server = await startTestServer({ DATABASE_URL: proxy.url })
afterAll(() => proxy.close())

async function ask(method: string, path: string, body?: object) {
  const startedAt = performance.now()
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'X-Service-Token': MANAGEMENT, Accept: 'application/problem+json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, ms: performance.now() - startedAt }
}

const isWriting = async () => (await ask('PUT', '/v1/acl/token', {})).status === 200

describe('while the database does not answer', () => {
  beforeAll(async () => {
    expect((await ask('GET', '/v1/acl/token/self')).status).toBe(200)
    expect(await isWriting()).toBe(true)
    proxy.freeze()
    // A process that runs alone may rely on that for a while (storage/members/lease.ts).
    while ((await ask('GET', '/v1/acl/token/self')).status === 200)
      await new Promise((resolve) => setTimeout(resolve, 50))
  })

  test('reads and writes: 503 with Retry-After, in time, without details of the database', async () => {
    const answers = await Promise.all([
      ask('PUT', '/v1/acl/token', {}),
      ask('GET', '/v1/acl/token/self'),
      ask('GET', '/v1/acl/tokens'),
      ask('GET', '/v1/acl/tokens?consistent'),
      ask('GET', '/v1/kv/a'),
      ask('PUT', '/v1/kv/a', {}),
    ])
    for (const { status, headers, text, ms } of answers) {
      expect(status).toBe(503)
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(ms).toBeLessThan(FAIL_MS_MAX)
      expect(JSON.parse(text)).toMatchObject({ code: 'unavailable', status: 503 })
      expect(text).not.toMatch(/postgres|prisma|127\.0\.0\.1|latchkey_test/i)
    }
    // These details belong in the log.
    expect(server.log.join('\n')).toMatch(
      /"reason":"[^"]+".*"requests":\d+.*the database did not serve requests/,
    )
  })

  test('stale reads continue from memory, and state their age', async () => {
    const { status, headers } = await ask('GET', '/v1/acl/token/self?stale')
    expect(status).toBe(200)
    expect(Number(headers.get('x-service-lastcontact'))).toBeGreaterThan(0)
    expect(headers.get('x-service-knownleader')).toBe('false')
    expect((await ask('GET', '/v1/acl/token/self?max_stale=10m')).status).toBe(200)
    expect((await ask('GET', '/v1/acl/token/self?max_stale=1ms')).status).toBe(503)
    const unknown = { 'X-Service-Token': randomUUID() }
    expect((await fetch(`${server.url}/v1/acl/token/self?stale`, { headers: unknown })).status).toBe(503)
  })

  test('the server is alive but not ready; every waiting request gets an answer', async () => {
    const [alive, ready, waited] = await Promise.all([
      ask('GET', '/livez'),
      ask('GET', '/readyz'),
      ask('GET', '/v1/acl/tokens?stale&index=999999&wait=100ms'),
    ])
    expect(alive.status).toBe(200)
    expect(ready).toMatchObject({ status: 503, text: expect.stringMatching(/^The database /) })
    expect([200, 503]).toContain(waited.status)
  })

  test('when the database answers again, the server recovers by itself', async () => {
    proxy.heal()
    await expect.poll(isWriting, { timeout: RECOVERY_MS_MAX, interval: 50 }).toBe(true)
    expect((await ask('GET', '/v1/acl/token/self')).status).toBe(200)
    await expect
      .poll(async () => (await ask('GET', '/readyz')).status, { timeout: RECOVERY_MS_MAX })
      .toBe(200)
  })
})

test('DUR-06: connections that the database ends repeatedly cause only retryable errors', async () => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const statuses = new Map<number, number>()
  let isOver = false
  const write = async () => {
    while (!isOver) {
      const { status } = await ask('PUT', '/v1/acl/token', { Description: 'x' })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const writers = Array.from({ length: 20 }, write)
  // Repeats until enough writes succeeded between the terminations.
  for (let i = 0; i < 10 || (statuses.get(200) ?? 0) <= 50; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
  }
  isOver = true
  await Promise.all(writers)
  await client.end()
  expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect(server.process.exitCode).toBeNull()
  await expect.poll(isWriting, { timeout: RECOVERY_MS_MAX }).toBe(true)
})

test.for([
  ['disk_full', 'database_full', 'The disk of the database is full'],
  ['read_only_sql_transaction', 'database_read_only', 'The database accepts no writes now'],
  ['out_of_memory', 'database_overloaded', 'The database has no memory left; try again'],
  ['insufficient_privilege', 'database_refused', 'The database denies this server access'],
  ['data_corrupted', 'database_damaged', 'The database cannot read or write its files'],
  ['admin_shutdown', 'unavailable', 'The database is starting or stopping; try again'],
])('a write that the database refuses with %s is 503 %s, and says why', async ([state, code, message]) => {
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'secret detail' USING ERRCODE = '${state}';
    END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON kv FOR EACH ROW EXECUTE FUNCTION refuse()`)
  try {
    const { status, headers, text } = await ask('PUT', `/v1/kv/refused/${state}`, {})
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 503, retryAfter: '1' })
    expect(JSON.parse(text)).toMatchObject({ code, detail: message })
    expect(text).not.toContain('secret detail')
  } finally {
    await client.query('DROP FUNCTION refuse CASCADE')
    await client.end()
  }
  expect((await ask('PUT', `/v1/kv/refused/${state}`, {})).status).toBe(200)
})

/** Lets a server join the cluster, but rejects the address on which it listens. */
const REFUSE_ADDRESSES = `
  CREATE FUNCTION refuse_address() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.address <> '' THEN RAISE EXCEPTION 'later' USING ERRCODE = 'cannot_connect_now'; END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER refuse_address BEFORE INSERT OR UPDATE ON member FOR EACH ROW EXECUTE FUNCTION refuse_address()`

test('a server that loses the database while it starts, after it listens, starts again on the same port', async () => {
  const other = await createTestDatabase()
  const client = new pg.Client(other.url)
  await client.connect()
  await client.query(REFUSE_ADDRESSES)
  const [port] = await freePorts(1)
  const {
    process: child,
    log,
    ended,
  } = startCommand([], { ...SERVER_ENV, DATABASE_URL: other.url, PORT: `${port}` })
  try {
    await expect.poll(log).toContain('starting again')
    await client.query('DROP TRIGGER refuse_address ON member')
    const leader = () =>
      fetch(`http://127.0.0.1:${port}/v1/status/leader`).then(
        ({ status }) => status,
        () => undefined,
      )
    await expect.poll(leader).toBe(200)
  } finally {
    child.kill('SIGKILL')
    await ended
    await client.end()
  }
})
