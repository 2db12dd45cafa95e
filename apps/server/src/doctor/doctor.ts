/** `latchkey-server doctor`: runs the checks of a start and some more, and prints what to do. It changes nothing. */
import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import pg from 'pg'
import { print } from '../cli/print.ts'
import { checkFiles } from '../config/check-files.ts'
import { type Config, describeDatabase, loadConfig } from '../config/config.ts'
import { shareOf } from '../config/workers.ts'
import { judgeNewerSchema, migrationNames } from '../database/schema/migrate.ts'
import { loadKeyFile } from '../secrets/encryption-keys.ts'
import { assertRingOpens, createKeyRing } from '../secrets/key-ring.ts'
import { SAMPLE_CONTEXT } from '../storage/keys/open-secrets.ts'
import { readListenerTls } from '../tls/listener-tls.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  readonly what: string
  readonly found: string
  /** What to do; absent if there is nothing to do. */
  readonly todo?: string
}

/** Finds nothing if what it checks is fine. @throws Error with what is wrong. */
type Check = () => Promise<readonly Omit<Finding, 'what'>[]>

const EXIT_FAILED = 1
const CONNECT_MS = 5_000
const GIB = 1024 ** 3
const DISK_BYTES_WARN = 5 * GIB
const DISK_BYTES_FAIL = GIB / 2
/** A connection takes a file, and blocking queries keep many connections open. */
const FILES_MIN = 4_096
const DAY_MS = 86_400_000
const EXPIRY_DAYS_WARN = 30
const CLOCK_MS_WARN = 1_000
const CLOCK_MS_FAIL = 60_000

/** @returns the exit code: 0 if nothing failed, though there may be warnings; 1 otherwise. */
export async function runDoctor(env: Environment): Promise<number> {
  const findings = await examine(env)
  for (const { level, what, found, todo } of findings) {
    print(`${level.padEnd(5)} ${what.padEnd(14)} ${found.replaceAll('\n', `\n${' '.repeat(21)}`)}\n`)
    if (todo !== undefined) print(`${' '.repeat(21)}-> ${todo}\n`)
  }
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length
  const failed = count('fail')
  print(`\n${failed} failed, ${count('warn')} with warnings, ${count('ok')} passed.\n`)
  return failed === 0 ? 0 : EXIT_FAILED
}

export async function examine(env: Environment): Promise<readonly Finding[]> {
  const settings = await run('settings', async () => {
    await checkFiles(loadConfig(env))
    return []
  })
  if (settings.some(({ level }) => level === 'fail')) return settings
  const config = loadConfig(env)
  return [
    ...settings,
    ...(await run('disk', () => checkDisk(config.dataDir))),
    ...(await run('open files', checkOpenFiles)),
    ...(await run('certificate', () => checkCertificate(config))),
    ...(await checkDatabase(config)),
  ]
}

async function run(what: string, check: Check): Promise<readonly Finding[]> {
  try {
    const findings = await check()
    return findings.length === 0
      ? [{ level: 'ok', what, found: 'fine' }]
      : findings.map((finding) => ({ what, ...finding }))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return [{ level: 'fail', what, found: error.message || error.name }]
  }
}

/** @param path the data directory, which may not exist yet. */
async function checkDisk(path: string) {
  let folder = resolve(path)
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (free >= DISK_BYTES_WARN) return []
  const level = free < DISK_BYTES_FAIL ? 'fail' : 'warn'
  const todo = 'Free some space, or move LATCHKEY_DATA_DIR: a full disk stops every write.'
  return [{ level, found: `${(free / GIB).toFixed(1)} GiB free at ${folder}`, todo } as const]
}

async function checkOpenFiles() {
  const limits = existsSync('/proc/self/limits') ? readFileSync('/proc/self/limits', 'utf8') : ''
  const files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? FILES_MIN)
  if (files >= FILES_MIN) return []
  const todo = `Raise the limit to ${FILES_MIN} or more: LimitNOFILE= of the unit, or ulimit -n.`
  return [{ level: 'warn', found: `${files} open files`, todo } as const]
}

async function checkCertificate(config: Config) {
  const tls = await readListenerTls(config)
  const days = tls ? Math.floor((tls.expiresAt - Date.now()) / DAY_MS) : Number.POSITIVE_INFINITY
  if (tls === undefined || days >= EXPIRY_DAYS_WARN) return []
  const found = `${config.tlsCert} is valid until ${new Date(tls.expiresAt).toISOString().slice(0, 10)}`
  return [{ level: days < 0 ? 'fail' : 'warn', found, todo: 'Replace it.' } as const]
}

