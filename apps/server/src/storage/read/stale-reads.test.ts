import type { TokenRecord } from '@latchkey/acl'
import type { Store } from '@latchkey/service'
import { aNamespace, aToken } from '@latchkey/testkit/records/record-builders'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { startDatabaseProxy } from '../../../test/database-proxy.ts'
import { openTestStore, putNew } from '../../../test/store.ts'
import { connectDatabase } from '../../database/connect.ts'
import type { PostgresStore } from '../open-store.ts'

const log = pino({ level: 'silent' })
const primary = await createTestDatabase()
/** A second connection to the primary acts as a current replica, and an empty database as a lagging one. */
const replica = connectDatabase({ url: primary.url, log })
const lagging = await createTestDatabase()
const laggingReplica = connectDatabase({ url: lagging.url, log })
const proxy = await startDatabaseProxy(primary.url)
afterAll(async () => {
  await Promise.all([replica.close(), laggingReplica.close()])
  await proxy.close()
})

async function list(store: Store, namespace: string): Promise<TokenRecord[]> {
  const tokens: TokenRecord[] = []
  for await (const page of store.tokens({ namespace })) tokens.push(...page)
  return tokens
}

/** The view of a store that has a replica. */
function staleOf({ stale }: PostgresStore): Store {
  return stale ?? expect.fail('there is no replica')
}

const unread = [aToken({ Namespace: 'unread' }), aToken({ Namespace: 'unread' })] as const

test('records not in memory come from the replica while the primary is away; other modes do not use it', async () => {
  const store = await openTestStore({ url: proxy.url, replica, limits: {} })
  const writer = await openTestStore({ url: primary.url })
  const record = aNamespace({ Name: 'unread' })
  await writer.commit([{ table: 'namespaces', op: 'put', record, expect: 0 }])
  await writer.commit(unread.map(putNew))
  await store.refresh('consistent')
  expect(await list(store, 'unread')).toHaveLength(2)
  expect(store.status().cache.replicaReads).toBe(0)

  const cold = await openTestStore({ url: proxy.url, replica, limits: {} })
  proxy.freeze()
  expect(await list(staleOf(cold), 'unread')).toHaveLength(2)
  expect(await staleOf(cold).tokenBySecret(unread[0].SecretID)).toMatchObject({
    AccessorID: unread[0].AccessorID,
  })
  expect(await staleOf(cold).tokenByAccessor(unread[1].AccessorID)).toMatchObject({
    SecretID: unread[1].SecretID,
  })
  expect(await staleOf(cold).tokenBySecret(aToken().SecretID)).toBeUndefined()
  expect(cold.status().cache.replicaReads).toBe(4)
  await expect(cold.tokenByAccessor(aToken().AccessorID)).rejects.toMatchObject({ code: 'unavailable' })
  expect(cold.status().cache.replicaReads).toBe(4)
  proxy.heal()
  await Promise.all([store.close(), cold.close(), writer.close()])
})

test('a replica that lags behind the reported state is not used', async () => {
  const store = await openTestStore({ url: primary.url, replica: laggingReplica })
  expect(await staleOf(store).tokenBySecret(unread[0].SecretID)).toMatchObject({
    SecretID: unread[0].SecretID,
  })
  expect(await list(staleOf(store), 'unread')).toHaveLength(2)
  expect(store.status().cache.replicaReads).toBe(2)
  await store.close()
})

test('the age of a stale answer is 0 under a lease, otherwise the time since the last confirmation', async () => {
  const one = await openTestStore({ url: lagging.url })
  await expect.poll(() => one.status().hasLease, { timeout: 20_000 }).toBe(true)
  expect(await one.refresh('stale')).toEqual({ knownLeader: true, lastContactMs: 0 })
  const two = await openTestStore({ url: lagging.url })
  const askedAt = performance.now()
  await two.refresh('consistent')
  two.membership.lease.drop()
  const { lastContactMs } = await two.refresh('stale')
  expect(lastContactMs).toBeGreaterThan(0)
  expect(lastContactMs).toBeLessThanOrEqual(Math.ceil(performance.now() - askedAt))
  await Promise.all([one.close(), two.close()])
})
