/** Expired tokens act as absent by themselves; the reaper gives their rows and ids back. Spec 3; EXP-05. */

import { formatInstant } from '@latchkey/contract'
import { MemoryStore, StoreConflict } from '@latchkey/service'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { isFullBatch, reapExpiredTokens } from './reaper.ts'

const NOW = Date.parse('2028-02-29T12:00:00Z')
const BATCH_SIZE_MAX = 256

async function aStoreOf(offsets: readonly (number | undefined)[]): Promise<MemoryStore> {
  const store = new MemoryStore({ after: () => () => {} })
  const tokens = offsets.map((ms) =>
    aToken({ ExpirationTime: ms === undefined ? undefined : formatInstant(NOW + ms) }),
  )
  if (tokens.length > 0) {
    await store.commit(tokens.map((record) => ({ table: 'tokens', op: 'put', record, expect: 0 }) as const))
  }
  return store
}

const sizeOf = (store: MemoryStore) => store.snapshot().tokens.size

test('removes what has expired, to the millisecond, and nothing else', async () => {
  const store = await aStoreOf([-1_000, -1, 0, 1, 1_000, undefined])
  expect(await reapExpiredTokens(store, NOW)).toBe(3)
  const left = [...store.snapshot().tokens.values()].map(({ ExpirationTime }) => ExpirationTime)
  expect(left).toEqual([formatInstant(NOW + 1), formatInstant(NOW + 1_000), undefined])
})

test('writes nothing where there is nothing to remove', async () => {
  const store = await aStoreOf([1, undefined])
  const before = store.tableIndex('tokens')
  expect(await reapExpiredTokens(store, NOW)).toBe(0)
  expect(store.tableIndex('tokens')).toBe(before)
})

test.each([BATCH_SIZE_MAX - 1, BATCH_SIZE_MAX, BATCH_SIZE_MAX + 1])(
  'EXP-05: of %d expired tokens at most a batch in one commit, the oldest first; a full batch reports that more may wait',
  async (count) => {
    const store = await aStoreOf(Array.from({ length: count }, (_, i) => -1 - i))
    const before = store.tableIndex('tokens')
    const removed = await reapExpiredTokens(store, NOW)
    expect(removed).toBe(Math.min(count, BATCH_SIZE_MAX))
    expect(isFullBatch(removed)).toBe(count >= BATCH_SIZE_MAX)
    expect(store.tableIndex('tokens')).toBe(before + 1)
    expect([...store.snapshot().tokens.values()].map(({ ExpirationTime }) => ExpirationTime)).toEqual(
      count > BATCH_SIZE_MAX ? [formatInstant(NOW - 1)] : [],
    )
  },
)

describe('beside others', () => {
  test('a token that was deleted concurrently costs one round, and no more', async () => {
    const store = await aStoreOf([-2, -1])
    const commit = store.commit.bind(store)
    let isFirst = true
    store.commit = async (changes) => {
      if (isFirst) {
        isFirst = false
        const [record] = store.expiredNow(NOW, 1)
        if (record) await commit([{ table: 'tokens', op: 'delete', record, expect: record.ModifyIndex }])
      }
      return commit(changes)
    }
    expect(await reapExpiredTokens(store, NOW)).toBe(0)
    expect(sizeOf(store)).toBe(1)
    expect(await reapExpiredTokens(store, NOW)).toBe(1)
    expect(sizeOf(store)).toBe(0)
  })

  test('a fault of the store is thrown, because it is not a conflict', async () => {
    const store = await aStoreOf([-1])
    store.commit = async () => {
      throw new Error('disk')
    }
    await expect(reapExpiredTokens(store, NOW)).rejects.toThrow('disk')
    store.commit = async () => {
      throw new StoreConflict('changed')
    }
    expect(await reapExpiredTokens(store, NOW)).toBe(0)
  })
})
