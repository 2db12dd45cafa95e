/** Reads while the database is unreachable, and their stated age. Spec 4.1; DUR-05. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Policy, Token } from '@latchkey/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../database.ts'
import { startDatabaseProxy } from '../../database-proxy.ts'
import { type Gateway, jsonOf, type Reply, type Request } from '../harness/gateway.ts'
import { MANAGEMENT, startServerGroup } from '../harness/server-group.ts'

/** Two seconds, and a margin for busy machines. */
const FAIL_MS_MAX = 10_000
const ANSWER_MS_MAX = 1_500

const database = await createTestDatabase()
const proxy = await startDatabaseProxy(database.url)
// The second process is not behind the proxy, so the first cannot see its changes.
const group = await startServerGroup({ databaseUrl: proxy.url, count: 1 })
const others = await startServerGroup({ databaseUrl: database.url, count: 1 })
const [cut, other] = [group.gateways[0] as Gateway, others.gateways[0] as Gateway]
afterAll(async () => {
  proxy.heal()
  await Promise.all([group.stop(), others.stop()])
  await proxy.close()
  await database.drop()
})

const manage = (method: Request['method'], path: string, body?: unknown): Request => ({
  method,
  path,
  token: MANAGEMENT,
  body,
})

const policy = jsonOf<Policy>(
  await other.ask(
    manage('PUT', '/acl/policy', { Name: 'known', Rules: 'key_prefix "" { policy = "read" } acl = "read"' }),
  ),
)
const known = jsonOf<Token>(await other.ask(manage('PUT', '/acl/token', { Policies: [{ ID: policy.ID }] })))

const self = (token: Token, mode: string): Request => ({
  method: 'GET',
  path: `/acl/token/self?${mode}`,
  token: token.SecretID,
})
const read = (mode: string): Request => ({
  method: 'GET',
  path: `/acl/token/${known.AccessorID}?${mode}`,
  token: known.SecretID,
})
const list = (mode: string): Request => ({
  method: 'GET',
  path: `/acl/tokens?${mode}`,
  token: known.SecretID,
})

/** Warms the caches of the first process, cuts off its database, and waits until any lease that it holds has ended. */
async function takeAway(how: 'cut' | 'freeze'): Promise<number> {
  for (const request of [self(known, ''), read(''), list('')])
    expect((await cut.ask(request)).status).toBe(200)
  proxy[how]()
  const awaySince = performance.now()
  while ((await cut.ask(self(known, ''))).status === 200) await sleep(50)
  return awaySince
}

async function timed(request: Request): Promise<Reply & { readonly ms: number }> {
  const startedAt = performance.now()
  return { ...(await cut.ask(request)), ms: performance.now() - startedAt }
}

describe.each([
  ['refuses connections', 'cut'],
  ['is a black hole', 'freeze'],
] as const)('while the database %s', (_, how) => {
  let awaySince = 0
  beforeAll(async () => {
    awaySince = await takeAway(how)
  })

  test('default and consistent reads, and writes, are refused with 503 within two seconds', async () => {
    const requests = ['', 'consistent'].flatMap((mode) => [self(known, mode), read(mode), list(mode)])
    const replies = await Promise.all([...requests, manage('PUT', '/acl/token', {})].map(timed))
    for (const { status, ms } of replies) {
      expect(status).toBe(503)
      expect(ms).toBeLessThan(FAIL_MS_MAX)
    }
  })

  test('stale reads by known identities are answered, and do not understate their age', async () => {
    await other.ask(manage('PUT', `/acl/token/${known.AccessorID}`, { ...known, Description: how }))
    const changedAt = performance.now()
    for (const request of [self(known, 'stale'), read('stale'), list('stale')]) {
      let askedAt = performance.now()
      let reply = await timed(request)
      // A stale read must not wait for the database, which takes two seconds each time. The fastest of a few attempts counts.
      for (let i = 1; i < 10 && reply.ms >= ANSWER_MS_MAX; i += 1) {
        askedAt = performance.now()
        reply = await timed(request)
      }
      const { status, lastContactMs, knownLeader, text, ms } = reply
      expect(status).toBe(200)
      expect(knownLeader).toBe(false)
      expect(ms).toBeLessThan(ANSWER_MS_MAX)
      // It shows the state before the change, so it must state at least that age.
      expect(text).not.toContain(`"Description":"${how}"`)
      expect(lastContactMs).toBeGreaterThanOrEqual(Math.floor(askedAt - changedAt))
      expect(lastContactMs).toBeLessThanOrEqual(performance.now() - awaySince + 10_000)
    }
  })

  test('a stale answer is no older than max_stale, or there is none', async () => {
    expect((await timed(self(known, 'max_stale=10m'))).status).toBe(200)
    expect((await timed(self(known, 'max_stale=1ms'))).status).toBe(503)
  })

  test('an identity that is not in memory gets 503, not 403', async () => {
    const unknown: Request = { method: 'GET', path: '/acl/token/self?stale', token: randomUUID() }
    expect((await timed(unknown)).status).toBe(503)
  })

  test('once the database is back, all requests succeed again, without a restart', async () => {
    proxy.heal()
    await expect.poll(async () => (await cut.ask(read('consistent'))).status).toBe(200)
    expect(jsonOf<Token>(await cut.ask(read(''))).Description).toBe(how)
    expect((await cut.ask(self(known, 'stale'))).knownLeader).toBe(true)
    expect((await cut.ask(manage('PUT', '/acl/token', {}))).status).toBe(200)
  })
})
