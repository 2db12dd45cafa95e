/** Legacy mode in a secondary datacenter: two databases, two datacenters. Spec 9.2.2. */

import { BLANK_TOKEN } from '@latchkey/acl'
import { freePorts } from '@latchkey/testkit/process/ports'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseEncryptionKeys } from '../src/secrets/encryption-keys.ts'
import { createKeyRing } from '../src/secrets/key-ring.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { openTestStore, putNew } from './store.ts'

const MANAGEMENT = '11111111-2222-4333-8444-555555555555'

const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`

const running: RunningServer[] = []
let databases: Record<'dc1' | 'dc2', TestDatabase>
/** Where the primary answers, whichever process it is. */
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

async function start(datacenter: 'dc1' | 'dc2', node: string, version: string): Promise<RunningServer> {
  const server = await runServer({
    DATABASE_URL: databases[datacenter].url,
    LATCHKEY_SERVICE_VERSION: version,
    LATCHKEY_DATACENTER: datacenter,
    LATCHKEY_NODE_NAME: node,
    LATCHKEY_ENCRYPTION_KEYS: KEYS,
    ...(datacenter === 'dc1'
      ? { PORT: String(primaryPort), LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT }
      : { LATCHKEY_PRIMARY_DATACENTER: 'dc1', LATCHKEY_PRIMARY_URL: `http://127.0.0.1:${primaryPort}` }),
  })
  running.push(server)
  return server
}

const startPrimary = (version: string) => start('dc1', 'one', version)

/** Why the new API of a server does not answer yet; waits until that is as expected. */
const untilAnswer = (server: RunningServer) =>
  expect.poll(
    async () => {
      const replication = await server.call('GET', '/acl/replication')
      if (replication.body.Mode === 'enabled') return 'works'
      return (await server.call('GET', '/acl/tokens', { token: MANAGEMENT })).body
    },
    { timeout: 30_000, interval: 100 },
  )

test('it ends after that of the primary, which must be reachable, and after its own servers support it', async () => {
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

test('once it has ended, no restart and no absence of the primary brings it back', async () => {
  const primary = await startPrimary('1.4.0')
  const secondary = await start('dc2', 'two', '1.4.0')
  await untilAnswer(secondary).toBe('works')
  await Promise.all([primary.stop(), secondary.stop()])
  const again = await start('dc2', 'two', '1.4.0')
  expect((await again.call('GET', '/acl/replication')).body.Mode).toBe('enabled')
})

test('a secondary whose management token no migration will link does not start as 1.11 (decisions: upgrade)', async () => {
  await startPrimary('1.4.0')
  const secondary = await start('dc2', 'two', '1.10')
  await untilAnswer(secondary).toBe('works')
  await secondary.stop()
  // From before its upgrade; now it leaves such writes to the primary.
  const record = { ...BLANK_TOKEN, SecretID: 'old', Type: 'management' } as const
  const store = await openTestStore({
    url: databases.dc2.url,
    ring: createKeyRing(parseEncryptionKeys(KEYS)),
  })
  await store.commit([putNew(record)])
  await store.close()
  await expect(start('dc2', 'two', '1.11')).rejects.toThrow('1 legacy token has rights')
})
