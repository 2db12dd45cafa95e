import { anId, aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { describeStore } from '@latchkey/testkit/store/store-suite'
import { expect, test } from 'vitest'
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
