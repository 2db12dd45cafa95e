/** Trees of keys too large for one statement. DOS-05. */

import { limits } from '@latchkey/contract'
import type { Change } from '@latchkey/service'
import { aKey } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { createTestDatabase, sql } from '../../../test/database.ts'
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
const busyConnections = () =>
  sql(
    database.url,
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
       AND application_name = 'latchkey'`,
  )

test('DOS-05: the values of a page are no larger than one maximum value', async () => {
  let pages = 0
  for await (const page of store.kvEntries(RANGE)) {
    const bytes = page.reduce((sum, { Value }) => sum + Value.length, 0)
    expect(bytes).toBeLessThanOrEqual(limits.KV_VALUE_BYTES_MAX)
    pages += 1
  }
  expect(pages).toBe(COUNT / 2)
})

test('DOS-05: a paused reader holds no connection and no transaction', async () => {
  const readers = Array.from({ length: 20 }, () => store.kvEntries(RANGE)[Symbol.asyncIterator]())
  await Promise.all(readers.map((reader) => reader.next()))
  await expect.poll(busyConnections).toEqual([])
  const index = await store.commit([put(0)])
  expect(index).toBeGreaterThan(0)
  await Promise.all(readers.map((reader) => reader.return?.()))
})

test('DOS-05: a value longer than the given bound is not read', async () => {
  const short = (bytesMax: number) => store.kvShortEntry('default', 'tree/001', bytesMax)
  expect(await short(VALUE_BYTES - 1)).toBe('long')
  expect(await short(VALUE_BYTES)).toMatchObject({ Key: 'tree/001' })
  expect(await store.kvShortEntry('default', 'tree/absent', 0)).toBeUndefined()
  expect((await store.kvEntry('default', 'tree/002'))?.Value).toHaveLength(VALUE_BYTES)
})

test('each page is one snapshot, and a later one shows later writes', async () => {
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
