/** Findings of `latchkey-server doctor` about the database: its settings, schema, clock, keys and members. */
import { MEMBER_FAILED_AFTER_MS } from '@latchkey/acl'
import pg from 'pg'
import { checkDatabaseUrl } from '../config/check-files.ts'
import { describeDatabase } from '../config/describe-database.ts'
import { migrationNames } from '../database/schema/migrate.ts'
import { judgeNewerSchema } from '../database/schema/schema-compatibility.ts'
import { type KeyRing, KeyRingError } from '../secrets/key-ring.ts'
import { StartError } from '../start-error.ts'
import { SAMPLE_CONTEXT } from '../storage/keys/sealing-samples.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const CONNECT_MS = 5_000
const CLOCK_DIFFERENCE_MS_WARN = 1_000
const CLOCK_DIFFERENCE_MS_FAIL = 60_000
const VERSION_MIN = 15

/** Settings that lose acknowledged writes if they are off. */
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const

interface Options {
  readonly url: string
  /** Undefined if the keys of this server cannot be read. */
  readonly ring: KeyRing | undefined
  /** Connections of one server process. */
  readonly connections: number
  readonly workers: number
}

/** Queries a running database, without changing it. */
export async function checkDatabase(options: Options): Promise<readonly Finding[]> {
  try {
    checkDatabaseUrl('DATABASE_URL', options.url)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [fail('database', error.message, 'Correct the URL, or the file that it names.')]
  }
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'latchkey-doctor',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: CONNECT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    const problem = error instanceof Error ? error.message || error.name : String(error)
    const todo = 'Start it, or correct DATABASE_URL; docs/operations.md lists the rights that its user needs.'
    return [fail('database', `${describeDatabase(options.url)}: ${problem}`, todo)]
  }
  try {
    const settings = await checkSettings(client, options)
    const clock = await checkClock(client)
    const schema = await checkSchema(client)
    if (schema.level !== 'ok') return [...settings, clock, schema]
    return [
      ...settings,
      clock,
      schema,
      ...(await checkKeys(client, options.ring)),
      ...(await checkMembers(client)),
    ]
  } finally {
    await client.end().catch(() => {})
  }
}

