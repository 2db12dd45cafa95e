import { chooseSeed } from '@latchkey/testkit/random'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { startDatabaseProxy } from '../../database-proxy.ts'
import { openTestStore, putNew } from '../../store.ts'
import { startPostgresPair } from '../harness/postgres-pair.ts'
import { askDatabase } from '../harness/server-group.ts'
import { proveFailover } from './failover.ts'

test('DUR-08, COH-05: after a failover to a synchronous standby no acknowledged write is lost, no index decreases, and no lease of the old primary shows a deleted token', async () => {
  const result = await proveFailover({ seed: chooseSeed('DUR-08'), isSynchronous: true })
  expect(result.wrong).toEqual([])
  expect(result.falls).toBe(0)
  expect(result.leases).toEqual({ tried: 1, open: 1 })
  expect(result.grants).toBe(0)
  expect(result.indexAfter).toBeGreaterThan(result.indexBefore)
  expect(result.resumedMs).toBeLessThan(60_000)
})

test('COH-05: after a failover that lost writes, a process that was away shows no token that was deleted before it returned', async () => {
  const pair = await startPostgresPair({ isSynchronous: false })
  const open = async () => {
    const proxy = await startDatabaseProxy(pair.primaryUrl)
    // A server's timeouts: the longer ones of other tests would wait for the old primary.
    const limits = { connectMs: 2_000, statementMs: 1_800, answerMs: 2_000 }
    return { proxy, store: await openTestStore({ url: proxy.url, limits }) }
  }
  const returns = await open()
  const stays = await open()
  const retried = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work()
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }
  const findToken = async (store: typeof stays.store) => {
    await store.refresh('consistent')
    return store.tokenBySecret(token.SecretID)
  }
  const token = aToken()
  await stays.store.commit([putNew(token)])
  const [{ lsn } = {}] = await askDatabase(pair.primaryUrl, 'SELECT pg_current_wal_lsn()::text AS lsn')
  await expect
    .poll(() => askDatabase(pair.standbyUrl, `SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS is_there`))
    .toEqual([{ is_there: true }])
  expect(await findToken(returns.store)).toBeDefined()
  // A partition: one process with the old primary on one side, the other process with the standby on the other.
  await askDatabase(pair.standbyUrl, 'ALTER SYSTEM SET primary_conninfo = $$$$')
  await askDatabase(pair.standbyUrl, 'SELECT pg_reload_conf()')
  stays.proxy.cut()
  await expect.poll(() => askDatabase(pair.standbyUrl, 'SELECT FROM pg_stat_wal_receiver')).toEqual([])
  const lostIndex = await returns.store.commit([putNew(aToken())])
  await pair.killPrimary()
  returns.proxy.cut()
  await pair.promote()
  for (const { proxy } of [stays, returns]) proxy.switchTo(pair.standbyUrl)
  stays.proxy.heal()
  // Retries, because a commit with an unknown outcome may have deleted it.
  await retried(async () => {
    const record = await findToken(stays.store)
    if (record)
      await stays.store.commit([{ table: 'tokens', op: 'delete', record, expect: record.ModifyIndex }])
  })
  expect(await findToken(stays.store)).toBeUndefined()
  expect(stays.store.commitIndex()).toBeGreaterThan(lostIndex)
  returns.proxy.heal()
  expect(await retried(() => findToken(returns.store))).toBeUndefined()
  for (const { proxy, store } of [returns, stays]) {
    await store.close()
    await proxy.close()
  }
  await pair.remove()
})
