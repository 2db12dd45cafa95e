import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { PACKAGE_FILES } from '../../config/package-files.ts'
import { StartError } from '../../start-error.ts'
import { COMMIT_ROWS_FUNCTION, CREATE_COMMIT_ROWS } from '../commit-rows-function.ts'
import { sqlStateOf } from '../database-error.ts'
import { connectPatiently, type FirstConnectionOptions } from '../start-patiently.ts'

interface MigrateOptions extends FirstConnectionOptions {
  /** Contains `<name>/migration.sql` per migration, applied in the order of the names. Default: the server's own. */
  readonly directory?: string
}

/** The oldest PostgreSQL that the migrations and the statements run on. */
const POSTGRES_VERSION_MIN = 15

/** The advisory lock of `prisma migrate`, so that the official tool and this one exclude each other. */
const LOCK_KEY = 72_707_369
const LOCK_TIMEOUT_MS = 60_000

/** As `prisma migrate` creates it, so that it can take over at any time. */
const CREATE_LEDGER = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`

interface Migration {
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

interface LedgerRow {
  readonly migration_name: string
  readonly checksum: string
  readonly isFinished: boolean
}

/**
 * Migrates a database, each migration in one transaction; several servers may start at once. A newer schema stays if
 * this server can run on it. @returns the names of the migrations applied now. @throws StartError
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const migrations = readMigrations(options.directory ?? PACKAGE_FILES.migrations)
  const client = await connectPatiently(options)
  try {
    await refuseOldPostgres(client)
    await takeLock(client)
    await client.query(CREATE_LEDGER)
    const ledger = await readLedger(client)
    const pending = findPending(migrations, ledger)
    const applied = ledger.map((row) => row.migration_name)
    const known = migrations.map(({ name }) => name)
    const newer = await judgeNewerSchema(client, applied, known)
    if (newer?.refusal) throw new StartError(`${newer.refusal.problem}\n${newer.refusal.todo}`)
    if (newer) {
      const note = 'a newer Latchkey has migrated the database; this version can run on it'
      options.log.warn({ migrations: newer.unknown }, note)
    }
    const isNew = ledger.length === 0
    for (const migration of pending) {
      await apply(client, migration)
      if (!isNew) options.log.info({ migration: migration.name }, 'applied a database migration')
    }
    if (isNew) options.log.info({ migrations: pending.length }, 'created the database schema')
    await createCommitFunction(client)
    return pending.map(({ name }) => name)
  } catch (error) {
    throw (await describeMissingRight(client, error)) ?? error
  } finally {
    // Ending the connection releases the lock.
    await client.end()
  }
}

async function refuseOldPostgres(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`,
  )
  const [version] = rows
  if (version === undefined || Number(version.number) >= POSTGRES_VERSION_MIN * 10_000) return
  throw new StartError(
    `The database is PostgreSQL ${version.name}; Latchkey needs version ${POSTGRES_VERSION_MIN} or later.`,
  )
}

/** Since PostgreSQL 15, a right on a database includes none on its schema `public`. */
async function describeMissingRight(client: pg.Client, error: unknown): Promise<StartError | undefined> {
  const cause = error instanceof StartError ? error.cause : error
  if (sqlStateOf(cause) !== '42501') return undefined
  const { rows } = await client
    .query<{ role: string; database: string; schema: string; can_create: boolean }>(
      `SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database, quote_ident(schema) AS schema,
              has_schema_privilege(schema, 'CREATE') AND has_schema_privilege(schema, 'USAGE') AS can_create
       FROM (SELECT coalesce(current_schema(), 'public') AS schema) AS named`,
    )
    .catch(() => ({ rows: [] }))
  const [found] = rows
  const problem = cause instanceof Error ? cause.message : String(cause)
  if (found === undefined || found.can_create) {
    return new StartError(
      `The database user lacks a right: ${problem}.\nIt must own the tables that an earlier start created.`,
      { cause },
    )
  }
  const { role, database, schema } = found
  return new StartError(
    `The database user ${role} lacks the right to create tables: ${problem}.\n` +
      `Let the owner of the database ${database} run in it:\n  GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role};`,
    { cause },
  )
}

function readMigrations(directory: string): Migration[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(directory, entry.name, 'migration.sql')))
    .map(({ name }) => {
      const file = readFileSync(join(directory, name, 'migration.sql'))
      return { name, sql: file.toString('utf8'), checksum: createHash('sha256').update(file).digest('hex') }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

export function migrationNames(): readonly string[] {
  return readMigrations(PACKAGE_FILES.migrations).map(({ name }) => name)
}

async function takeLock(client: pg.Client): Promise<void> {
  // Building an index may take long; waiting for another process's lock should not.
  await client.query(`SET statement_timeout = 0; SET lock_timeout = ${LOCK_TIMEOUT_MS}`)
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY])
  } catch (cause) {
    if (sqlStateOf(cause) !== '55P03') throw cause
    throw new StartError(
      `Another process has been migrating this database for ${LOCK_TIMEOUT_MS / 1_000} s; start again when it is done`,
      { cause },
    )
  }
}