async function checkDatabase(config: Config): Promise<readonly Finding[]> {
  const { databaseUrl: url } = config
  if (url === undefined) {
    const todo =
      'To check it, run `latchkey-server postgres`, and the doctor with the DATABASE_URL that it prints.'
    return [{ level: 'warn', what: 'database', found: 'embedded', todo }]
  }
  const client = new pg.Client({
    connectionString: url,
    application_name: 'latchkey-doctor',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: CONNECT_MS,
  })
  client.on('error', () => {})
  try {
    try {
      await client.connect()
    } catch (error) {
      const { message, name } = error as Error
      const todo =
        'Start it, or correct DATABASE_URL; docs/operations.md lists the rights that its user needs.'
      const found = `${describeDatabase(url)}: ${message || name}`
      return [{ level: 'fail', what: 'database', found, todo }]
    }
    const settings = await run('database', () => checkDatabaseSettings(client, config))
    const clock = await run('clock', () => checkClock(client))
    const schema = await run('schema', () => checkSchema(client))
    if (schema.some(({ level }) => level !== 'ok')) return [...settings, ...clock, ...schema]
    const keys = await run('keys', () => checkKeys(client, config))
    return [...settings, ...clock, ...schema, ...keys, ...(await run('servers', () => checkVersions(client)))]
  } finally {
    await client.end().catch(() => {})
  }
}

async function checkDatabaseSettings(client: pg.Client, config: Config) {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'max_connections')
     UNION ALL SELECT 'standby', pg_is_in_recovery()::text ORDER BY 1`,
  )
  const { workers } = config
  const each = shareOf(config).databaseConnections + 1
  // A restart briefly has one more process, and the database keeps some connections for itself.
  const needed = (workers + 1) * each + 3
  return rows.flatMap(({ name, setting }): Omit<Finding, 'what'>[] => {
    if (name === 'standby') {
      const found = 'it is a standby, which accepts no writes'
      return setting === 'true' ? [{ level: 'fail', found, todo: 'Point DATABASE_URL to the primary.' }] : []
    }
    const found = `${name} is ${setting}`
    if (name === 'max_connections') {
      return Number(setting) < needed ? [{ level: 'warn', found, todo: `Raise it to ${needed}.` }] : []
    }
    const todo = `Switch ${name} on: a crash would lose acknowledged writes.`
    return setting === 'off' ? [{ level: 'fail', found, todo }] : []
  })
}

async function checkClock(client: pg.Client) {
  const askedAt = Date.now()
  const { rows } = await client.query<{ now: string }>(
    'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now',
  )
  const aheadMs = Math.round(Number(rows[0]?.now) - (askedAt + Date.now()) / 2)
  if (Math.abs(aheadMs) < CLOCK_MS_WARN) return []
  const found = `the database's is ${aheadMs} ms ahead of this machine's`
  const todo = 'Synchronize both machines (NTP): tokens expire by the clock of the database.'
  return [{ level: Math.abs(aheadMs) < CLOCK_MS_FAIL ? 'warn' : 'fail', found, todo } as const]
}

async function checkSchema(client: pg.Client) {
  const { rows: tables } = await client.query(`SELECT to_regclass('_prisma_migrations') AS name`)
  const { rows } =
    tables[0]?.name === null
      ? { rows: [] }
      : await client.query<{ name: string }>(
          `SELECT migration_name AS name FROM _prisma_migrations
           WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY 1`,
        )
  const applied = rows.map(({ name }) => name)
  const newer = await judgeNewerSchema(client, applied, migrationNames())
  if (newer?.refusal) {
    return [{ level: 'fail', found: newer.refusal.problem, todo: newer.refusal.todo } as const]
  }
  if (newer) {
    const found = `${newer.unknown.join(', ')}, of a newer Latchkey, which this version can run on`
    return [{ level: 'ok', found } as const]
  }
  const pending = migrationNames().filter((name) => !applied.includes(name))
  if (pending.length === 0) return []
  const todo = 'Start a server of this version: it applies them.'
  return [{ level: 'warn', found: `pending migrations: ${pending.join(', ')}`, todo } as const]
}

async function checkKeys(client: pg.Client, { encryptionKeys, dataDir }: Config) {
  const file = join(resolve(dataDir), 'encryption.keys')
  if (encryptionKeys === undefined && !existsSync(file)) {
    const todo = 'The first start creates it. Servers on one database need the same LATCHKEY_ENCRYPTION_KEYS.'
    return [{ level: 'warn', found: `there is no ${file}`, todo } as const]
  }
  const ring = createKeyRing(encryptionKeys ?? (await loadKeyFile(dataDir)))
  const { rows } = await client.query<{ id: string; sample: Buffer }>(
    'SELECT key_id AS id, sample FROM sealing_key',
  )
  assertRingOpens(
    ring,
    rows.map(({ id, sample }) => ({ sealed: { keyId: id, bytes: sample }, context: SAMPLE_CONTEXT })),
  )
  return []
}

async function checkVersions(client: pg.Client) {
  const { rows } = await client.query<{ version: string }>(
    'SELECT DISTINCT version FROM member WHERE left_at IS NULL AND NOT is_fenced ORDER BY 1',
  )
  if (rows.length <= 1) return []
  const found = `they run the service versions ${rows.map(({ version }) => version).join(' and ')}`
  return [{ level: 'warn', found, todo: 'Finish the upgrade: all should run the same.' } as const]
}
