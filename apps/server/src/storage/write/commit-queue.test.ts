import { type Change, ensureBuiltins } from '@latchkey/service'
import { aKey, aPolicy } from '@latchkey/testkit/records/record-builders'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createTestDatabase, PATIENT } from '../../../test/database.ts'
import { openTestStore } from '../../../test/store.ts'
import { connectDatabase } from '../../database/connect.ts'

const store = await openTestStore()

const aValue = (bytes: number): Change => ({
  table: 'kv',
  op: 'put',
  record: aKey({ Value: new Uint8Array(bytes) }),
  expect: 0,
})

test('DOS-05: a short write joins the next group, and does not wait for all long ones before it', async () => {
  const { groups: before } = store.status().commits
  const long = Array.from({ length: 5 }, () => store.commit([aValue(524_288)]))
  const short = store.commit([aValue(1_000)])
  const [first = 0, ...others] = await Promise.all(long)
  expect(await short).toBe(first + 1)
  expect(others).toEqual([first + 2, first + 3, first + 4, first + 5])
  expect(store.status().commits.groups - before).toBe(5)
})

test('short writes share a group', async () => {
  const { groups: before } = store.status().commits
  await Promise.all(Array.from({ length: 200 }, () => store.commit([aValue(4_000)])))
  expect(store.status().commits.groups - before).toBe(1)
})

test('a group whose outcome is unknown is not sent again', async () => {
  const database = await createTestDatabase()
  const connected = connectDatabase({ url: database.url, log: pino({ level: 'silent' }), limits: PATIENT })
  const other = await openTestStore({ url: database.url, database: connected })
  const { pool } = connected
  const query = pool.query.bind(pool) as (statement: { readonly name?: string }) => Promise<unknown>
  let sent = 0
  const losing = async (statement: { readonly name?: string }) => {
    const answer = await query(statement)
    if (statement.name !== 'commit-rows') return answer
    sent += 1
    // The connection breaks after the commit, and before its answer.
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  }
  pool.query = losing as unknown as typeof pool.query
  const writes = await Promise.allSettled(
    [aValue(1), aValue(2), aValue(3)].map((each) => other.commit([each])),
  )
  expect(writes).toMatchObject(writes.map(() => ({ status: 'rejected', reason: { code: 'unavailable' } })))
  expect(sent).toBe(1)
})

test('in a secondary, only the cursor of replication lets global records in', async () => {
  const member = { datacenter: 'dc2', node: 'test', version: '1.11.0' }
  const secondary = await openTestStore({ member, primaryDatacenter: 'dc1' })
  const random = { bytes: (count: number) => new Uint8Array(count) }
  await ensureBuiltins(secondary, { random, now: 0, initialManagementToken: undefined, isSecondary: true })
  const policy: Change = { table: 'policies', op: 'put', record: aPolicy(), expect: 0 }
  await expect(secondary.commit([policy])).rejects.toThrow('only replication changes global records')
  const Value = { cluster: '', index: 0, skipped: [] }
  const record = { Key: 'replication', Value, CreateIndex: 0, ModifyIndex: 0 } as const
  await secondary.commit([policy, { table: 'system', op: 'put', record, expect: 0 }])
})
