import { GLOBAL_MANAGEMENT_POLICY_ID } from '@latchkey/acl'
import { AclError, type RestoredSnapshot } from '@latchkey/contract'
import pg from 'pg'
import { sqlStateOf } from '../database/database-error.ts'
import { KeyRingError, type Sealed } from '../secrets/key-ring.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { readBytes, readText, storeBytes } from '../storage/read/stored-text.ts'
import { REPLICATION_TOKEN_ID, readSealedToken, showSealedToken } from '../storage/sealed-rows.ts'
import { firstEightBytes } from '../storage/token-table.ts'
import { keyHashes } from '../storage/write/row-changes.ts'
import { type ArchiveStore, connectForArchive } from './archive-store.ts'
import { ARCHIVED_TABLES, type ArchiveHeader, INDEX_MAX, type Rows } from './format.ts'
import { damaged } from './piece-reader.ts'
import type { ArchiveItem } from './read.ts'
import { refused, requireKnownSchema } from './refusals.ts'

/** Clients may have seen indexes that are newer than the archive: enough for ten writes a second for a day. */
export const INDEX_GAP = 1_000_000

/**
 * Replaces all records, in one transaction. Rows are collected in temporary tables first, so other writers wait only
 * while they are moved. Every process then reloads everything, because the change log does not reach back.
 */
export async function restore(
  items: AsyncIterable<ArchiveItem>,
  header: ArchiveHeader,
  store: ArchiveStore,
): Promise<RestoredSnapshot> {
  const client = await connectForArchive(store.url)
  try {
    await client.query('BEGIN')
    const { rows } = await client.query<{ name: string }>(
      'SELECT migration_name AS name FROM _prisma_migrations WHERE rolled_back_at IS NULL',
    )
    requireKnownSchema(rows.map(({ name }) => name))
    for (const table of Object.keys(header.tables))
      await client.query(
        `CREATE TEMPORARY TABLE ${copyOf(table)} (LIKE ${table} INCLUDING DEFAULTS) ON COMMIT DROP`,
      )
    let records: Readonly<Record<string, number>> | undefined
    for await (const item of items) {
      if (item.kind === 'rows') await insertRows(client, item.rows, header.tables[item.rows.table], store)
      if (item.kind === 'end') records = item.end.records
    }
    if (records === undefined) throw damaged('it has no end')
    await requireRecords(client, header)
    const index = await takeIndex(client, header, store)
    // Tables unknown to the archive were added later, and are emptied.
    for (const table of ARCHIVED_TABLES)
      await moveRows(client, table, { index, columns: header.tables[table] ?? [] })
    await client.query('SELECT latchkey_fold_intentions(); DELETE FROM change; DELETE FROM change_reader')
    await client.query(`SELECT pg_notify('latchkey', $1)`, [String(index)])
    await client.query('COMMIT')
    return { Index: index, SnapshotIndex: header.index, Records: { ...records } }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw isOfContent(error) ? damaged('its rows do not fit the tables', error) : error
  } finally {
    await client.end().catch(() => {})
  }
}

async function insertRows(
  client: pg.Client,
  rows: Rows,
  names: readonly string[] | undefined,
  store: ArchiveStore,
): Promise<void> {
  const { table } = rows
  if (names === undefined) throw damaged(`its header lacks the table ${table}`)
  const columns = listOf(names)
  // A column that the archive lacks gets its default.
  const { rowCount } = await client.query({
    name: `restore-${table}`,
    text: `INSERT INTO ${copyOf(table)} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`,
    values: [rewrapped(rows, store)],
  })
  if (rowCount !== rows.count)
    throw damaged(`a part of the table ${table} has ${rowCount} rows instead of ${rows.count}`)
}

/**
 * Refuses an archive without the built-in policy, so that no token could have all rights, or with impossible indexes.
 */
