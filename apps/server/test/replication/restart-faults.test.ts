/**
 * Faults of datacenters that restart, are restored or are rebuilt: two datacenters with TLS between them. The clock of the
 * secondary's processes is always five minutes ahead. Ids are those of docs/reliability.md.
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runServer } from '@latchkey/testkit/process/server-process'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { afterAll, afterEach, expect, inject, onTestFinished, test } from 'vitest'
import { askDatabase } from '../cluster/harness/server-group.ts'
import { createDatabase, createTestDatabase, dropDatabase, urlOfDatabase } from '../database.ts'
import { startDatabaseProxy } from '../database-proxy.ts'
import { atEndOfFile } from '../end-of-file.ts'
import { Authority } from '../login/certificates.ts'
import { openSkewedClock } from '../skewed-clock.ts'
import { untilEqual } from './datacenter.ts'
import { type Secondary, startFleet } from './fleet.ts'
import { proveKills } from './prove-cuts.ts'
import { openTlsFront, type TlsFront } from './tls-front.ts'

const HERE = '127.0.0.1'
/** Sets a process's clock five minutes ahead before any of our code is loaded. */
const AHEAD = `const Right = Date, now = () => Right.now() + 300000;
  globalThis.Date = class Date extends Right { constructor(...args) { super(...(args.length ? args : [now()])) } static now() { return now() } }`

