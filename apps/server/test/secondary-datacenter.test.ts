/** Legacy mode in a secondary datacenter: two databases, two datacenters. Spec 9.2.2. */

import { BLANK_TOKEN } from '@latchkey/acl'
import { freePorts } from '@latchkey/testkit/process/ports'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseEncryptionKeys } from '../src/secrets/encryption-keys.ts'
import { createKeyRing } from '../src/secrets/key-ring.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { ENCRYPTION_KEYS, MANAGEMENT } from './shared-env.ts'
import { openTestStore, putNew } from './store.ts'

const running: RunningServer[] = []
let databases: Record<'dc1' | 'dc2', TestDatabase>
/** The address of the primary, whichever process answers. */
let primaryPort: number

beforeEach(async () => {
  databases = { dc1: await createTestDatabase(), dc2: await createTestDatabase() }
  const [port = 0] = await freePorts(1)
  primaryPort = port
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')))
  await Promise.all(Object.values(databases).map((database) => database.drop()))
})

async function start(
  datacenter: 'dc1' | 'dc2',
  node: string,
  version: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const server = await runServer({
    DATABASE_URL: databases[datacenter].url,
    LATCHKEY_SERVICE_VERSION: version,
    LATCHKEY_DATACENTER: datacenter,
    LATCHKEY_NODE_NAME: node,
    LATCHKEY_ENCRYPTION_KEYS: ENCRYPTION_KEYS,
    ...(datacenter === 'dc1'
      ? { PORT: String(primaryPort), LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT }
      : { LATCHKEY_PRIMARY_DATACENTER: 'dc1', LATCHKEY_PRIMARY_URL: `http://127.0.0.1:${primaryPort}` }),
    ...settings,
  })
  running.push(server)
  return server
}

const startPrimary = (version: string) => start('dc1', 'one', version)

/** Why a server's new API does not answer yet; waits until the reason is as expected. */
const untilAnswer = (server: RunningServer) =>
  expect.poll(
    async () => {
      const replication = await server.call('GET', '/acl/replication')
      if (replication.body.Mode === 'enabled') return 'works'
      return (await server.call('GET', '/acl/tokens', { token: MANAGEMENT })).body
    },
    { timeout: 30_000, interval: 100 },
  )

test('legacy mode ends after it ended in the reachable primary, and after all servers here support the new system', async () => {
  const oldPrimary = await startPrimary('1.3.0')
  const oldSecondary = await start('dc2', 'two', '1.3.0')
  const secondary = await start('dc2', 'three', '1.4.0')
  const legacy = 'The ACL system is currently in legacy mode. It waits for'
  const ownServer = 'server two of dc2 (version 1.3.0) to run 1.4.0 or later, or to leave'
  const primary = `server http://127.0.0.1:${primaryPort} of dc1 in the primary datacenter to leave legacy mode`
  await untilAnswer(secondary).toBe(`${legacy} ${ownServer}; ${primary}.`)
  await oldPrimary.stop()
  await untilAnswer(secondary).toBe(`${legacy} ${ownServer}; the primary datacenter dc1 to be reachable.`)
  await oldSecondary.stop('SIGQUIT')
  await untilAnswer(secondary).toBe(`${legacy} the primary datacenter dc1 to be reachable.`)

  const newPrimary = await startPrimary('1.4.0')
  await untilAnswer(newPrimary).toBe('works')
  await untilAnswer(secondary).toBe('works')
  const endOf = (server: RunningServer) => {
    const line = server.log.find((text) => text.includes('legacy mode has ended'))
    return line === undefined ? undefined : Date.parse(JSON.parse(line).time)
  }
  // The log is written a little later.
  await expect.poll(() => [endOf(secondary), endOf(newPrimary)]).not.toContain(undefined)
  expect(endOf(secondary)).toBeGreaterThan(endOf(newPrimary) ?? Number.POSITIVE_INFINITY)
})

