/** How a process reads the commits of others, at a cost limited to what they changed. */
import { anId, aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase, PATIENT } from '../../../test/database.ts'
import { openTestStore, putNew, testRing } from '../../../test/store.ts'
import { connectDatabase } from '../../database/connect.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import { openSecrets } from '../keys/open-secrets.ts'
import { readChanges } from './read-changes.ts'

const { url, drop } = await createTestDatabase()
const store = await openTestStore({ url })
const database = connectDatabase({ url, log: pino({ level: 'silent' }), limits: PATIENT })
const secrets = await openSecrets(database.prisma, testRing('test'))
afterAll(async () => {
  await database.close()
  await drop()
})

/** Reads the changes after an index. `between` runs after the log was read and before the records are. */
async function read(after: number, between: () => Promise<unknown> = async () => {}) {
  let snapshots = 0
  let isFirst = true
  const prisma = new Proxy(database.prisma, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name === '$transaction') snapshots += 1
      if (name !== 'policy') return typeof value === 'function' ? value.bind(target) : value
      return {
        findMany: async (query: Parameters<PrismaClient['policy']['findMany']>[0]) => {
          if (isFirst) await between()
          isFirst = false
          return target.policy.findMany(query)
        },
      }
    },
  })
  const question = { after, isWhole: false, memberId: store.membership.memberId }
  const batch = await readChanges(prisma, question, secrets)
  return { index: batch.index, policies: batch.directory.policies, snapshots }
}

const put = (record: ReturnType<typeof aPolicy>, expect: number) =>
  store.commit([{ table: 'policies', op: 'put', record, expect }])

test('a changed record is read without a transaction', async () => {
  const policy = aPolicy()
  const index = await put(policy, 0)
  const found = await read(index - 1)
  expect(found).toMatchObject({ index, snapshots: 0, policies: [{ ID: policy.ID, ModifyIndex: index }] })
})

test('COH-01: records that a later commit touches are read again, in one snapshot with the log', async () => {
  const [edited, deleted, restored] = [aPolicy(), aPolicy(), aPolicy()]
  const start = store.commitIndex()
  const indexes = [await put(edited, 0), await put(deleted, 0), await put(restored, 0)]
  const remove = (record: typeof edited, expect: number | undefined) =>
    store.commit([{ table: 'policies', op: 'delete', record, expect }])

  const afterEdit = await read(start, () => put({ ...edited, Description: 'edited' }, indexes[0] ?? 0))
  expect(afterEdit).toMatchObject({ index: store.commitIndex(), snapshots: 1 })
  expect(afterEdit.policies.find(({ ID }) => ID === edited.ID)?.Description).toBe('edited')

  const afterDelete = await read(start, () => remove(deleted, indexes[1]))
  expect(afterDelete).toMatchObject({ index: store.commitIndex(), snapshots: 1 })
  expect(afterDelete.policies.map(({ ID }) => ID)).not.toContain(deleted.ID)

  await remove(restored, indexes[2])
  const afterRestore = await read(start, () => put(restored, 0))
  expect(afterRestore).toMatchObject({ index: store.commitIndex(), snapshots: 1 })
  expect(afterRestore.policies.map(({ ID }) => ID)).toContain(restored.ID)
})

test('after many changes only the snapshot is read', async () => {
  const start = store.commitIndex()
  await put(aPolicy(), 0)
  const tokens = Array.from({ length: 1_000 }, (_, i) =>
    aToken({ AccessorID: anId(0x70000 + i), SecretID: anId(0x80000 + i) }),
  )
  await store.commit(tokens.map(putNew))
  let isReadBefore = false
  const found = await read(start, async () => {
    isReadBefore = true
  })
  expect(found).toMatchObject({ index: store.commitIndex(), snapshots: 1, policies: [{}] })
  expect(isReadBefore).toBe(false)
})

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
