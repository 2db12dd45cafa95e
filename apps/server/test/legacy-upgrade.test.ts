/** The upgrade to 1.4.0 of spec 9.2, on real processes that share one database. */
import { randomUUID } from 'node:crypto'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { MANAGEMENT, SERVER_ENV } from './shared-env.ts'

/** Two of these are created by the first server itself: the anonymous and the management token. */
const BUILTIN_TOKENS = 2
const BATCH_SIZE_MAX = 128

const running: RunningServer[] = []
let database: TestDatabase | undefined

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')))
  await database?.drop()
  database = undefined
})

async function start(version: string, env: Record<string, string> = {}): Promise<RunningServer> {
  database ??= await createTestDatabase()
  const server = await runServer({
    DATABASE_URL: database.url,
    LATCHKEY_SERVICE_VERSION: version,
    ...SERVER_ENV,
    LATCHKEY_NODE_NAME: `node-${running.length}`,
    LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0',
    ...env,
  })
  running.push(server)
  return server
}

interface LegacyToken {
  readonly ID: string
  readonly Name: string
  readonly Type: 'client' | 'management'
  readonly Rules: string
}

function aDump(count: number): LegacyToken[] {
  return Array.from({ length: count }, (_, i) => ({
    ID: randomUUID(),
    Name: `legacy ${i}`,
    Type: i % 10 === 0 ? 'management' : 'client',
    Rules: i % 10 === 0 ? '' : `key "app/${i % 7}/" { policy = "${i % 2 === 0 ? 'write' : 'read'}" }`,
  }))
}

/** The rights of a secret, tested on the key-value store, which every version has. */
async function rights(server: RunningServer, secret: string): Promise<string> {
  const statuses: number[] = []
  for (let i = 0; i < 7; i += 1) {
    statuses.push((await server.call('GET', `/kv/app/${i}/x`, { token: secret })).status)
    statuses.push((await server.call('PUT', `/kv/app/${i}/x`, { token: secret, body: 'x' })).status)
  }
  return statuses.join(' ')
}

/** When batches became visible, and their sizes, from the database's own commit log. */
async function readBatches(
  url: string,
): Promise<{ tokens: number; batches: number; withoutAccessor: number; accessors: number }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const tokens = await client.query('SELECT count(*)::int AS n FROM token')
    const without = await client.query('SELECT count(*)::int AS n FROM token WHERE accessor_key IS NULL')
    const accessors = await client.query('SELECT count(DISTINCT accessor_key)::int AS n FROM token')
    const groups = await client.query('SELECT count(DISTINCT modify_index)::int AS n FROM token')
    return {
      tokens: tokens.rows[0].n,
      batches: groups.rows[0].n,
      withoutAccessor: without.rows[0].n,
      accessors: accessors.rows[0].n,
    }
  } finally {
    await client.end()
  }
}

/** The answer of a server's new API; waits until it is as expected. */
const untilAnswer = (server: RunningServer) =>
  expect.poll(
    async () => {
      const { status, body } = await server.call('GET', '/acl/tokens', { token: MANAGEMENT })
      return `${status} ${body}`
    },
    { timeout: 120_000, interval: 100 },
  )