async function requireRecords(client: pg.Client, { tables }: ArchiveHeader): Promise<void> {
  // A secondary that has not copied it yet has none, nor has a store before 1.4.0.
  const own = await client.query('SELECT FROM policy WHERE id = $1', [GLOBAL_MANAGEMENT_POLICY_ID])
  if (own.rowCount !== 0) {
    const found =
      tables.policy &&
      (await client.query(`SELECT FROM ${copyOf('policy')} WHERE id = $1`, [GLOBAL_MANAGEMENT_POLICY_ID]))
    if (!found || found.rowCount === 0) throw damaged('it lacks the built-in policy global-management')
  }
  for (const [table, columns] of Object.entries(tables)) {
    if (!columns.includes('create_index')) continue
    const { rowCount } = await client.query(
      `SELECT FROM ${copyOf(table)} WHERE create_index > $1 OR create_index < 0 LIMIT 1`,
      [INDEX_MAX],
    )
    if (rowCount !== 0) throw damaged(`a row of the table ${table} has an index that no store reaches`)
  }
}

function rewrapped(rows: Rows, { secrets, ring }: ArchiveStore): string {
  try {
    return rewrapRows(rows, secrets)
  } catch (error) {
    if (!(error instanceof KeyRingError)) throw error
    throw refused(
      `the key ${error.keyId} does not open a secret of the table ${rows.table}; this server has ${ring.ids.join(', ')}`,
    )
  }
}

/**
 * Takes the lock that every commit takes first, after all leases have ended, and chooses an index above every index
 * that this database, this process or the archive has seen. @throws AclError `unavailable` if this process is not a
 * member.
 */
async function takeIndex(client: pg.Client, header: ArchiveHeader, store: ArchiveStore): Promise<number> {
  let author = store.membership.withoutLease()
  for (let waited: string | undefined; ; author = store.membership.withoutLease()) {
    await client.query('SAVEPOINT before_index')
    const closing = await client.query(
      'SELECT FROM latchkey_close_leases($1, $2, $3) AS closing WHERE closing IS NOT NULL',
      [author.memberId, author.beat, waited],
    )
    if (closing.rowCount === 0) break
    // Releases the lock.
    await client.query('ROLLBACK TO SAVEPOINT before_index')
    waited = await store.membership.endLeases()
  }
  const { rows } = await client.query<{ index: string; columns: string[] }>(
    `SELECT index, (SELECT array_agg(attname::text) FROM pg_attribute
       WHERE attrelid = 'commit_index'::regclass AND attnum > 0 AND NOT attisdropped
         AND atttypid = 'bigint'::regtype AND attname <> 'index') AS columns
     FROM commit_index FOR UPDATE`,
  )
  const member = await client.query(
    'SELECT FROM member WHERE id = $1 AND NOT is_fenced AND left_at IS NULL',
    [author.memberId],
  )
  const [current] = rows
  if (member.rowCount === 0 || current === undefined) {
    throw new AclError('unavailable', 'This server is joining the others on the database: try again', {
      headers: { 'Retry-After': '1' },
    })
  }
  const index = Math.max(Number(current.index), store.seenIndex(), header.index) + INDEX_GAP
  // The log contains nothing below the index, so every reader of changes starts with all records.
  const set = ['index', ...current.columns].map((name) => `${pg.escapeIdentifier(name)} = $1`).join(', ')
  await client.query(`UPDATE commit_index SET ${set}`, [index])
  return index
}

/** Replaces the rows of a table, with a new index, so that watchers and caches notice. */
async function moveRows(
  client: pg.Client,
  table: string,
  { index, columns }: { readonly index: number; readonly columns: readonly string[] },
): Promise<void> {
  await client.query(`DELETE FROM ${table}`)
  if (columns.length === 0) return
  const written: Readonly<Record<string, string>> = {
    modify_index: `${index}::bigint`,
    // Sessions are renewed, so that the holders of locks have one lifetime in which to renew them.
    renewed_at: 'clock_timestamp()',
  }
  const values = columns.map((name) => written[name] ?? pg.escapeIdentifier(name))
  // Written outside commits, so there may be a newer row.
  const besides = table === 'token_use' ? 'ON CONFLICT DO NOTHING' : ''
  await client.query(
    `INSERT INTO ${table} (${listOf(columns)}) SELECT ${values.join(', ')} FROM ${copyOf(table)} ${besides}`,
  )
}

