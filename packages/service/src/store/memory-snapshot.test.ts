/** Features of the memory store beyond the port: snapshots and timers. */

import { deleteOf, putOf } from '@latchkey/testkit/records/changes'
import { aKey, aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { beforeEach, expect, test } from 'vitest'
import { MemoryStore } from './memory-store.ts'
import { tokenTopic } from './store.ts'

let store: MemoryStore
beforeEach(() => {
  store = new MemoryStore({ after: () => () => {} })
})

test('later commits do not change a snapshot, and restoring it restores the state', async () => {
  const token = aToken()
  const policy = aPolicy()
  await store.commit([putOf('tokens', token, 0), putOf('policies', policy, 0)])
  const before = store.snapshot()
  const added = aToken()
  await store.commit([
    deleteOf('tokens', token),
    putOf('tokens', added, 0),
    deleteOf('policies', policy),
    putOf('kv', aKey(), 0),
  ])
  expect(before.tokens.size).toBe(1)
  store.restore(before)
  expect(store.snapshot()).toEqual(before)
  expect((await store.tokenByAccessor(token.AccessorID))?.SecretID).toBe(token.SecretID)
  expect(await store.tokenByAccessor(added.AccessorID)).toBeUndefined()
  expect(store.directory().policyByName('default', policy.Name)?.ID).toBe(policy.ID)
})

test('restoring advances the index and the version of the directory', async () => {
  const start = store.snapshot()
  const index = await store.commit([putOf('policies', aPolicy(), 0)])
  const { version } = store.directory()
  store.restore(start)
  expect(store.tableIndex('tokens')).toBeGreaterThan(index)
  expect(store.directory().version).toBeGreaterThan(version)
})

test('restoring wakes every waiter, because anything may have changed', async () => {
  const start = store.snapshot()
  const token = aToken()
  const index = await store.commit([putOf('tokens', token, 0)])
  const waits = [
    store.wait('policies', index, 10_000),
    store.wait(tokenTopic(token.AccessorID), index, 10_000),
  ]
  store.restore(start)
  expect(await Promise.all(waits)).toEqual(['changed', 'changed'])
  // A later wait also returns.
  expect(await store.wait(tokenTopic(token.AccessorID), index, 10_000)).toBe('changed')
})

test('an aborted wait is removed: a later commit does not touch it', async () => {
  let cancelled = 0
  const counting = new MemoryStore({
    after: () => () => {
      cancelled += 1
    },
  })
  expect(counting.tableIndex('kv')).toBe(0)
  const leaving = new AbortController()
  const wait = counting.wait('kv', 0, 10_000, leaving.signal)
  leaving.abort()
  expect(await wait).toBe('aborted')
  await counting.commit([putOf('kv', aKey(), 0)])
  expect(cancelled).toBe(1)
})
