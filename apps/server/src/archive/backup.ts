import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { formatInstant, PRODUCT_VERSION } from '@latchkey/contract'
import type pg from 'pg'
import type { KeyRing } from '../secrets/key-ring.ts'
import { type ArchiveStore, connectForArchive } from './archive-store.ts'
import {
  ARCHIVED_TABLES,
  type ArchiveHeader,
  FORMAT,
  hashOf,
  lineOf,
  type Rows,
  SIGNATURE_CONTEXT,
} from './format.ts'
import { requireKnownSchema } from './refusals.ts'

/** An archive whose reader is idle for longer is lost: its transaction keeps old rows in the database. */
const READER_IDLE_MS_MAX = 60_000
/** Maximum characters of a page, unless one row has more. */
const PAGE_LENGTH = 1_048_576
/** Rows of one fetch: few, because a key may have a megabyte. */
const FETCHED_ROWS = 50

const compress = promisify(zstdCompress)

/** The pieces of an archive, from one snapshot that no write waits for. @throws AclError `unavailable` */
export async function* backUp(store: ArchiveStore): AsyncGenerator<Uint8Array> {
  const client = await connectForArchive(store.url)
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${READER_IDLE_MS_MAX}`)
    await client.query(`SET LOCAL bytea_output = 'hex'`)
    yield* writeArchive(await headerOf(client, store), pagesOf(client), store.ring)
  } finally {
    await client.end().catch(() => {})
  }
}

async function headerOf(client: pg.Client, store: ArchiveStore): Promise<ArchiveHeader> {
  const { rows } = await client.query<{
    index: string
    now: Date
    migrations: string[]
    keys: ArchiveHeader['keys']
  }>(
    `SELECT index, now() AS now,
       (SELECT array_agg(migration_name::text ORDER BY migration_name) FROM _prisma_migrations WHERE rolled_back_at IS NULL) AS migrations,
       (SELECT coalesce(json_agg(json_build_object('id', key_id, 'sample', encode(sample, 'base64')) ORDER BY key_id), '[]')
        FROM sealing_key) AS keys
     FROM commit_index`,
  )
  const [found] = rows
  if (found === undefined) throw new Error('the database has no commit index')
  requireKnownSchema(found.migrations)
  const { datacenter, serviceVersion } = store
  return {
    latchkey: 'snapshot',
    format: FORMAT,
    product: PRODUCT_VERSION,
    serviceVersion,
    datacenter,
    index: Number(found.index),
    createdAt: formatInstant(found.now.getTime()),
    migrations: found.migrations,
    keys: found.keys,
    tables: await columnsOf(client),
  }
}

async function columnsOf(client: pg.Client): Promise<Record<string, string[]>> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `SELECT c.relname AS table, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.oid IN (SELECT to_regclass(name) FROM unnest($1::text[]) AS t (name)) GROUP BY 1`,
    [ARCHIVED_TABLES],
  )
  return Object.fromEntries(rows.map(({ table, columns }) => [table, columns]))
}

export async function* pagesOf(client: pg.Client): AsyncGenerator<Rows> {
  for (const table of ARCHIVED_TABLES) {
    let page: string[] = []
    let length = 0
    const whole = () => ({ table, count: page.length, json: `[${page.join(',\n')}]` })
    for await (const row of rowsOf(client, table)) {
      if (page.length > 0 && length + row.length > PAGE_LENGTH) {
        yield whole()
        page = []
        length = 0
      }
      page.push(row)
      length += row.length
    }
    if (page.length > 0) yield whole()
  }
}

async function* rowsOf(client: pg.Client, table: string): AsyncGenerator<string> {
  await client.query(
    `DECLARE archived NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS row FROM ${table} t`,
  )
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${FETCHED_ROWS} FROM archived`)
    if (rows.length === 0) break
    for (const { row } of rows) yield row
  }
  await client.query('CLOSE archived')
}

/** The bytes of an archive, a part at a time, signed by the active key. */
export async function* writeArchive(
  header: ArchiveHeader,
  pages: AsyncIterable<Rows>,
  ring: Pick<KeyRing, 'sign'>,
): AsyncGenerator<Uint8Array> {
  const whole = createHash('sha256')
  const records: Record<string, number> = {}
  let parts = 0
  const noted = (bytes: Buffer) => {
    whole.update(bytes)
    return bytes
  }
  yield noted(lineOf(header))
  for await (const { table, count, json } of pages) {
    const bytes = await compress(json)
    parts += 1
    records[table] = (records[table] ?? 0) + count
    yield noted(lineOf({ part: parts, table, rows: count, bytes: bytes.length, sha256: hashOf(bytes) }))
    yield noted(bytes)
  }
  const sha256 = whole.digest('hex')
  yield lineOf({ end: true, parts, records, sha256, signature: ring.sign(sha256, SIGNATURE_CONTEXT) })
}