async function readLedger(client: pg.Client): Promise<LedgerRow[]> {
  const { rows } = await client.query<LedgerRow>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS "isFinished"
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
  )
  return rows
}

function findPending(migrations: readonly Migration[], ledger: readonly LedgerRow[]): readonly Migration[] {
  for (const row of ledger) {
    const { migration_name: name } = row
    const migration = migrations.find((candidate) => candidate.name === name)
    if (!row.isFinished) {
      throw new StartError(
        `The migration ${name} was begun by another tool and has failed.\n` +
          `Repair the database, then run: prisma migrate resolve --rolled-back ${name}`,
      )
    }
    if (migration !== undefined && migration.checksum !== row.checksum) {
      throw new StartError(
        `The migration ${name} was changed after this database had applied it.\n` +
          'Put the file back as it was, and make the change in a new migration.',
      )
    }
  }
  const applied = new Set(ledger.map((row) => row.migration_name))
  return migrations.filter(({ name }) => !applied.has(name))
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('BEGIN')
    await client.query(sql)
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (cause) {
    await client.query('ROLLBACK').catch(() => {})
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new StartError(`The migration ${name} failed${whereIn(sql, cause)}: ${problem}`, { cause })
  }
}

async function createCommitFunction(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_proc WHERE proname = $1', [COMMIT_ROWS_FUNCTION])
  if (rowCount === 0) await client.query(CREATE_COMMIT_ROWS)
}

function whereIn(sql: string, error: unknown): string {
  const position =
    typeof error === 'object' && error !== null && 'position' in error ? Number(error.position) : 0
  return position > 0 ? ` at line ${sql.slice(0, position).split('\n').length}` : ''
}

/** The first and the last migration of the versions before 1.0.0, which later versions do not know. */
const FIRST_BEFORE_RELEASE = '20261121000000_store'
const LAST_BEFORE_RELEASE = '20261204000000_leases_after_failures'

/** Whether migrations are those of the last version before 1.0.0: an archive of it fits the first schema of 1.0.0. */
export function isOfLastBeforeRelease(migrations: readonly string[]): boolean {
  return migrations.at(-1) === LAST_BEFORE_RELEASE
}

/** The mark of a schema: only servers that know this migration can run on it. */
interface CompatibilityMark {
  readonly migration: string
  readonly release: string
}

const BEFORE_RELEASE = {
  problem: 'A version before 1.0.0 made this database, and later versions cannot run on its schema.',
  todo: 'Carry the data over: back it up with that version (latchkey-server backup FILE), start this version with the same encryption keys on an empty database, and restore it (latchkey-server restore FILE).',
} as const

interface NewerSchema {
  readonly unknown: readonly string[]
  readonly refusal: { readonly problem: string; readonly todo: string } | undefined
}

/** Judges a schema by its mark. @returns undefined if this server knows the whole schema. */
export async function judgeNewerSchema(
  client: pg.Client,
  applied: readonly string[],
  known: readonly string[],
): Promise<NewerSchema | undefined> {
  const unknown = applied.filter((name) => !known.includes(name))
  const [first] = unknown
  if (first === undefined) return undefined
  if (first === FIRST_BEFORE_RELEASE) return { unknown, refusal: BEFORE_RELEASE }
  const newer = `The database has the migration ${first}, which this server does not know: a newer server has used it.`
  const mark = await readMark(client)
  if (mark === undefined || !known.includes(mark.migration)) {
    const oldest = mark === undefined ? 'that version' : `Latchkey ${mark.release}`
    const todo = `Start ${oldest} or later; going back needs an earlier backup.`
    return { unknown, refusal: { problem: newer, todo } }
  }
  const missing = known.find((name) => !applied.includes(name))
  if (missing === undefined) return { unknown, refusal: undefined }
  const problem = `${newer} It lacks ${missing}, so neither version follows the other.`
  return { unknown, refusal: { problem, todo: 'Start a version that has both.' } }
}

async function readMark(client: pg.Client): Promise<CompatibilityMark | undefined> {
  const { rows: tables } = await client.query<{ name: string | null }>(
    `SELECT to_regclass('schema_compatibility')::text AS name`,
  )
  if (!tables[0]?.name) return undefined
  const { rows } = await client.query<CompatibilityMark>(
    'SELECT migration, release FROM schema_compatibility',
  )
  return rows[0]
}
