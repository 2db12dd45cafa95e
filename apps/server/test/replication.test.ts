/** A secondary datacenter that replicates from its primary: two servers, two databases. Decisions: replication, replication token. */
import { freePorts } from '@latchkey/testkit/process/ports'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { ENCRYPTION_KEYS, MANAGEMENT } from './shared-env.ts'

const REPLICATION = '22222222-2222-4333-8444-555555555555'
const PATIENCE = { timeout: 30_000, interval: 20 }

const databases: TestDatabase[] = []
let ports: { readonly dc1: number; readonly dc2: number }
let dc1: RunningServer
let dc2: RunningServer

beforeAll(async () => {
  databases.push(await createTestDatabase(), await createTestDatabase())
  const [first = 0, second = 0] = await freePorts(2)
  ports = { dc1: first, dc2: second }
  dc1 = await startPrimary()
  await ask(dc1, 'PUT', '/acl/token', { SecretID: REPLICATION, Policies: [{ Name: 'global-management' }] })
  dc2 = await startSecondary()
}, 60_000)
afterAll(async () => {
  await Promise.all([dc1, dc2].map((server) => server?.stop('SIGKILL')))
  await Promise.all(databases.map((database) => database.drop()))
})

const common = { LATCHKEY_ENCRYPTION_KEYS: ENCRYPTION_KEYS }

function startPrimary(more: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  return runServer({
    ...common,
    PORT: String(ports.dc1),
    DATABASE_URL: databases[0]?.url ?? '',
    LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT,
    ...more,
  })
}

function startSecondary(): Promise<RunningServer> {
  return runServer({
    ...common,
    PORT: String(ports.dc2),
    DATABASE_URL: databases[1]?.url ?? '',
    LATCHKEY_DATACENTER: 'dc2',
    LATCHKEY_PRIMARY_DATACENTER: 'dc1',
    LATCHKEY_PRIMARY_URL: `http://127.0.0.1:${ports.dc1}`,
    LATCHKEY_REPLICATION_TOKEN: REPLICATION,
  })
}

async function ask(server: RunningServer, method: string, path: string, body?: unknown) {
  const answer = await server.call(method, path, { token: MANAGEMENT, body })
  expect(answer, `${method} ${path}`).toMatchObject({ status: 200 })
  return answer.body
}

const untilStatus = (server: RunningServer) =>
  expect.poll(async () => (await server.call('GET', '/acl/replication')).body, PATIENCE)

/** How the secondary answers a secret. */
const selfIn = async (server: RunningServer, token: string) =>
  (await server.call('GET', '/acl/token/self', { token })).status

test('a token created through the secondary can be read there as soon as it is answered; a local one stays there', async () => {
  await untilStatus(dc2).toMatchObject({ State: 'following' })
  for (let i = 0; i < 5; i += 1) {
    const answer = await fetch(`${dc2.url}/v1/acl/token`, {
      method: 'PUT',
      headers: { 'X-Service-Token': MANAGEMENT },
      body: '{}',
    })
    const { SecretID } = (await answer.json()) as { SecretID: string }
    // A machine may stall for seconds: the answer then says so.
    const isLate = answer.headers.has('x-service-replication-lag')
    if (!isLate) expect(await selfIn(dc2, SecretID)).toBe(200)
    expect(await selfIn(dc1, SecretID)).toBe(200)
  }
  const { SecretID: local } = await ask(dc2, 'PUT', '/acl/token', { Local: true })
  expect([await selfIn(dc2, local), await selfIn(dc1, local)]).toEqual([200, 403])
})

/** Must be last: it makes dc2 the primary. */
test('a promoted datacenter stays the primary after a restart with its old settings, and the old primary follows it once told to', async () => {
  const { Cluster } = await ask(dc2, 'PUT', '/acl/replication/promote', { Datacenter: 'dc2', Force: true })
  const made = await ask(dc2, 'PUT', '/acl/token', { Description: 'made by the new primary' })
  await dc2.stop()
  dc2 = await startSecondary()
  await expect.poll(() => dc2.log.join('\n'), PATIENCE).toContain('dc2 was promoted and is the primary')
  await ask(dc2, 'PUT', `/acl/token/${made.AccessorID}`, { Description: 'changed by the new primary' })
  // The old primary still acts as the primary.
  await expect.poll(() => dc2.log.join('\n'), PATIENCE).toContain('dc1 is back')
  const lost = await ask(dc1, 'PUT', '/acl/token', { Description: 'only in the old primary' })

  await dc1.stop()
  dc1 = await startPrimary({
    LATCHKEY_DATACENTER: 'dc1',
    LATCHKEY_PRIMARY_DATACENTER: 'dc2',
    LATCHKEY_PRIMARY_URL: `http://127.0.0.1:${ports.dc2}`,
    LATCHKEY_REPLICATION_TOKEN: REPLICATION,
    LATCHKEY_INITIAL_MANAGEMENT_TOKEN: '',
  })
  const paused = { State: 'paused', LastErrorMessage: expect.stringContaining(`accept ${Cluster}`) }
  await untilStatus(dc1).toMatchObject(paused)
  expect(await ask(dc1, 'GET', `/acl/token/${lost.AccessorID}`)).toMatchObject({
    AccessorID: lost.AccessorID,
  })
  await ask(dc1, 'PUT', '/acl/replication/accept', { Cluster })
  await untilStatus(dc1).toMatchObject({ Running: true, State: 'following', Cluster })
  const { Description } = await ask(dc1, 'GET', `/acl/token/${made.AccessorID}`)
  expect(Description).toBe('changed by the new primary')
  expect(await dc1.call('GET', `/acl/token/${lost.AccessorID}`, { token: MANAGEMENT })).toMatchObject({
    status: 404,
  })
})
