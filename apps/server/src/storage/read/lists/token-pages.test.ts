/** Lists of many tokens for which PostgreSQL has no statistics yet, as after a restore or an import. */

import type { TokenFilter } from '@latchkey/service'
import { aToken } from '@latchkey/testkit/records/record-builders'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.ts'
import { openTestStore, putNew } from '../../../../test/store.ts'

const COUNT = 20_000

const database = await createTestDatabase()
const store = await openTestStore({ url: database.url })
await store.commit([putNew(aToken())])
const client = new pg.Client({ connectionString: database.url })
await client.connect()
afterAll(() => client.end())
await client.query('ALTER TABLE token SET (autovacuum_enabled = false)')
// Copies of one token. Their secrets cannot be decrypted, because a secret is bound to its row.
await client.query(
  `INSERT INTO token SELECT (jsonb_populate_record(token, jsonb_build_object(
     'secret_hash', sha256(n::text::bytea), 'accessor_hash', n, 'create_index', n / 100,
     'accessor_id', gen_random_uuid(), 'accessor_key', gen_random_uuid()))).*
   FROM token, generate_series(2, $1) n`,
  [COUNT],
)

async function indexScans(): Promise<number> {
  const { rows } = await client.query(
    `SELECT idx_scan::int AS count FROM pg_stat_user_indexes WHERE indexrelname = 'token_list_order'`,
  )
  return rows[0].count
}

test.each<[string, TokenFilter]>([
  ['a namespace', { namespace: 'default' }],
  ['no auth method', { authMethod: '' }],
])('every page of a list of %s is read by the index of its order', async (_, filter) => {
  const before = await indexScans()
  let [tokens, pages] = [0, 0]
  for await (const page of store.tokens({ ...filter, withUnopened: true })) {
    tokens += page.length
    pages += 1
  }
  expect(tokens).toBe(COUNT)
  // PostgreSQL counts scans with a delay.
  await expect.poll(indexScans).toBeGreaterThanOrEqual(before + pages)
})
