/** Trees of keys at a size that no statement could answer at once. DOS-05. */

import { limits } from '@latchkey/contract'
import type { Change } from '@latchkey/service'
import { aKey } from '@latchkey/testkit/records/record-builders'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { openTestStore } from '../../../test/store.ts'

const database = await createTestDatabase()
const store = await openTestStore({ url: database.url })
const VALUE_BYTES = 200_000
const COUNT = 30

const put = (n: number): Change => {
  const record = aKey({
    Key: `tree/${n.toString().padStart(3, '0')}`,
    Value: new Uint8Array(VALUE_BYTES).fill(n),
  })
  return { table: 'kv', op: 'put', record, expect: undefined }
}
for (let n = 0; n < COUNT; n += 1) await store.commit([put(n)])

const RANGE = { namespace: 'default', prefix: 'tree/' }

/** The connections of the store that are neither idle nor the change feed's. */
async function busyConnections(): Promise<number> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
       AND application_name = 'latchkey'`,
  )
  await client.end()
  return rows[0].count
}

test('DOS-05: a page holds no more values than the longest one may have', async () => {
  let pages = 0
  for await (const page of store.kvEntries(RANGE)) {
    const bytes = page.reduce((sum, { Value }) => sum + Value.length, 0)
    expect(bytes).toBeLessThanOrEqual(limits.KV_VALUE_BYTES_MAX)
    pages += 1
  }
  expect(pages).toBe(COUNT / 2)
})

test('DOS-05: while a reader has stopped, no connection and no transaction is held for it', async () => {
  const readers = Array.from({ length: 20 }, () => store.kvEntries(RANGE)[Symbol.asyncIterator]())
  await Promise.all(readers.map((reader) => reader.next()))
  await expect.poll(busyConnections).toBe(0)
  const index = await store.commit([put(0)])
  expect(index).toBeGreaterThan(0)
  await Promise.all(readers.map((reader) => reader.return?.()))
})

test('each page is of one moment, and a later one shows what was written since', async () => {
  const reader = store.kvEntries(RANGE)[Symbol.asyncIterator]()
  const first = (await reader.next()).value ?? []
  await store.commit([put(0), put(COUNT)])
  const rest: string[] = []
  for (let page = await reader.next(); !page.done; page = await reader.next()) {
    rest.push(...page.value.map(({ Key }: { readonly Key: string }) => Key))
  }
  expect(first.map(({ Key }: { readonly Key: string }) => Key)).toEqual(['tree/000', 'tree/001'])
  expect(rest.at(-1)).toBe('tree/030')
  expect(new Set(rest).size).toBe(COUNT - 1)
})