const authority = new Authority()
const databases = await Promise.all([createTestDatabase(), createTestDatabase()])
/** In front of the database of dc2. */
const proxy = await startDatabaseProxy(databases[1].url)
const ca = join(temporaryFolder('faults'), 'ca.pem')
writeFileSync(ca, await authority.certificate())
let front: TlsFront | undefined
const fleet = await startFleet([databases[0].url, proxy.url], async ({ url }) => {
  front = await openTlsFront(url, await authority.serverOptions(HERE))
  return {
    LATCHKEY_PRIMARY_URL: front.url,
    LATCHKEY_REPLICATION_CA: ca,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(AHEAD)}`,
  }
})
const dc1 = fleet.primary
const secondary = fleet.secondaries[0] as Secondary
/** The link leads from dc2 to dc1, inside the TLS connection. */
const { datacenter: dc2, link } = secondary
const synced = () => untilEqual(dc1, dc2)
await synced()
afterEach(() => link.heal())
afterAll(async () => {
  await fleet.close()
  await front?.close()
  await proxy.close()
})

const createPolicy = (Name: string): Promise<{ ID: string }> => dc1.ok('PUT', '/acl/policy', { Name })
const createToken = (fields: object = {}): Promise<{ AccessorID: string; SecretID: string }> =>
  dc1.ok('PUT', '/acl/token', fields)

test('REP-11: a certificate that expired, is for another host, or from another CA: nothing is sent, and the status gives the reason', async () => {
  const good = await authority.serverOptions(HERE)
  const bad = [
    [await authority.serverOptions(HERE, new Date(Date.now() - 60_000)), /expired/i],
    [await authority.serverOptions('127.0.0.2'), /altname/i],
    [await new Authority().serverOptions(HERE), /cert|signature/i],
  ] as const
  for (const [certificate, reason] of bad) {
    front?.present(certificate)
    const before = link.connections
    await expect.poll(async () => (await dc2.replication()).LastErrorMessage).toMatch(reason)
    expect(link.connections).toBe(before)
    front?.present(good)
    await createPolicy(`after ${before} connections`.replaceAll(' ', '-'))
    await synced()
  }
})

test('REP-19: processes whose clock is ahead replicate, and expire no token early', async () => {
  const { SecretID } = await createToken({ ExpirationTTL: '120s' })
  await synced()
  expect(await Promise.all([dc1, dc2].map((datacenter) => datacenter.statusOf(SecretID)))).toEqual([200, 200])
  expect(dc2.server.log.join()).toContain('"aheadMs"')
})

test('REP-19: the clock of the database is 57 s ahead: the secondary starts and follows, and tokens expire by that clock', async () => {
  const clock = await openSkewedClock(databases[1]?.url ?? '')
  onTestFinished(() => clock.close())
  await dc2.stop()
  await clock.skew(57_000)
  await dc2.start()
  const { SecretID } = await createToken({ ExpirationTTL: '60s' })
  await synced()
  await expect.poll(() => dc2.statusOf(SecretID)).toBe(403)
  expect(await dc1.statusOf(SecretID)).toBe(200)
  await dc2.stop()
  await clock.skew(0)
  await dc2.start()
  await synced()
})

test('REP-01, REP-25: the primary is killed and the secondary restarts: it decides, writes its own records, and follows again', async () => {
  const { SecretID } = await createToken({ Description: 'known' })
  await synced()
  const local = await dc2.ok('PUT', '/acl/token', { Local: true })
  await dc1.stop()
  const throughFront = dc2.env.LATCHKEY_PRIMARY_URL ?? ''
  // The front still accepts connections, so the outcome of the write is unknown.
  for (const [url, status] of [
    [throughFront, 504],
    [dc1.url, 503],
  ] as const) {
    if (url !== throughFront) {
      await dc2.stop()
      dc2.env.LATCHKEY_PRIMARY_URL = url
      await dc2.start()
    }
    const secrets = [SecretID, local.SecretID]
    expect(await Promise.all(secrets.map((secret) => dc2.statusOf(secret)))).toEqual([200, 200])
    expect((await dc2.call('PUT', '/acl/token', { Local: true })).status).toBe(200)
    const startedAt = performance.now()
    expect((await dc2.call('PUT', '/acl/policy', { Name: 'nowhere' })).status).toBe(status)
    expect(performance.now() - startedAt).toBeLessThan(9_000)
    expect((await dc2.call('GET', '/acl/tokens')).status).toBe(200)
  }
  await dc1.start()
  await createPolicy('after-the-return')
  await synced()
  dc2.env.LATCHKEY_PRIMARY_URL = throughFront
  await dc2.stop()
  await dc2.start()
})

test('REP-05, REP-26: the secondary dies while it writes an answer, and starts with another key: nothing twice, nothing lost', async () => {
  const newer = `newer:${Buffer.alloc(32, 9).toString('base64')}`
  dc2.env.LATCHKEY_ENCRYPTION_KEYS = `${newer},${dc2.env.LATCHKEY_ENCRYPTION_KEYS}`
  const result = await proveKills({ primary: dc1, secondary, proxy, pieces: [2, 5] })
  expect(result).toEqual({ kills: 2, different: [], wrong: [] })
})

test('REP-03, REP-09: after a day apart, in which the log was pruned, all records are equal and deleted tokens are refused', async () => {
  const tokens = await Promise.all(
    Array.from({ length: 5 }, (_, n) => createToken({ Description: `day ${n}` })),
  )
  await synced()
  link.cause({ kind: 'refuse' })
  const [gone, ...kept] = tokens
  await dc1.ok('DELETE', `/acl/token/${gone?.AccessorID}`)
  const added = await createToken({ Description: 'that day' })
  await askDatabase(dc1.databaseUrl, `DELETE FROM change; UPDATE commit_index SET pruned = index`)
  expect(await dc2.statusOf(gone?.SecretID ?? '')).toBe(200)
  link.heal()
  await synced()
  expect(await dc2.statusOf(gone?.SecretID ?? '')).toBe(403)
  for (const { SecretID } of [...kept, added]) expect(await dc2.statusOf(SecretID)).toBe(200)
})

test('REP-14: of two processes that both replicate, the fenced one changes nothing', async () => {
  const second = await runServer({ ...dc2.env, PORT: '0', LATCHKEY_NODE_NAME: 'dc2-second' })
  onTestFinished(() => second.stop('SIGKILL'))
  await createPolicy('before-the-pause')
  await synced()
  dc2.server.process.kill('SIGSTOP')
  // Ends the database session of the leader, as a firewall would.
  await askDatabase(
    dc2.databaseUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'latchkey-feed' AND datname = current_database()`,
  )
  const { ID } = await createPolicy('during-the-pause')
  await expect
    .poll(
      async () =>
        (await second.call('GET', `/acl/policy/${ID}`, { token: '22222222-2222-4333-8444-555555555555' }))
          .status,
    )
    .toBe(200)
  dc2.server.process.kill('SIGCONT')
  await createPolicy('after-the-pause')
  await synced()
})

test('REP-07: the primary is restored from a backup: the secondary goes back with it', async () => {
  const backup = `latchkey_backup_${randomBytes(6).toString('hex')}`
  const restored = urlOfDatabase(inject('maintenanceUrl'), backup)
  await dc1.stop()
  await createDatabase(inject('maintenanceUrl'), backup, new URL(dc1.databaseUrl).pathname.slice(1))
  atEndOfFile(() => dropDatabase(inject('maintenanceUrl'), backup))
  await dc1.start()
  const lost = await createToken({ Description: 'after the backup' })
  await synced()
  await dc1.stop()
  dc1.env.DATABASE_URL = restored
  await dc1.start()
  await synced()
  expect(await dc2.statusOf(lost.SecretID)).toBe(403)
})
