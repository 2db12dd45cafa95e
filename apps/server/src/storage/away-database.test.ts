import { aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { pino } from 'pino'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, PATIENT, sql } from '../../test/database.ts'
import { startDatabaseProxy } from '../../test/database-proxy.ts'
import { openTestStore, putNew } from '../../test/store.ts'
import { connectDatabase } from '../database/connect.ts'

/** Maximum time for a request to fail if the database does not answer. */
const FAIL_MS_MAX = 10_000

async function timed<T>(work: () => Promise<T>): Promise<{ outcome: PromiseSettledResult<T>; ms: number }> {
  const startedAt = performance.now()
  const [outcome] = await Promise.allSettled([work()])
  return { outcome, ms: performance.now() - startedAt }
}

describe('while the database does not answer (DUR-05)', async () => {
  const database = await createTestDatabase()
  const proxy = await startDatabaseProxy(database.url)
  const store = await openTestStore({ url: proxy.url, limits: {} })
  const other = await openTestStore({ url: database.url })
  afterAll(async () => {
    proxy.heal()
    await store.close()
    await proxy.close()
  })
  const [token, policy, unread] = [aToken(), aPolicy(), aToken()]

  test('writes and confirmed reads fail within two seconds, with Retry-After', async () => {
    await store.commit([putNew(token), { table: 'policies', op: 'put', record: policy, expect: 0 }])
    await other.commit([putNew(unread)])
    await store.refresh('consistent')
    // Loads it into memory: a commit right after the join of another process is read back from the database.
    await store.tokenBySecret(token.SecretID)
    proxy.freeze()
    // Waits for its lease to expire: until then, it answers default reads, and nothing is committed.
    await expect.poll(() => store.status().hasLease, { timeout: 20_000 }).toBe(false)
    const refused = { code: 'unavailable', details: { headers: { 'Retry-After': '1' } } }
    const attempts = await Promise.all([
      timed(async () => store.commit([putNew(aToken())])),
      timed(async () => store.refresh('default')),
      timed(async () => store.refresh('consistent')),
      timed(async () => store.tokenBySecret(unread.SecretID)),
      timed(async () => store.kvEntry('default', 'x')),
    ])
    for (const { outcome, ms } of attempts) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: refused })
      expect(ms).toBeLessThan(FAIL_MS_MAX)
    }
    expect(await store.notReady()).toEqual([expect.stringMatching(/^The database /)])
  })

  test('each process considers the others dead', async () => {
    await expect.poll(() => other.status().isAlone).toBe(true)
    const members = await other.membership.members()
    expect(members.find(({ id }) => id === store.membership.memberId)?.status).toBe('failed')
  })

  test('once it answers again, reads are confirmed, writes succeed at once, and no process believes it is alone', async () => {
    const late = aToken()
    await other.commit([putNew(late)])
    proxy.heal()
    // Frozen connections are closed at their time limits.
    await expect.poll(async () => (await store.notReady()).length).toBe(0)
    await store.refresh('default')
    expect(await store.tokenBySecret(late.SecretID)).toBeDefined()
    const own = aToken()
    await store.commit([putNew(own)])
    expect(other.status().isAlone).toBe(false)
    await other.refresh('default')
    expect(await other.tokenBySecret(own.SecretID)).toBeDefined()
  })
})

test('a process that was fenced without noticing joins again before its next write', async () => {
  const database = await createTestDatabase()
  const [one, two] = [await openTestStore({ url: database.url }), await openTestStore({ url: database.url })]
  const own = [one.membership.memberId]
  await sql(database.url, 'UPDATE member SET is_fenced = true WHERE id = $1', own)
  const token = aToken()
  await one.commit([putNew(token)])
  const fenced = await sql(database.url, 'SELECT is_fenced FROM member WHERE id = $1', own)
  expect(fenced).toEqual([{ is_fenced: false }])
  await two.refresh('default')
  expect(await two.tokenBySecret(token.SecretID)).toBeDefined()
})

test('a lone process learns of its own commit after a lost answer, without another commit', async () => {
  const { url } = await createTestDatabase()
  const database = connectDatabase({ url, log: pino({ level: 'silent' }), limits: PATIENT })
  const store = await openTestStore({ url, database })
  afterAll(async () => {
    await database.close()
  })
  const token = aToken()
  const index = await store.commit([putNew(token)])
  const query = database.pool.query.bind(database.pool) as (statement: unknown) => Promise<unknown>
  const lossy = vi.spyOn(database.pool, 'query').mockImplementation((async (statement: { name?: string }) => {
    const answer = await query(statement)
    if (statement.name !== 'commit-rows') return answer
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  }) as never)
  const record = { ...token, Description: 'changed' }
  const write = store.commit([{ table: 'tokens', op: 'put', record, expect: index }])
  await expect(write).rejects.toMatchObject({ code: 'unavailable' })
  lossy.mockRestore()
  // Found by the next heartbeat: nothing announces commits to a sole member.
  await expect.poll(() => store.tableIndex('tokens')).toBeGreaterThan(index)
  expect(await store.tokenByAccessor(token.AccessorID)).toMatchObject({ Description: 'changed' })
})
