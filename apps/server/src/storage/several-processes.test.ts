import { setTimeout as sleep } from 'node:timers/promises'
import { StoreConflict } from '@latchkey/service'
import { aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test, vi } from 'vitest'
import { createTestDatabase, sql } from '../../test/database.ts'
import { openTestStore, putNew } from '../../test/store.ts'
import type { PostgresStore } from './open-store.ts'

/** Several stores in this process behave as several processes do: they share only the database. */
const { url } = await createTestDatabase()

function isAlone(store: PostgresStore): boolean {
  return store.status().isAlone
}

test('COH-02: a sole member waits after a takeover that its heartbeat noticed', async () => {
  const own = await createTestDatabase()
  const store = await openTestStore({ url: own.url })
  await store.commit([putNew(aToken())])
  const before = store.status().closings.count
  await sql(own.url, `UPDATE commit_index SET timeline = 'an earlier one'`)
  const phase = () => sql(own.url, 'SELECT lease_phase FROM commit_index')
  await expect.poll(phase).toEqual([{ lease_phase: 'blind' }])
  await store.commit([putNew(aToken())])
  expect(store.status().closings.count).toBe(before + 1)
  await store.close()
})

test('AUTHZ-01: servers of two datacenters cannot share a database at the same time', async () => {
  const own = await createTestDatabase()
  const member = (datacenter: string) => ({ datacenter, node: 'test', version: '1.11.0' })
  const here = await openTestStore({ url: own.url, member: member('dc1') })
  const there = () => openTestStore({ url: own.url, member: member('dc2') })
  await expect(there()).rejects.toThrow('Servers of the datacenter "dc1" use this database')
  // The refused server left no trace: the first one continues, and another one of its datacenter may join.
  await here.commit([putNew(aToken())])
  const second = await openTestStore({ url: own.url, member: member('dc1') })
  await Promise.all([here.close(), second.close()])
  // Renamed while no server runs.
  const renamed = await there()
  await renamed.close()
})