async function until(what: string, holds: () => Promise<boolean>, timeoutMs = 120_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** When the server that committed a batch logged it. */
function batchLines(): { at: number; tokens: number }[] {
  return running
    .flatMap((server) => server.log)
    .filter((line) => line.includes('"accessor batch"'))
    .map((line) => JSON.parse(line))
    .map(({ time, tokens }) => ({ at: Date.parse(time), tokens }))
    .sort((a, b) => a.at - b.at)
}

test('three servers at 1.3.0 are replaced one by one: legacy mode ends once, after the third, and the limits of batches hold (MIG-01, spec 9.2)', async () => {
  const dump = aDump(300)
  const [a, b, c] = [await start('1.3.0'), await start('1.3.0'), await start('1.3.0')]
  const imported = await a.call('PUT', '/internal/acl/legacy-tokens', { token: MANAGEMENT, body: dump })
  expect(imported.body).toMatchObject({ Imported: 300, Unchanged: 0 })
  const client = dump[1] as LegacyToken
  const manager = dump[0] as LegacyToken
  for (let i = 0; i < 7; i += 1) await a.call('PUT', `/kv/app/${i}/x`, { token: MANAGEMENT, body: 'x' })
  const before = [await rights(b, client.ID), await rights(b, manager.ID)]
  expect((await b.call('GET', '/acl/tokens', { token: MANAGEMENT })).status).toBe(404)

  const replacements: RunningServer[] = []
  for (const [i, old] of [a, b, c].entries()) {
    await old.stop()
    // Until its successor has started, a stopped server may return unchanged, so it still blocks the end of legacy mode.
    if (replacements[0] !== undefined)
      await untilAnswer(replacements[0]).toMatch(
        RegExp(
          `^403 The ACL system is currently in legacy mode.* node-${i} of dc1 \\(version 1.3.0, stopped\\)`,
        ),
      )
    replacements.push(await start('1.4.0', { LATCHKEY_NODE_NAME: `node-${i}` }))
  }
  const [first, second] = replacements as [RunningServer, RunningServer]
  await until(
    'legacy mode has ended',
    async () => (await first.call('GET', '/acl/tokens', { token: MANAGEMENT })).status === 200,
  )
  const edited = dump[299] as LegacyToken
  await second.call('PUT', '/acl/update', {
    token: MANAGEMENT,
    body: { ...edited, Name: 'edited during the migration' },
  })
  await until('all tokens have an accessor', async () => {
    const { body } = await first.call('GET', '/internal/acl/migration', { token: MANAGEMENT })
    return body.State === 'done'
  })

  const state = await readBatches(database?.url ?? '')
  expect(state).toMatchObject({
    tokens: 300 + BUILTIN_TOKENS,
    withoutAccessor: 0,
    accessors: 300 + BUILTIN_TOKENS,
  })
  await until(
    'all batches are logged',
    async () => batchLines().reduce((sum, batch) => sum + batch.tokens, 0) === 302,
  )
  const batches = batchLines()
  expect(batches.length).toBeGreaterThanOrEqual(Math.ceil(302 / BATCH_SIZE_MAX))
  for (const [i, batch] of batches.entries()) {
    expect(batch.tokens).toBeLessThanOrEqual(BATCH_SIZE_MAX)
    if (i > 0) expect(batch.at - (batches[i - 1]?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
  }
  const ended = running
    .flatMap((server) => server.log)
    .filter((line) => line.includes('legacy mode has ended'))
  expect(ended).toHaveLength(1)
  expect([await rights(second, client.ID), await rights(second, manager.ID)]).toEqual(before)
  const self = await second.call('GET', '/acl/token/self', { token: edited.ID })
  expect(self.body).toMatchObject({
    Description: 'edited during the migration',
    CreateTime: '0001-01-01T00:00:00Z',
  })
})

test('a killed migrating server is replaced and the limits of batches still hold (MIG-02)', async () => {
  // Enough batches that some are left when a busy machine gets around to the kill.
  const dump = aDump(1_920)
  const old = await start('1.3.0')
  await old.call('PUT', '/internal/acl/legacy-tokens', { token: MANAGEMENT, body: dump })
  // SIGQUIT makes the old server leave the cluster, because its successors have other names.
  await old.stop('SIGQUIT')
  const servers = [await start('1.4.0'), await start('1.4.0')]
  await until('two batches', async () => batchLines().length >= 2)
  const migrating = servers.find((server) => server.log.some((line) => line.includes('"accessor batch"')))
  const killedAt = Date.now()
  await migrating?.stop('SIGKILL')
  await until('another server continues', async () => batchLines().some(({ at }) => at > killedAt))
  const survivor = servers.find((server) => server !== migrating) as RunningServer
  await until(
    'done',
    async () =>
      (await survivor.call('GET', '/internal/acl/migration', { token: MANAGEMENT })).body.State === 'done',
  )
  const state = await readBatches(database?.url ?? '')
  expect(state).toMatchObject({ tokens: 1_922, withoutAccessor: 0, accessors: 1_922 })
  const batches = batchLines()
  for (const [i, batch] of batches.entries()) {
    if (i > 0) expect(batch.at - (batches[i - 1]?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
  }
})

test('a version before 1.4.0 does not start on upgraded data, and says why (spec 9.2.5)', async () => {
  await start('1.4.0')
  await expect(start('1.3.0')).rejects.toThrow('there is no way back')
})

test('1.11 does not start while tokens have only legacy rules, unless configured to do so (decisions: upgrade)', async () => {
  const server = await start('1.10')
  await server.call('PUT', '/acl/create', {
    token: MANAGEMENT,
    body: { Name: 'old', Rules: 'key "a" { policy = "read" }' },
  })
  await server.stop()
  await expect(start('1.11')).rejects.toThrow('LATCHKEY_ALLOW_UNCONVERTED_LEGACY')
  const told = await start('1.11', { LATCHKEY_ALLOW_UNCONVERTED_LEGACY: 'true' })
  expect((await told.call('GET', '/acl/list', { token: MANAGEMENT })).status).toBe(410)
})
