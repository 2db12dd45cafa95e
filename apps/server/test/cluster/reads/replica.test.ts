/** DATABASE_REPLICA_URL: a streaming standby answers only `stale` reads of records that are not in memory. */
import { randomUUID } from 'node:crypto'
import type { Token } from '@latchkey/contract'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { startDatabaseProxy } from '../../database-proxy.ts'
import { type Gateway, jsonOf, type Request } from '../harness/gateway.ts'
import { startPostgresPair } from '../harness/postgres-pair.ts'
import { MANAGEMENT, startServerGroup } from '../harness/server-group.ts'

const pair = await startPostgresPair({ isSynchronous: true })
const proxy = await startDatabaseProxy(pair.primaryUrl)
const env = { DATABASE_REPLICA_URL: pair.standbyUrl }
const group = await startServerGroup({ databaseUrl: proxy.url, count: 1, env })
const others = await startServerGroup({ databaseUrl: pair.primaryUrl, count: 1 })
const [gateway, other] = [group.gateways[0] as Gateway, others.gateways[0] as Gateway]
afterAll(async () => {
  await Promise.all([group.stop(), others.stop()])
  await proxy.close()
  await pair.remove()
})

const makeToken = async () =>
  jsonOf<Token>(await other.ask({ method: 'PUT', path: '/acl/token', token: MANAGEMENT, body: {} }))
const self = (secret: string, mode: string): Request => ({
  method: 'GET',
  path: `/acl/token/self?${mode}`,
  token: secret,
})

/** Waits until the standby has replayed a commit. */
async function untilReplayed(index: number): Promise<void> {
  const client = new pg.Client({ connectionString: pair.standbyUrl })
  await client.connect()
  try {
    const read = async () => Number((await client.query('SELECT index FROM commit_index')).rows[0]?.index)
    await expect.poll(read).toBeGreaterThanOrEqual(index)
  } finally {
    await client.end()
  }
}

test('while the primary is away, a stale read by an identity that is not in memory is answered from the replica', async () => {
  const token = await makeToken()
  await untilReplayed(token.ModifyIndex)
  proxy.cut()
  try {
    const stale = await gateway.ask(self(token.SecretID, 'stale'))
    expect(jsonOf<Token>(stale).AccessorID).toBe(token.AccessorID)
    expect((await gateway.ask(self(randomUUID(), 'stale'))).status).toBe(403)
    await expect.poll(async () => (await gateway.ask(self(token.SecretID, ''))).status).toBe(503)
    expect((await gateway.ask(self(token.SecretID, 'consistent'))).status).toBe(503)
  } finally {
    proxy.heal()
  }
  await expect.poll(async () => (await gateway.ask(self(token.SecretID, ''))).status).toBe(200)
})

test('default and consistent reads see commits that the replica has not replayed yet', async () => {
  const client = new pg.Client({ connectionString: pair.standbyUrl })
  await client.connect()
  await client.query('SELECT pg_wal_replay_pause()')
  try {
    for (const mode of ['', 'consistent']) {
      const token = await makeToken()
      expect((await gateway.ask(self(token.SecretID, mode))).status).toBe(200)
    }
  } finally {
    await client.query('SELECT pg_wal_replay_resume()')
    await client.end()
  }
})
