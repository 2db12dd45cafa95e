import { formatInstant, PRODUCT_VERSION } from '@latchkey/contract'
import type pg from 'pg'
import { migrationNames } from '../database/schema/migrate.ts'
import { type ArchiveStore, connectForArchive } from './archive-store.ts'
import { type ArchiveHeader, FORMAT } from './format.ts'
import { columnsOf, pagesOf } from './pages.ts'
import { requireKnownSchema } from './refusals.ts'
import { writeArchive } from './write.ts'

/**
 * A reader that is idle for this long loses the archive, because its transaction keeps the database from removing old
 * rows.
 */
const READER_IDLE_MS_MAX = 60_000

/**
 * The pieces of an archive. All rows come from one snapshot: a read-only transaction at repeatable read, which takes no
 * lock that a write waits for.
 *
 * @throws AclError `unavailable` if a newer server has migrated the schema.
 */
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
  requireKnownSchema(found.migrations, migrationNames())
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
