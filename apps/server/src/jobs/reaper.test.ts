/** Expired tokens already act as absent; the reaper frees their rows and ids. Spec 3; EXP-05. */

import { formatInstant } from '@latchkey/contract'
import { MemoryStore, StoreConflict } from '@latchkey/service'
import { aMethod, aToken } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { orphanReaper, REAP_INTERVAL_MS, reapExpiredTokens, reapedHere, reapIdleTokens } from './reaper.ts'

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

test('a secondary removes only its Local tokens, however many global ones wait for the primary', async () => {
  const store = await aStoreOf(Array.from({ length: BATCH_SIZE_MAX + 1 }, () => -1_000))
  const made = [
    { ExpirationTime: formatInstant(NOW - 1) },
    { AuthMethod: 'gone', AuthMethodNamespace: 'default', AuthMethodGeneration: 7 },
    { AuthMethod: 'idle', AuthMethodNamespace: 'default', AuthMethodGeneration: 8 },
  ]
  const pairs = made.flatMap((fields) => [aToken({ ...fields, Local: true }), aToken(fields)])
  const method = aMethod({ Name: 'idle', Generation: 8, IdleTTL: '1m0s', IdleSince: '2020-01-01T00:00:00Z' })
  await store.commit([
    { table: 'authMethods', op: 'put', record: method, expect: 0 },
    ...pairs.map((record) => ({ table: 'tokens', op: 'put', record, expect: 0 }) as const),
  ])
  const scope = reapedHere(true)
  expect(await reapExpiredTokens(store, NOW, scope)).toMatchObject({ removed: 1 })
  expect(await reapIdleTokens(store, NOW, scope)).toBe(1)
  const look = orphanReaper(
    store,
    (work) => work(),
    () => scope,
  )
  await look()
  const left = [...store.snapshot().tokens.values()]
  expect([left.length, left.some(({ Local }) => Local)]).toEqual([BATCH_SIZE_MAX + 1 + made.length, false])
})

test.each([
  [[1_001], 1_000],
  [[-1, 400, 600], 400],
  [[-1, 0, 1], 5],
  [[undefined], 1_000],
])(
  'with tokens that expire in %j ms, the next round follows in %i ms: expiry wakes watchers',
  async (offsets, nextInMs) => {
    expect(await reapExpiredTokens(await aStoreOf(offsets), NOW)).toMatchObject({ nextInMs })
  },
)

test.each([BATCH_SIZE_MAX - 1, BATCH_SIZE_MAX, BATCH_SIZE_MAX + 1])(
  'EXP-05: of %d expired tokens at most a batch in one commit, the oldest first; a full batch reports that more may wait',
  async (count) => {
    const store = await aStoreOf(Array.from({ length: count }, (_, i) => -1 - i))
    const before = store.tableIndex('tokens')
    expect(await reapExpiredTokens(store, NOW)).toEqual({
      removed: Math.min(count, BATCH_SIZE_MAX),
      nextInMs: count >= BATCH_SIZE_MAX ? 0 : REAP_INTERVAL_MS,
    })
    expect(store.tableIndex('tokens')).toBe(before + 1)
    expect([...store.snapshot().tokens.values()].map(({ ExpirationTime }) => ExpirationTime)).toEqual(
      count > BATCH_SIZE_MAX ? [formatInstant(NOW - 1)] : [],
    )
  },
)