describe('two processes', async () => {
  const one = await openTestStore({ url })
  const two = await openTestStore({ url })

  test('failed members of a node are forgotten on request, and living ones are not', async () => {
    await sql(
      url,
      `INSERT INTO member (id, datacenter, node, version, mode, address, process, started_at, heartbeat_at,
      join_index, seen_index) VALUES ('x', 'dc1', 'Gone', '1.11.0', 'enabled', '', '', now() - interval '1 hour', now() - interval '1 minute', 0, 0)`,
    )
    const statusOf = async () => (await one.membership.members()).find(({ id }) => id === 'x')?.status
    expect(await statusOf()).toBe('failed')
    expect(await one.membership.forceLeave('test')).toBe('alive')
    expect(await one.membership.forceLeave('none')).toBe(0)
    expect(await two.membership.forceLeave('gone')).toBe(1)
    expect(await statusOf()).toBeUndefined()
  })

  test('COH-02: without writes both answer from their own state, and a commit of one first ends the lease of the other', async () => {
    const stores = [one, two]
    const holdBoth = async () => {
      for (const store of stores) await store.refresh('default')
      return stores.every((store) => store.status().hasLease)
    }
    await expect.poll(holdBoth, { timeout: 20_000 }).toBe(true)
    const { leasedReads, closings } = two.status()
    expect(two.memory.freshness('default')).toEqual({ knownLeader: true, lastContactMs: 0 })
    expect(two.status().leasedReads).toBe(leasedReads + 1)
    const token = aToken()
    expect(await two.tokenBySecret(token.SecretID)).toBeUndefined()
    const before = one.status().closings.count
    await one.commit([putNew(token)])
    expect(one.status().closings.count).toBe(before + 1)
    expect(two.status().closings).toEqual(closings)
    await two.refresh('default')
    expect(await two.tokenBySecret(token.SecretID)).toBeDefined()
  })

  test('COH-08: of 64 equal creates on both, one wins', async () => {
    for (let round = 0; round < 10; round += 1) {
      const token = aToken()
      const creates = Array.from({ length: 64 }, (_, i) => (i % 2 === 0 ? one : two).commit([putNew(token)]))
      const outcomes = await Promise.allSettled(creates)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(StoreConflict)
      }
    }
  })

  test('COH-04: even while its change feed is cut repeatedly, because it also polls', async () => {
    const cut = () =>
      sql(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'latchkey-feed' AND datname = current_database()`,
      )
    // One after another: on a busy machine, queued cuts would continue long after the end.
    let isCutting = true
    const cutting = (async () => {
      while (isCutting) {
        await cut()
        await sleep(20)
      }
    })()
    try {
      for (let round = 0; round < 3; round += 1) {
        const index = await one.commit([putNew(aToken())])
        await two.refresh('default')
        const wait = two.wait('policies', index, 30_000)
        await cut()
        await one.commit([{ table: 'policies', op: 'put', record: aPolicy(), expect: 0 }])
        expect(await wait).toBe('changed')
      }
    } finally {
      isCutting = false
      await cutting
    }
    const areConnected = () => one.status().isFeedConnected && two.status().isFeedConnected
    await expect.poll(areConnected).toBe(true)
    expect(two.status().feed.connections).toBeGreaterThan(1)
  })

  test('exactly one of them runs the single-winner jobs; when it leaves, another takes over', async () => {
    const winners = async (stores: readonly PostgresStore[]) =>
      (await Promise.all(stores.map((store) => store.asLeader(async () => store)))).filter(Boolean)
    const third = await openTestStore({ url })
    // Either may win, because the connections that decide it were just cut.
    await expect.poll(() => winners([one, two, third])).toHaveLength(1)
    await third.close()
    await expect.poll(() => winners([one, two])).toHaveLength(1)
    expect(await winners([third])).toEqual([])
  })

  test('both are members, with what they published', async () => {
    await one.membership.announce('127.0.0.1:1')
    await one.membership.setMode('enabled')
    const members = (await two.membership.members()).filter(({ status }) => status === 'alive')
    expect(members.map(({ id }) => id).sort()).toEqual(
      [one.membership.memberId, two.membership.memberId].sort(),
    )
    expect(members.find(({ id }) => id === one.membership.memberId)).toMatchObject({
      datacenter: 'dc1',
      version: '1.11.0',
      mode: 'enabled',
      address: '127.0.0.1:1',
    })
  })

  test('after the log was pruned, the whole state is read, and every waiter reads again', async () => {
    const policy = aPolicy()
    const known = await two.tokenBySecret((await anyToken(two)).SecretID)
    await sql(url, 'UPDATE commit_index SET pruned = index + 1, index = index + 1')
    const wait = two.wait('roles', two.tableIndex('roles'), 5_000)
    await one.commit([{ table: 'policies', op: 'put', record: policy, expect: 0 }])
    await two.refresh('default')
    expect(await wait).toBe('changed')
    expect(two.directory().policy(policy.ID)?.Name).toBe(policy.Name)
    expect(await two.tokenBySecret(known?.SecretID ?? '')).toEqual(known)
  })

  test('COH-05: after the database has lost commits, the index continues above every index that was shown', async () => {
    const lost = aToken()
    await one.commit([putNew(lost)])
    await Promise.all([one.refresh('consistent'), two.refresh('consistent')])
    const seen = one.tableIndex('tokens')
    await sql(url, 'DELETE FROM token WHERE accessor_id = $1', [lost.AccessorID])
    await sql(url, 'UPDATE commit_index SET index = index - 1, tokens = tokens - 1')
    await sql(url, 'DELETE FROM change WHERE index = $1', [seen])
    const index = await two.commit([putNew(aToken())])
    expect(index).toBeGreaterThan(seen)
    await one.refresh('default')
    expect(await one.tokenByAccessor(lost.AccessorID)).toBeUndefined()
    expect(one.tableIndex('tokens')).toBe(index)

    await sql(url, 'UPDATE commit_index SET index = index - 1, tokens = tokens - 1')
    await one.refresh('consistent')
    expect(await one.commit([putNew(aToken())])).toBeGreaterThan(index)
  })

  test('only changes that every process has applied are pruned', async () => {
    const log = async () => {
      const rows = await sql(url, 'SELECT index::int AS index FROM change ORDER BY 1')
      return rows.map(({ index }) => Number(index))
    }
    for (let i = 0; i < 5; i += 1) await one.commit([putNew(aToken())])
    const before = await log()
    await sql(url, "SELECT latchkey_prune_log(interval '1 hour', interval '1 day', 1000000)")
    expect(await log()).toEqual(before)

    const seen = Number(before.at(-3))
    // One transaction, so that no heartbeat arrives in between.
    await sql(
      url,
      `BEGIN; UPDATE member SET seen_index = greatest(seen_index, ${seen});
      UPDATE member SET seen_index = ${seen} WHERE id = '${two.membership.memberId}';
      SELECT latchkey_prune_log(interval '0', interval '1 day', 1000000); COMMIT`,
    )
    expect(await log()).toEqual(before.slice(-2))
    await two.refresh('consistent')
    expect(two.tableIndex('tokens')).toBe(before.at(-1))
  })
})

describe('one process', () => {
  test('answers from its own state only while it is alone', async () => {
    const own = await createTestDatabase()
    const first = await openTestStore({ url: own.url })
    await expect.poll(() => isAlone(first)).toBe(true)
    const { confirmations } = first.status()
    expect(first.memory.freshness('default')).toEqual({ knownLeader: true, lastContactMs: 0 })
    expect(first.status().confirmations).toBe(confirmations)

    const second = await openTestStore({ url: own.url })
    // From the moment the second process answers requests, and before.
    expect(isAlone(first)).toBe(false)
    expect(isAlone(second)).toBe(false)
    const token = aToken()
    await second.commit([putNew(token)])
    await first.refresh('default')
    expect(await first.tokenBySecret(token.SecretID)).toBeDefined()

    await second.close()
    await expect.poll(() => isAlone(first)).toBe(true)
    expect((await first.membership.members()).map(({ status }) => status).sort()).toEqual([
      'alive',
      'stopped',
    ])
    await first.close()
  })
})

async function anyToken(store: PostgresStore): Promise<{ readonly SecretID: string }> {
  for await (const [token] of store.tokens({ limit: 1 })) if (token) return token
  throw new TypeError('no token')
}

test('a process that leaves for good takes the ended processes of its name along; one that never listened takes none', async () => {
  const own = await createTestDatabase()
  const member = (node: string) => ({ datacenter: 'dc1', node, version: '1.11.0' })
  const observer = await openTestStore({ url: own.url, member: member('other') })
  const seen = async () =>
    (await observer.membership.members()).flatMap(({ id, status }) =>
      id.length < 3 ? [`${id} ${status}`] : [],
    )
  /** Rows of killed processes: one is not yet known to have failed, and one belongs to another server. */
  const plant = `INSERT INTO member (id, datacenter, node, version, mode, address, process, started_at, heartbeat_at,
    join_index, seen_index) SELECT id, 'dc1', node, '1.3.1', 'unknown', '', '', now() - interval '1 hour',
    now() - silent, 0, 0 FROM (VALUES ('a', 'Gone', interval '1 minute'), ('b', 'gone', interval '1 second'),
    ('c', 'third', interval '1 minute')) AS row (id, node, silent)`
  await sql(own.url, plant)
  const refused = await openTestStore({ url: own.url, member: member('gone') })
  await refused.close(true)
  expect((await seen()).sort()).toEqual(['a failed', 'b alive', 'c failed'])
  const successor = await openTestStore({ url: own.url, member: member('gone') })
  await successor.membership.announce('127.0.0.1:1')
  await successor.close(true)
  expect(await seen()).toEqual(['c failed'])
})

test('COH-02: a member that has returned since it looked silent is not forced out', async () => {
  const own = await createTestDatabase()
  const node = (name: string) => ({ datacenter: 'dc1', node: name, version: '1.11.0' })
  const one = await openTestStore({ url: own.url, member: node('one') })
  const other = await openTestStore({ url: own.url, member: node('other') })
  const seen = (await one.membership.members()).map((member) => ({ ...member, status: 'failed' as const }))
  await other.membership.announce('127.0.0.1:1')
  vi.spyOn(one.membership, 'members').mockResolvedValue(seen)
  await one.membership.forceLeave('other')
  vi.restoreAllMocks()
  expect((await one.membership.members()).map(({ node, status }) => [node, status])).toEqual([
    ['one', 'alive'],
    ['other', 'alive'],
  ])
  await Promise.all([one.close(), other.close()])
})

test('COH-02: a join that waited for leases gives up a lease that this process obtained in the meantime', async () => {
  const own = await createTestDatabase()
  const one = await openTestStore({ url: own.url })
  const holder = await openTestStore({ url: own.url })
  await expect
    .poll(
      async () => {
        await Promise.all([one.refresh('default'), holder.refresh('default')])
        return holder.status().hasLease
      },
      { interval: 5 },
    )
    .toBe(true)
  const { closing, lease } = one.membership
  const ended = closing.ended.bind(closing)
  vi.spyOn(closing, 'ended').mockImplementationOnce(async (leases) => {
    await ended(leases)
    lease.grant(lease.ask())
    expect(lease.isValid()).toBe(true)
    vi.spyOn(lease, 'drop')
  })
  await one.membership.rejoin()
  expect(lease.drop).toHaveBeenCalled()
  vi.restoreAllMocks()
  await Promise.all([one.close(), holder.close()])
})
