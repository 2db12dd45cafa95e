import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, sql } from '../../../test/database.ts'
import { StartError } from '../../start-error.ts'
import { migrate } from './migrate.ts'

const log = pino({ level: 'silent' })

let directory: string
let database: { readonly url: string }

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'latchkey-migrations-'))
  database = await createTestDatabase({ migrated: false })
  writeMigration('20260101000000_first', 'CREATE TABLE first (n integer);')
})
afterEach(async () => {
  rmSync(directory, { recursive: true })
})

function writeMigration(name: string, sql: string): void {
  mkdirSync(join(directory, name), { recursive: true })
  writeFileSync(join(directory, name, 'migration.sql'), sql)
}

function run(): Promise<readonly string[]> {
  return migrate({ url: database.url, directory, log })
}

const query = (text: string) => sql(database.url, text)

test('applies missing migrations in the order of their names, and none twice', async () => {
  expect(await run()).toEqual(['20260101000000_first'])
  writeMigration('20260103000000_third', 'INSERT INTO second VALUES (3)')
  writeMigration('20260102000000_second', 'CREATE TABLE second (n integer)')
  expect(await run()).toEqual(['20260102000000_second', '20260103000000_third'])
  expect(await run()).toEqual([])
  expect(await query('SELECT n FROM second')).toEqual([{ n: 3 }])
})

test('keeps the same ledger as prisma migrate, including checksums', async () => {
  await run()
  const [row] = await query('SELECT * FROM _prisma_migrations')
  expect(row).toMatchObject({
    // SHA-256 of the file, which is what `prisma migrate deploy` compares.
    checksum: 'c5bbbc901999dbd85e0ca8fe7969b7ae21f6f2eaef731b438e8cf2c1e8eab0c4',
    migration_name: '20260101000000_first',
    logs: null,
    rolled_back_at: null,
    applied_steps_count: 1,
  })
  expect(row?.finished_at).toBeInstanceOf(Date)
})

test('of several servers starting at once, one applies', async () => {
  const applied = await Promise.all([run(), run(), run(), run()])
  expect(applied.flat()).toEqual(['20260101000000_first'])
})

test('a failing migration leaves nothing behind, and reports where it failed', async () => {
  await run()
  writeMigration('20260102000000_bad', 'CREATE TABLE half (n integer);\n\nINSERT INTO nowhere VALUES (1);')
  await expect(run()).rejects.toThrow(
    'The migration 20260102000000_bad failed at line 3: relation "nowhere" does not exist',
  )
  expect(await query("SELECT to_regclass('half') AS half")).toEqual([{ half: null }])
  writeMigration('20260102000000_bad', 'CREATE TABLE half (n integer)')
  expect(await run()).toEqual(['20260102000000_bad'])
})

test('refuses a migration that was changed after it was applied', async () => {
  await run()
  appendFileSync(join(directory, '20260101000000_first', 'migration.sql'), ' ')
  await expect(run()).rejects.toThrow('20260101000000_first was changed after')
})

/**
 * Migrates as a newer server, whose migration is then unknown again. @param marked the oldest version that can run on
 * the schema.
 */
async function migrateAsNewer(marked: string | undefined): Promise<void> {
  const mark = `CREATE TABLE schema_compatibility (migration text, release text);
    INSERT INTO schema_compatibility VALUES ('${marked}', '3.1.0')`
  writeMigration('20260102000000_newer', marked === undefined ? 'SELECT 1' : mark)
  await run()
  rmSync(join(directory, '20260102000000_newer'), { recursive: true })
}

test('UPG-01: refuses a schema that a newer server has migrated, unless its mark says that this one can run on it', async () => {
  await migrateAsNewer(undefined)
  await expect(run()).rejects.toThrow('20260102000000_newer, which this server does not know')
})

test('UPG-01: names the first release that can run on a newer schema', async () => {
  await migrateAsNewer('20260102000000_newer')
  await expect(run()).rejects.toThrow(/20260102000000_newer, which this.*\nStart Latchkey 3\.1\.0 or later/)
})

test('UPG-01: runs on a newer schema whose mark it knows, unless it has a migration of its own', async () => {
  await migrateAsNewer('20260101000000_first')
  expect(await run()).toEqual([])
  writeMigration('20260101000001_own', 'SELECT 1')
  await expect(run()).rejects.toThrow('It lacks 20260101000001_own')
})

test('refuses a migration that the official tool has left failed, until it is marked as rolled back', async () => {
  await run()
  await query('UPDATE _prisma_migrations SET finished_at = NULL')
  await expect(run()).rejects.toThrow('prisma migrate resolve --rolled-back 20260101000000_first')
  await query('UPDATE _prisma_migrations SET rolled_back_at = now(); DROP TABLE first')
  expect(await run()).toEqual(['20260101000000_first'])
})

test('waits for an unreachable database, then names it, without its password', async () => {
  const url = 'postgresql://someone:canary@127.0.0.1:1/tokens'
  const refused = await migrate({ url, directory, log, patienceMs: 300 }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(StartError)
  expect(String(refused)).toContain('someone@127.0.0.1:1/tokens cannot be used: connect ECONNREFUSED')
  expect(String(refused)).not.toContain('canary')
})

test('does not wait if waiting cannot help', async () => {
  const url = database.url.replace('latchkey_test_', 'latchkey_none_')
  await expect(migrate({ url, directory, log, patienceMs: 60_000 })).rejects.toThrow('does not exist')
})

test('a user with all rights on the database but none on its schema is told which statement grants them', async () => {
  const role = `reader_${randomBytes(4).toString('hex')}`
  const url = new URL(database.url)
  const { pathname } = url
  await query(
    `CREATE ROLE ${role} LOGIN PASSWORD 'secret'; GRANT ALL ON DATABASE "${pathname.slice(1)}" TO ${role}`,
  )
  Object.assign(url, { username: role, password: 'secret' })
  const migrateAsRole = () => migrate({ url: url.href, directory, log })
  try {
    const grant = `GRANT USAGE, CREATE ON SCHEMA public TO ${role};`
    const refused = await migrateAsRole().catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(StartError)
    expect(String(refused)).toContain(grant)
    await query(grant)
    expect(await migrateAsRole()).toEqual(['20260101000000_first'])
  } finally {
    await query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  }
})

test('UPG-01: refuses a database of a version before 1.0.0, and says how to carry its data over', async () => {
  writeMigration('20261121000000_store', 'SELECT 1')
  await run()
  rmSync(join(directory, '20261121000000_store'), { recursive: true })
  await expect(run()).rejects.toThrow(/before 1\.0\.0 made this database.*\n.*latchkey-server backup/)
})
