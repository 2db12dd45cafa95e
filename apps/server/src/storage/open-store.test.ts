import type { TokenRecord } from '@latchkey/acl'
import { anId, aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { describeStore } from '@latchkey/testkit/store/store-suite'
import { expect, test } from 'vitest'
import { createTestDatabase, sql } from '../../test/database.ts'
import { openTestStore } from '../../test/store.ts'

const cached = await openTestStore()
const uncached = await openTestStore({ isCaching: false })

describeStore('PostgresStore', () => cached)
describeStore('PostgresStore without caches', () => uncached, { keepsObjects: false })

test('DOS-02: a list of tokens is decoded at most 250 at a time', async () => {
  await uncached.commit(
    Array.from({ length: 251 }, (_, i) => {
      const record = aToken({ AccessorID: anId(0x7a000 + i), SecretID: anId(0x7b000 + i) })
      return { table: 'tokens', op: 'put', record, expect: 0 }
    }),
  )
  const sizes: number[] = []
  for await (const tokens of uncached.tokens({})) sizes.push(tokens.length)
  expect(Math.max(...sizes)).toBe(250)
})

test('DOS-05: changes of more than 16 MiB are unknown', async () => {
  const start = uncached.commitIndex()
  for (let i = 0; i < 33; i += 1) {
    const record = aPolicy({ ID: anId(0x7c000 + i), Name: `long-${i}`, Rules: '#'.repeat(524_288) })
    await uncached.commit([{ table: 'policies', op: 'put', record, expect: 0 }])
    if (i === 0) expect((await uncached.changesAfter(start))?.policies).toHaveLength(1)
  }
  expect(await uncached.changesAfter(start)).toBeUndefined()
})

test('a secret that cannot be decrypted is left out of replication, and stops nothing', async () => {
  const own = await createTestDatabase()
  const broken = await openTestStore({ url: own.url, isCaching: false })
  const [bad, good] = [aToken(), aToken()]
  const start = broken.commitIndex()
  await broken.commit(
    [bad, good].map((record) => ({ table: 'tokens', op: 'put', record, expect: 0 }) as const),
  )
  const key = bad.AccessorID.toLowerCase()
  await sql(own.url, `UPDATE token SET secret_cipher = 'x' WHERE accessor_key = $1`, [key])
  const changes = await broken.changesAfter(start)
  expect(changes).toMatchObject({
    tokens: [good.AccessorID].map((AccessorID) => ({ AccessorID })),
    leftOut: 1,
  })
  expect(changes?.deleted.tokens).toEqual([key])
  const read: TokenRecord[] = []
  for await (const tokens of broken.tokens({ withUnopened: true })) read.push(...tokens)
  expect(read.find(({ AccessorID }) => AccessorID === bad.AccessorID)?.SecretID).toBe('')
  expect(read.find(({ AccessorID }) => AccessorID === good.AccessorID)?.SecretID).toBe(good.SecretID)
})
