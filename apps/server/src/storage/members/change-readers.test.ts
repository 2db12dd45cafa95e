import { aToken } from '@latchkey/testkit/records/record-builders'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase, PATIENT } from '../../../test/database.ts'
import { openTestStore } from '../../../test/store.ts'
import { connectDatabase } from '../../database/connect.ts'
import { PostgresChangeReaders } from './change-readers.ts'

const own = await createTestDatabase()
const store = await openTestStore({ url: own.url })
const client = new pg.Client({ connectionString: own.url })
await client.connect()
afterAll(() => client.end())
const log = pino({ level: 'silent' })
const database = connectDatabase({ url: own.url, log, limits: PATIENT })
afterAll(() => database.close())

/** Prunes changes older than ten minutes. @returns whether the log reaches back to each index. */
async function prune(indexes: readonly number[], linesMax = 1_000_000): Promise<boolean[]> {
  await client.query(`SELECT latchkey_prune_log('10 minutes', '1 day', $1)`, [linesMax])
  const kept: boolean[] = []
  for (const index of indexes) kept.push((await store.changesAfter(index)) !== undefined)
  return kept
}

/** Ten commits of two lines each, an hour ago. @returns the index before each. */
async function changeAnHourAgo(): Promise<readonly number[]> {
  const indexes: number[] = []
  for (let i = 0; i < 10; i += 1) {
    indexes.push(store.commitIndex())
    const put = () => ({ table: 'tokens', op: 'put', record: aToken(), expect: 0 }) as const
    await store.commit([put(), put()])
  }
  await client.query(`UPDATE change SET changed_at = now() - interval '1 hour'`)
  await client.query('UPDATE member SET seen_index = $1', [store.commitIndex()])
  return indexes
}

test('the log is kept from the position of a reader, unless that is a day old or a million lines ago', async () => {
  const indexes = await changeAnHourAgo()
  const reader = { name: 'dc2', index: indexes[4], now: Date.now() }
  store.changeReaders.note(reader)
  await store.changeReaders.write()
  const from = (first: number) => indexes.map((_, i) => i >= first)
  expect(await prune(indexes)).toEqual(from(4))
  expect(await prune(indexes, 6)).toEqual(from(7))
  await client.query(`UPDATE change SET changed_at = now() - interval '25 hours' WHERE index <= $1`, [
    indexes[9],
  ])
  expect(await prune(indexes)).toEqual(from(9))
  await client.query(`UPDATE change_reader SET contact_at = now() - interval '25 hours'`)
  expect(await prune(indexes)).toEqual(from(10))
  expect((await client.query('SELECT FROM change_reader')).rowCount).toBe(0)
})

test('at most 64 readers are kept, and all processes see what one has recorded', async () => {
  const other = new PostgresChangeReaders({ ...database, log })
  const now = Date.now()
  for (let i = 0; i < 70; i += 1) other.note({ name: `reader-${i}`, index: 1, now })
  await other.write()
  other.note({ name: 'reader-0', index: 2, now })
  other.note({ name: 'one-more', index: 2, now })
  await other.write()
  const listed = await new PostgresChangeReaders({ ...database, log }).list(now)
  expect(listed).toHaveLength(64)
  expect(listed[0]).toEqual({ name: 'reader-0', index: 2, contactAt: now })
})