test('copies of legacy tokens get the accessors of the primary, and no copy outlives its token (spec 9.2.3)', async () => {
  const dump = ['one', 'two', 'gone'].map((ID) => ({
    ID,
    Name: ID,
    Type: 'client',
    Rules: 'key "a" { policy = "write" }',
  }))
  const settings = { LATCHKEY_REPLICATION_TOKEN: MANAGEMENT }
  const oldPrimary = await startPrimary('1.3.0')
  const oldSecondary = await start('dc2', 'two', '1.3.0', {
    ...settings,
    LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT,
  })
  for (const server of [oldPrimary, oldSecondary]) {
    const imported = await server.call('PUT', '/internal/acl/legacy-tokens', {
      token: MANAGEMENT,
      body: dump,
    })
    expect(imported.body).toMatchObject({ Imported: 3 })
  }
  const writes = async (server: RunningServer, token: string) =>
    (await server.call('PUT', '/kv/a', { token, body: 'x' })).status
  expect(await writes(oldSecondary, 'one')).toBe(200)
  await oldSecondary.stop()
  const secondary = await start('dc2', 'two', '1.4.0', settings)
  expect((await secondary.call('GET', '/acl/replication')).body).toMatchObject({ ReplicationType: 'legacy' })
  // In legacy mode nothing is replicated.
  await oldPrimary.call('PUT', '/acl/destroy/gone', { token: MANAGEMENT })
  expect([await writes(secondary, 'one'), await writes(secondary, 'gone')]).toEqual([200, 200])
  await oldPrimary.stop()

  const primary = await startPrimary('1.4.0')
  const accessors = async (server: RunningServer) => {
    const { status, body } = await server.call('GET', '/acl/tokens', { token: MANAGEMENT })
    if (status !== 200) return body
    return body
      .map((token: { SecretID: string; AccessorID: string }) => [token.SecretID, token.AccessorID])
      .sort()
  }
  const patience = { timeout: 30_000, interval: 100 }
  await expect.poll(() => writes(secondary, 'gone'), patience).toBe(403)
  expect(await accessors(secondary)).toEqual(await accessors(primary))
  expect((await accessors(secondary)).flat()).not.toContain('')
  expect([await writes(secondary, 'one'), await writes(secondary, 'two')]).toEqual([200, 200])
  expect((await secondary.call('GET', '/acl/replication')).body).toMatchObject({ ReplicationType: 'tokens' })
  const { body } = await secondary.call('GET', '/internal/acl/migration', { token: MANAGEMENT })
  expect(body.State).toBe('done')
})

test('a new secondary whose primary was never reachable asks clients to wait; later, legacy mode never returns', async () => {
  const secondary = await start('dc2', 'two', '1.4.0', { LATCHKEY_REPLICATION_TOKEN: MANAGEMENT })
  const stranger = '33333333-2222-4333-8444-555555555555'
  const ask = async (secret: string, path = '/kv/?recurse') => {
    const headers = { 'X-Service-Token': secret, Accept: 'application/problem+json' }
    const response = await fetch(`${secondary.url}/v1${path}`, { headers })
    const { code } = (await response.json()) as { readonly code: string }
    return [response.status, code, response.headers.get('retry-after')]
  }
  const wait = [503, 'copy_incomplete', '1']
  for (const path of ['/acl/token/self', '/kv/?recurse']) {
    expect([await ask(MANAGEMENT, path), await ask(stranger, path)]).toEqual([wait, wait])
  }

  const primary = await startPrimary('1.4.0')
  await untilAnswer(secondary).toBe('works')
  const patience = { timeout: 30_000, interval: 100 }
  await expect.poll(() => ask(MANAGEMENT), patience).toEqual([404, 'not_found', null])
  expect(await ask(stranger)).toEqual([403, 'caller_unknown', null])
  await Promise.all([primary.stop(), secondary.stop()])
  const again = await start('dc2', 'two', '1.4.0')
  expect((await again.call('GET', '/acl/replication')).body.Mode).toBe('enabled')
})

test('a secondary whose management token no migration will link does not start as 1.11 (decisions: upgrade)', async () => {
  await startPrimary('1.4.0')
  const secondary = await start('dc2', 'two', '1.10')
  await untilAnswer(secondary).toBe('works')
  await secondary.stop()
  // Created before its upgrade; now the secondary leaves such writes to the primary.
  const record = { ...BLANK_TOKEN, SecretID: 'old', Type: 'management' } as const
  const store = await openTestStore({
    url: databases.dc2.url,
    ring: createKeyRing(parseEncryptionKeys(ENCRYPTION_KEYS)),
  })
  // A new secondary creates no tokens, not even the anonymous one.
  expect(await store.countTokens({})).toBe(0)
  await store.commit([putNew(record)])
  await store.close()
  await expect(start('dc2', 'two', '1.11')).rejects.toThrow('1 legacy token has rights')
})
