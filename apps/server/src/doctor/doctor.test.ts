import { mkdirSync } from 'node:fs'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { atEndOfFile } from '../../test/end-of-file.ts'
import { openTestStore, testKey, testRing } from '../../test/store.ts'
import { examine } from './doctor.ts'

const dataDir = temporaryFolder('doctor')
mkdirSync(dataDir, { recursive: true })
const database = await createTestDatabase()
await openTestStore({ url: database.url, ring: testRing('active') })
const client = new pg.Client({ connectionString: database.url })
await client.connect()
atEndOfFile(() => client.end())

function examineWith(env: Readonly<Record<string, string>> = {}): ReturnType<typeof examine> {
  const own = {
    DATABASE_URL: database.url,
    LATCHKEY_ENCRYPTION_KEYS: testKey('active'),
    LATCHKEY_DATA_DIR: dataDir,
  }
  return examine({ ...own, ...env })
}

/** Failed findings, as `what: found`. */
async function failures(env?: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return (await examineWith(env))
    .filter(({ level }) => level === 'fail')
    .map(({ what, found }) => `${what}: ${found}`)
}

test('names the settings of the database that lose writes, and nothing else on a healthy server', async () => {
  // The tests run without durability.
  expect(await failures()).toEqual([
    'database: fsync is off',
    'database: full_page_writes is off',
    'database: synchronous_commit is off',
  ])
  const found = (await examineWith()).map(({ what }) => what)
  expect(found).toEqual(expect.arrayContaining(['settings', 'disk', 'clock', 'schema', 'keys', 'servers']))
})

test('names a missing or different key by its id only', async () => {
  const keys = async (LATCHKEY_ENCRYPTION_KEYS: string) =>
    (await examineWith({ LATCHKEY_ENCRYPTION_KEYS })).find(({ what }) => what === 'keys')
  expect(await keys(testKey('other'))).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('active: it is missing'),
  })
  const wrong = `active:${Buffer.alloc(32, 1).toString('base64')}`
  expect(await keys(wrong)).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('active: it differs'),
  })
})

test('warns if the database has too few connections for all workers', async () => {
  const warnings = async (LATCHKEY_WORKERS: string) =>
    (await examineWith({ LATCHKEY_WORKERS })).filter(({ found }) => found.startsWith('max_connections'))
  expect(await warnings('1')).toEqual([])
  expect(await warnings('64')).toMatchObject([{ what: 'database', level: 'warn' }])
})

test('names bad settings, and a database that does not answer', async () => {
  expect((await failures({ LATCHKEY_EDITION: 'x' }))[0]).toMatch(/^settings: .*LATCHKEY_EDITION/s)
  expect(await failures({ DATABASE_URL: 'postgresql://me:secret@127.0.0.1:1/x' })).toEqual([
    expect.stringMatching(/^database: me@127\.0\.0\.1:1\/x: /),
  ])
})

test('UPG-01: names a schema of a newer version, and fails if this one cannot run on it', async () => {
  const schema = async () => (await examineWith()).find(({ what }) => what === 'schema')
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '20990101_later', now())`,
  )
  expect(await schema()).toMatchObject({ level: 'ok', found: expect.stringMatching(/^20990101_later/) })
  await client.query(`UPDATE schema_compatibility SET migration = '20990101_later', release = '9.0.0'`)
  expect(await schema()).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('20990101_later'),
    todo: expect.stringContaining('Latchkey 9.0.0'),
  })
  await client.query(`DELETE FROM _prisma_migrations WHERE id = 'x'`)
})
