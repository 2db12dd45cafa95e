/**
 * Renewals, and which expired sessions end in one commit: the number of their keys is limited, so that no write waits long
 * behind it.
 */
import type { Change } from '@latchkey/service'
import { aNode, aSession } from '@latchkey/testkit/records/catalog-builders'
import { aKey, anId } from '@latchkey/testkit/records/record-builders'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { openTestStore } from '../../test/store.ts'

const database = await createTestDatabase()
const store = await openTestStore({ url: database.url })

test('expired sessions end together while they hold at most a thousand keys, and one by one beyond', async () => {
  const held = [1_001, 0, 600, 400, 1]
  const ids = held.map((_, i) => anId(0x5e55_1000 + i))
  await store.commit([{ table: 'nodes', op: 'put', record: aNode(), expect: 0 }])
  for (const [i, ID] of ids.entries()) {
    await store.commit([{ table: 'sessions', op: 'put', record: aSession({ ID, TTL: '10ms' }), expect: 0 }])
    const keys = Array.from({ length: held[i] ?? 0 }, (_, n) =>
      aKey({ Key: `${i}/${n}`, Session: ID, LockIndex: 1 }),
    )
    if (keys.length > 0)
      await store.commit(keys.map((record): Change => ({ table: 'kv', op: 'put', record, expect: 0 })))
  }
  const end = async (...ended: readonly string[]) => {
    const { sessions } = store.catalog()
    for (const id of ended) {
      const record = sessions.get(id)
      if (record) await store.commit([{ table: 'sessions', op: 'delete', record, expect: undefined }])
    }
  }
  const expired = (limit = 64) => store.sessionTimes.expired(limit)
  await expect.poll(() => expired(), { timeout: 20_000 }).toEqual(ids.slice(0, 1))
  await end(...ids.slice(0, 1))
  await expect.poll(() => expired(), { timeout: 20_000 }).toEqual(ids.slice(1, 4))
  expect(await expired(2)).toEqual(ids.slice(1, 3))
  await end(...ids.slice(1, 4))
  await expect.poll(() => expired(), { timeout: 20_000 }).toEqual(ids.slice(4))
})

test('a renewal never shortens a lifetime, even if the clock of the database goes back', async () => {
  const ID = anId(0x5e55_2000)
  await store.commit([{ table: 'sessions', op: 'put', record: aSession({ ID, TTL: '10s' }), expect: 0 }])
  const sql = new pg.Client(database.url)
  await sql.connect()
  try {
    // As after a renewal at a time to which the clock has not come again.
    const ahead =
      "UPDATE session SET renewed_at = clock_timestamp() + interval '1 hour' WHERE id = $1 RETURNING renewed_at"
    const { rows } = await sql.query(ahead, [ID])
    expect(await store.sessionTimes.renew(ID)).toBe(true)
    expect((await sql.query('SELECT renewed_at FROM session WHERE id = $1', [ID])).rows).toEqual(rows)
    await sql.query("UPDATE session SET renewed_at = clock_timestamp() - interval '1 hour' WHERE id = $1", [
      ID,
    ])
    expect(await store.sessionTimes.expired(64)).toContain(ID)
    await store.sessionTimes.renew(ID)
    expect(await store.sessionTimes.expired(64)).not.toContain(ID)
  } finally {
    await sql.end()
  }
})
