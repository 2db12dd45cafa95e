/** A process reads the commits of others at a cost limited to what they changed. */
import { anId, aToken } from '@latchkey/testkit/records/record-builders'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { openTestStore, putNew } from '../../../test/store.ts'

const { url } = await createTestDatabase()
const store = await openTestStore({ url })

test('the log is read from its end, also before PostgreSQL has counted its rows', async () => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rowsRead = async () => {
    await client.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await client.query(
      `SELECT seq_tup_read::int AS read FROM pg_stat_user_tables WHERE relname = 'change'`,
    )
    return rows[0].read
  }
  const tokens = Array.from({ length: 3_000 }, (_, i) =>
    aToken({ AccessorID: anId(0x90000 + i), SecretID: anId(0xa0000 + i) }),
  )
  const index = await store.commit(tokens.map(putNew))
  const before = await rowsRead()
  for (let i = 0; i < 10; i += 1) await client.query('SELECT latchkey_change_log($1)', [index])
  const last = await store.commit([putNew(aToken())])
  for (let i = 0; i < 10; i += 1) await client.query('SELECT latchkey_change_log($1)', [last - 1])
  expect(await rowsRead()).toBe(before)
  await client.end()
})