async function checkSettings(
  client: pg.Client,
  { url, connections, workers }: Options,
): Promise<readonly Finding[]> {
  const { rows } = await client.query<Record<string, string>>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
       current_setting('max_connections') AS max, pg_is_in_recovery()::text AS standby, current_setting('server_encoding') AS encoding,
       ${DURABLE.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`,
  )
  const found = rows[0] ?? {}
  const { version = '', encoding = '' } = found
  const findings: Finding[] = []
  const isOld = Number(found.number) < VERSION_MIN * 10_000
  const name = `PostgreSQL ${version} at ${describeDatabase(url)}`
  findings.push(
    isOld ? fail('database', name, `Upgrade it to ${VERSION_MIN} or later.`) : ok('database', name),
  )
  if (found.standby === 'true') {
    findings.push(
      fail('database', 'it is a standby, which accepts no writes', 'Point DATABASE_URL to the primary.'),
    )
  }
  if (encoding !== 'UTF8') {
    findings.push(fail('database', `its encoding is ${encoding}`, 'Create a database with ENCODING UTF8.'))
  }
  for (const setting of DURABLE) {
    if (found[setting] === 'off') {
      findings.push(
        fail(
          'database',
          `${setting} is off`,
          `Switch ${setting} on: a crash would lose acknowledged writes.`,
        ),
      )
    }
  }
  // A restart briefly has one more process, and the database keeps some connections for itself.
  if (Number(found.max) < workers * (connections + 1) + connections + 4) {
    const todo = `Raise max_connections: each of ${workers} server processes (LATCHKEY_WORKERS) takes up to ${connections + 1} (LATCHKEY_DATABASE_CONNECTIONS).`
    findings.push(warn('database', `max_connections is ${found.max}`, todo))
  }
  return findings
}

async function checkClock(client: pg.Client): Promise<Finding> {
  const askedAt = Date.now()
  const { rows } = await client.query<{ now: string }>(
    'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now',
  )
  const aheadMs = Math.round(Number(rows[0]?.now) - (askedAt + Date.now()) / 2)
  const found = `the database's is ${Math.abs(aheadMs)} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`
  const todo = 'Synchronize both machines (NTP): tokens expire by the clock of the database.'
  if (Math.abs(aheadMs) >= CLOCK_DIFFERENCE_MS_FAIL) return fail('clock', found, todo)
  return Math.abs(aheadMs) >= CLOCK_DIFFERENCE_MS_WARN ? warn('clock', found, todo) : ok('clock', found)
}

async function checkSchema(client: pg.Client): Promise<Finding> {
  const { rows: tables } = await client.query(`SELECT to_regclass('_prisma_migrations') AS name`)
  if (tables[0]?.name === null)
    return warn('schema', 'there is none yet', 'Start a server: it creates the tables.')
  const { rows } = await client.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY 1`,
  )
  const [applied, known] = [rows.map(({ name }) => name), migrationNames()]
  const newer = await judgeNewerSchema(client, applied, known)
  const refusal = newer?.refusal
  if (refusal !== undefined) return fail('schema', refusal.problem, refusal.todo)
  if (newer !== undefined) {
    return ok('schema', `${newer.unknown.join(', ')}, of a newer Latchkey, which this version can run on`)
  }
  const pending = known.filter((name) => !applied.includes(name))
  if (pending.length === 0) return ok('schema', known.at(-1) ?? '')
  return warn(
    'schema',
    `${pending.length} migrations are pending`,
    'Start a server of this version: it applies them.',
  )
}

async function checkKeys(client: pg.Client, ring: KeyRing | undefined): Promise<readonly Finding[]> {
  if (ring === undefined) return []
  const { rows } = await client.query<{ id: string; sample: Buffer }>(
    'SELECT key_id AS id, sample FROM sealing_key ORDER BY 1',
  )
  if (rows.length === 0) return [ok('keys', `${ring.ids.join(', ')}; nothing is sealed yet`)]
  return rows.map(({ id, sample }) => {
    try {
      ring.open({ keyId: id, bytes: sample }, SAMPLE_CONTEXT)
      return ok('keys', `${id} decrypts the secrets in the database`)
    } catch (error) {
      if (!(error instanceof KeyRingError)) throw error
      const found = error.isMissing ? `${id} is missing` : `${id} differs from the key that sealed the data`
      return fail(
        'keys',
        found,
        'Put the right key into LATCHKEY_ENCRYPTION_KEYS, or into encryption.keys in the data directory.',
      )
    }
  })
}

/** Checks the servers that share the database, and whether they run the same version. */
async function checkMembers(client: pg.Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<{ node: string; version: string; alive: boolean }>(
    `SELECT node, version, heartbeat_at > clock_timestamp() - make_interval(secs => $1) AS alive
     FROM member WHERE left_at IS NULL ORDER BY node`,
    [MEMBER_FAILED_AFTER_MS / 1_000],
  )
  const alive = rows.filter((row) => row.alive)
  const versions = [...new Set(alive.map(({ version }) => version))]
  const silent = rows.filter((row) => !row.alive).map(({ node }) => node)
  const found = `${alive.length} alive${versions.length > 0 ? `, of service version ${versions.join(' and ')}` : ''}`
  const todo = 'Finish the upgrade: all servers should run the same service version.'
  return [
    versions.length > 1 ? warn('servers', found, todo) : ok('servers', found),
    ...(silent.length > 0
      ? [
          warn(
            'servers',
            `silent: ${silent.join(', ')}`,
            'Start them again. If they are gone for good, the other servers forget them after some time.',
          ),
        ]
      : []),
  ]
}
