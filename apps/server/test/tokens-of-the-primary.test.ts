/** Secondaries that do not replicate tokens, one with each down policy, while the primary is away. Decisions: tokens of the primary. */
import { freePorts } from '@latchkey/testkit/process/ports'
import type { RunningServer } from '@latchkey/testkit/process/server-process'
import { expect, test } from 'vitest'
import { askDatabase } from './cluster/harness/server-group.ts'
import { createTestDatabase } from './database.ts'
import { startTestServer } from './server.ts'
import { MANAGEMENT } from './shared-env.ts'

const REPLICATION = '22222222-2222-4333-8444-555555555555'
/** An answer of the primary is cached for 30 s. SIGUSR2 makes a process believe that 40 s have passed. */
const JUMP = `const now = performance.now.bind(performance); let by = 0
  performance.now = () => now() + by; process.on('SIGUSR2', () => { by += 40000 })`
const POLICIES = ['extend-cache', 'async-cache', 'deny'] as const

const databases = await Promise.all([createTestDatabase(), createTestDatabase()])
const [port = 0] = await freePorts(1)
let dc1 = await startPrimary()
const GLOBAL_MANAGEMENT = [{ Name: 'global-management' }]
await ask('PUT', '/acl/token', { SecretID: REPLICATION, Policies: GLOBAL_MANAGEMENT })
await ask('PUT', '/acl/policy', { Name: 'reader', Rules: 'key_prefix "" { policy = "read" }' })
const secondaries = await Promise.all(POLICIES.map(startSecondary))

function startPrimary(): Promise<RunningServer> {
  return startTestServer({ PORT: String(port), DATABASE_URL: databases[0].url })
}

function startSecondary(policy: string): Promise<RunningServer> {
  return startTestServer({
    LATCHKEY_NODE_NAME: policy,
    DATABASE_URL: databases[1].url,
    LATCHKEY_INITIAL_MANAGEMENT_TOKEN: '',
    LATCHKEY_DATACENTER: 'dc2',
    LATCHKEY_PRIMARY_DATACENTER: 'dc1',
    LATCHKEY_PRIMARY_URL: `http://127.0.0.1:${port}`,
    LATCHKEY_REPLICATION_TOKEN: REPLICATION,
    LATCHKEY_TOKEN_REPLICATION: 'off',
    LATCHKEY_DOWN_POLICY: policy,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(JUMP)}`,
  })
}

async function ask(method: string, path: string, body?: unknown) {
  const answer = await dc1.call(method, path, { token: MANAGEMENT, body })
  expect(answer, `${method} ${path}`).toMatchObject({ status: 200 })
  return answer.body
}

/** In the order of the policies: 404 for a secret that may read a key, 403 for others. */
const answers = (token: string) =>
  expect.poll(() =>
    Promise.all(secondaries.map(async (server) => (await server.call('GET', '/kv/key', { token })).status)),
  )

const letAnswersAge = () => secondaries.map((server) => server.process.kill('SIGUSR2'))

test('tokens are looked up in the primary and not stored; while it is away, the down policy decides how long its last answers apply', async () => {
  for (const server of secondaries) {
    await expect
      .poll(async () => (await server.call('GET', '/acl/replication')).body)
      .toMatchObject({ State: 'following', ReplicationType: 'policies' })
  }
  const Policies = [{ Name: 'reader' }]
  const known = await ask('PUT', '/acl/token', { Policies })
  const unused = await ask('PUT', '/acl/token', { Policies })
  await answers(known.SecretID).toEqual([404, 404, 404])
  expect(await askDatabase(databases[1].url, 'SELECT count(*)::int AS count FROM token')).toEqual([
    { count: 0 },
  ])
  const local = await secondaries[0]?.call('PUT', '/acl/token', { token: MANAGEMENT, body: { Local: true } })
  expect(local).toEqual({ status: 400, body: 'Local tokens are disabled' })

  await dc1.stop('SIGKILL')
  await answers(known.SecretID).toEqual([404, 404, 404])
  letAnswersAge()
  await answers(known.SecretID).toEqual([404, 404, 403])
  await answers(unused.SecretID).toEqual([403, 403, 403])

  dc1 = await startPrimary()
  await answers(known.SecretID).toEqual([404, 404, 404])
  await ask('DELETE', `/acl/token/${known.AccessorID}`)
  letAnswersAge()
  await answers(known.SecretID).toEqual([403, 403, 403])
})