/** Whether the database refused rows: data exceptions, violated constraints, unknown columns. */
function isOfContent(error: unknown): boolean {
  return /^(?:22|23|42703)/.test(sqlStateOf(error) ?? '')
}

function copyOf(table: string): string {
  return pg.escapeIdentifier(`restored_${table}`)
}

function listOf(columns: readonly string[]): string {
  return columns.map((name) => pg.escapeIdentifier(name)).join(', ')
}

interface TokenRow {
  readonly secret_hash: string
  readonly secret_cipher: string
  readonly secret_key_id: string
  readonly accessor_id: string
}

interface AuthMethodRow {
  readonly key: string
  readonly secret_cipher: string | null
  readonly secret_key_id: string | null
}

interface SystemRow {
  readonly key: string
  readonly value: Parameters<typeof readSealedToken>[0]['value']
}

const REWRAP: Readonly<Record<string, (row: never, secrets: SecretBox) => object>> = {
  token: rewrapToken,
  auth_method: rewrapAuthMethod,
  system: rewrapSystem,
}

/**
 * Hashes the secrets of rows with this store's lookup key, and seals them with its active key. @throws KeyRingError
 */
export function rewrapRows({ table, json }: Rows, secrets: SecretBox): string {
  const rewrap = REWRAP[table]
  if (rewrap === undefined) return json
  const rows = JSON.parse(json) as never[]
  return JSON.stringify(rows.map((row) => rewrap(row, secrets)))
}

function rewrapToken(row: TokenRow, secrets: SecretBox): object {
  const sealed = sealedOf(row.secret_key_id, row.secret_cipher)
  const SecretID = secrets.open(sealed, row.secret_hash.slice(2))
  const hash = secrets.lookupHash(SecretID)
  const { accessorHash, foldedHash } = keyHashes({ AccessorID: readText(row.accessor_id), SecretID }, secrets)
  const isSame = row.secret_hash.slice(2) === hash
  const { keyId, bytes } = isSame ? secrets.rewrap(sealed, hash) : secrets.seal(SecretID, hash)
  return {
    ...row,
    secret_hash: `\\x${hash}`,
    secret_cipher: storeBytes(bytes),
    secret_key_id: keyId,
    accessor_hash: accessorHash === undefined ? null : firstEightBytes(accessorHash),
    folded_hash: foldedHash === undefined ? null : `\\x${foldedHash}`,
  }
}

function rewrapAuthMethod(row: AuthMethodRow, secrets: SecretBox): object {
  const { key, secret_cipher, secret_key_id } = row
  if (secret_cipher === null || secret_key_id === null) return row
  const id = `auth-method/${key}`
  const { keyId, bytes } = rewrapOpened(sealedOf(secret_key_id, secret_cipher), id, secrets)
  return { ...row, secret_cipher: storeBytes(bytes), secret_key_id: keyId }
}

function rewrapSystem(row: SystemRow, secrets: SecretBox): object {
  if (row.key !== 'replication-token') return row
  const sealed = rewrapOpened(readSealedToken(row), REPLICATION_TOKEN_ID, secrets)
  return { ...row, value: showSealedToken(sealed) }
}

/** Also opens a secret that the active key has already sealed. */
function rewrapOpened(sealed: Sealed, id: string, secrets: SecretBox): Sealed {
  return secrets.seal(secrets.open(sealed, id), id)
}

function sealedOf(keyId: string, stored: string): Sealed {
  return { keyId, bytes: readBytes(stored) }
}
