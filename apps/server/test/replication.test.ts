/** A secondary datacenter that replicates from its primary: two servers, two databases. Decisions: replication, replication token. */
import { freePorts } from '@latchkey/testkit/process/ports'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'

const MANAGEMENT = '11111111-2222-4333-8444-555555555555'
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
  await ask(dc1, 'PUT', '/acl/policy', { Name: 'reader', Rules: 'key_prefix "" { policy = "read" }' })
  await ask(dc1, 'PUT', '/acl/role', { Name: 'app', Policies: [{ Name: 'reader' }] })
  await ask(dc1, 'PUT', '/acl/token', {
    SecretID: REPLICATION,
    Policies: [{ Name: 'global-management' }],
  })
  dc2 = await startSecondary()
}, 60_000)
afterAll(async () => {
  await Promise.all([dc1, dc2].map((server) => server?.stop('SIGKILL')))
  await Promise.all(databases.map((database) => database.drop()))
})

const common = { LATCHKEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}` }

function startPrimary(): Promise<RunningServer> {
  return runServer({
    ...common,
    PORT: String(ports.dc1),
    DATABASE_URL: databases[0]?.url ?? '',
    LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT,
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

const statusOf = async (server: RunningServer) => (await server.call('GET', '/acl/replication')).body

const untilStatus = (server: RunningServer) => expect.poll(() => statusOf(server), PATIENCE)

test('a new secondary gets the policies, roles and global tokens of its primary, with their ids, secrets and hashes', async () => {
  await untilStatus(dc2).toMatchObject({ Running: true, State: 'following', ReplicationType: 'tokens' })
  const shared = ({ CreateIndex: _, ModifyIndex: __, ...rest }: Record<string, unknown>) => rest
  for (const path of ['/acl/policies', '/acl/roles', '/acl/tokens']) {
    const [here, there] = [await ask(dc2, 'GET', path), await ask(dc1, 'GET', path)]
    const byHash = (list: Record<string, unknown>[]) =>
      list
        .map(shared)
        .sort((a, b) => String(a.AccessorID ?? a.ID).localeCompare(String(b.AccessorID ?? b.ID)))
    expect(byHash(here)).toEqual(byHash(there))
  }
})
