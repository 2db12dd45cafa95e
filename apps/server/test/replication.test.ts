/** A secondary datacenter that replicates from its primary: two servers, two databases. Decisions: replication, replication token. */
import { freePorts } from '@latchkey/testkit/process/ports'
import type { RunningServer } from '@latchkey/testkit/process/server-process'
import { expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'
import { startTestServer } from './server.ts'
import { MANAGEMENT } from './shared-env.ts'

const REPLICATION = '22222222-2222-4333-8444-555555555555'
const PATIENCE = { timeout: 30_000, interval: 20 }

const databases = await Promise.all([createTestDatabase(), createTestDatabase()])
const [port1 = 0, port2 = 0] = await freePorts(2)
let dc1 = await startPrimary()
await ask(dc1, 'PUT', '/acl/token', { SecretID: REPLICATION, Policies: [{ Name: 'global-management' }] })
let dc2 = await startSecondary()

function startPrimary(more: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  return startTestServer({ PORT: String(port1), DATABASE_URL: databases[0].url, ...more })
}

function startSecondary(): Promise<RunningServer> {
  return startTestServer({
    PORT: String(port2),
    DATABASE_URL: databases[1].url,
    LATCHKEY_INITIAL_MANAGEMENT_TOKEN: '',
    LATCHKEY_DATACENTER: 'dc2',
    LATCHKEY_PRIMARY_DATACENTER: 'dc1',
    LATCHKEY_PRIMARY_URL: `http://127.0.0.1:${port1}`,
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
    LATCHKEY_PRIMARY_URL: `http://127.0.0.1:${port2}`,
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