describe('tokens of auth methods that are gone', () => {
  /** A store with a method, this many tokens of it, and one token of another method; and how often it was searched. */
  async function aStoreWith(count: number) {
    const store = new MemoryStore({ after: () => () => {} })
    const [method, other] = [aMethod({ Generation: 7 }), aMethod({ Generation: 8 })]
    for (const record of [method, other]) {
      await store.commit([{ table: 'authMethods', op: 'put', record, expect: 0 }])
    }
    const made = [...Array.from({ length: count }, () => method), other].map(({ Name, Generation }) =>
      aToken({ AuthMethod: Name, AuthMethodNamespace: 'default', AuthMethodGeneration: Generation }),
    )
    await store.commit(made.map((record) => ({ table: 'tokens', op: 'put', record, expect: 0 }) as const))
    const search = store.orphanedTokens.bind(store)
    const seen = { searches: 0 }
    store.orphanedTokens = async (limit, scope) => {
      seen.searches += 1
      return search(limit, scope)
    }
    const deleteMethod = async () => {
      const [record] = [...store.directory().authMethods()].filter(({ Name }) => Name === method.Name)
      if (!record) throw new TypeError('the method is gone')
      await store.commit([{ table: 'authMethods', op: 'delete', record, expect: record.ModifyIndex }])
    }
    return { store, seen, deleteMethod, other }
  }

  test('are removed in batches, and searched again only after a change of a method', async () => {
    const { store, seen, deleteMethod, other } = await aStoreWith(BATCH_SIZE_MAX + 1)
    const look = orphanReaper(store, (work) => work())
    expect([await look(), await look(), seen.searches]).toEqual([REAP_INTERVAL_MS, REAP_INTERVAL_MS, 1])
    await deleteMethod()
    expect([await look(), sizeOf(store)]).toEqual([0, 2])
    expect([await look(), sizeOf(store)]).toEqual([REAP_INTERVAL_MS, 1])
    expect([...store.snapshot().tokens.values()].map(({ AuthMethod }) => AuthMethod)).toEqual([other.Name])
    expect([await look(), await look(), seen.searches]).toEqual([REAP_INTERVAL_MS, REAP_INTERVAL_MS, 4])
  })

  test('that are global are removed once a promotion leaves them to this datacenter', async () => {
    const { store, deleteMethod } = await aStoreWith(1)
    await deleteMethod()
    let isInSecondary = true
    const look = orphanReaper(
      store,
      (work) => work(),
      () => reapedHere(isInSecondary),
    )
    expect([await look(), sizeOf(store)]).toEqual([REAP_INTERVAL_MS, 2])
    isInSecondary = false
    expect([await look(), sizeOf(store)]).toEqual([REAP_INTERVAL_MS, 1])
  })

  test('are left to the leader, whose work another process can take over', async () => {
    const { store, seen, deleteMethod } = await aStoreWith(1)
    await deleteMethod()
    let isWinner = false
    const look = orphanReaper(store, async (work) => (isWinner ? work() : undefined))
    expect([await look(), sizeOf(store), seen.searches]).toEqual([REAP_INTERVAL_MS, 2, 0])
    isWinner = true
    expect([await look(), sizeOf(store)]).toEqual([REAP_INTERVAL_MS, 1])
  })
})

test('removes tokens of methods with an idle limit once they were idle for a tenth longer', async () => {
  const store = await aStoreOf([undefined])
  const at = (ms: number) => formatInstant(NOW + ms)
  const idle = { IdleTTL: '10m0s', IdleSince: at(-700_000) }
  const methods = [
    aMethod({ ...idle, Generation: 1 }),
    aMethod({ ...idle, Generation: 2, IdleSince: at(-659_999) }),
  ]
  await store.commit(
    methods.map((record) => ({ table: 'authMethods', op: 'put', record, expect: 0 }) as const),
  )
  const tokens = [1, 1, 1, 2, 3].map((AuthMethodGeneration, i) =>
    aToken({
      AuthMethodGeneration,
      AuthMethodNamespace: 'default',
      CreateTime: at(i === 0 ? -659_999 : -900_000),
    }),
  )
  await store.commit(tokens.map((record) => ({ table: 'tokens', op: 'put', record, expect: 0 }) as const))
  const [, used, dead] = tokens
  const limit = { ttlMs: 600_000, since: NOW - 700_000 }
  await store.tokenUses.use({ accessorId: used?.AccessorID ?? '', limit, now: NOW - 100_000, until: NOW - 1 })
  expect(await reapIdleTokens(store, NOW)).toBe(1)
  expect([await store.tokenBySecret(dead?.SecretID ?? ''), sizeOf(store)]).toEqual([undefined, 5])
  expect(await reapIdleTokens(store, NOW + 1)).toBe(1)
  expect(sizeOf(store)).toBe(3)
})

describe('beside others', () => {
  test('a concurrent delete costs only one round', async () => {
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
    expect(await reapExpiredTokens(store, NOW)).toMatchObject({ removed: 0 })
    expect(sizeOf(store)).toBe(1)
    expect(await reapExpiredTokens(store, NOW)).toMatchObject({ removed: 1 })
    expect(sizeOf(store)).toBe(0)
  })

  test('rethrows a store error that is no conflict', async () => {
    const store = await aStoreOf([-1])
    store.commit = async () => {
      throw new Error('disk')
    }
    await expect(reapExpiredTokens(store, NOW)).rejects.toThrow('disk')
    store.commit = async () => {
      throw new StoreConflict('changed')
    }
    expect(await reapExpiredTokens(store, NOW)).toMatchObject({ removed: 0 })
  })
})
