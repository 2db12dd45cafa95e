/**
 * Faults of the link between two datacenters and of its data: two processes, two databases, and a proxy between them.
 * Ids are those of docs/reliability.md. Faults that need restarts are in restart-faults.test.ts.
 */
import { randomUUID } from 'node:crypto'

import { SeededRandom, seedOfRun } from '@latchkey/testkit/random'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { claimsWith, compact, ecKeys, pemOf, signer } from '../login/tokens.ts'
import { MANAGEMENT, untilEqual } from './datacenter.ts'
import { type Secondary, startFleet } from './fleet.ts'
import { FEED, proveCuts } from './prove-cuts.ts'

const seed = seedOfRun()
const random = new SeededRandom(seed)

const databases = await Promise.all([createTestDatabase(), createTestDatabase()])
const fleet = await startFleet(databases.map(({ url }) => url))
const dc1 = fleet.primary
const secondary = fleet.secondaries[0] as Secondary
/** The link leads from dc2 to dc1. */
const { datacenter: dc2, link } = secondary
const synced = () => untilEqual(dc1, dc2)
await synced()
afterEach(() => link.heal())
afterAll(async () => {
  await fleet.close()
})

const createPolicy = (Name: string, Rules = ''): Promise<{ ID: string }> =>
  dc1.ok('PUT', '/acl/policy', { Name, Rules })
const createToken = (fields: object): Promise<{ AccessorID: string; SecretID: string }> =>
  dc1.ok('PUT', '/acl/token', fields)
const rename = (ID: string, Name: string) => dc1.ok('PUT', `/acl/policy/${ID}`, { Name })

/** Waits for a failure that is newer than the last success. */
const untilError = (reason: RegExp) =>
  expect
    .poll(async () => {
      const { LastSuccess, LastError, LastErrorMessage } = await dc2.replication()
      return LastError >= LastSuccess ? LastErrorMessage : undefined
    })
    .toMatch(reason)

async function timed<T>(work: Promise<T>): Promise<{ readonly answer: T; readonly ms: number }> {
  const startedAt = performance.now()
  return { answer: await work, ms: performance.now() - startedAt }
}

describe('REP-27: a name that is not a datacenter is refused, and no connection is made', () => {
  const NAMES = ['nowhere', 'DC1', 'dc1%20', 'dc1/../x', 'dc1@host', 'dc1%00', '127.0.0.1', 'x'.repeat(4_000)]
  test.each(NAMES.map((name) => [name.slice(0, 20), name]))('%s', async (_, name) => {
    for (const [method, path] of [
      ['GET', '/acl/tokens'],
      ['PUT', '/kv/key'],
      ['PUT', '/acl/token'],
      ['GET', '/acl/replication'],
    ] as const) {
      const { status, body } = await dc2.call(
        method,
        `${path}?dc=${name}`,
        method === 'GET' ? undefined : '{}',
      )
      expect([status, String(body).slice(0, 21)]).toEqual([400, 'No path to datacenter'])
    }
    expect((await dc2.call('GET', `/acl/tokens?dc=${'x'.repeat(10_000)}`)).status).toBe(414)
    expect(link.exchanges(/dc=/)).toEqual([])
  })
})

test('REP-02: the primary hangs: 504 for forwarded requests, and nothing else in the secondary waits', async () => {
  const { ID } = await createPolicy('before-the-hang')
  const held = await createToken({ Policies: [{ ID }] })
  await synced()
  link.cause({ kind: 'hang' })
  const asked = [
    timed(dc2.call('PUT', '/kv/hung?dc=dc1', 'x')),
    timed(dc2.call('PUT', '/acl/policy', { Name: 'hung' })),
  ]
  const own = await timed(
    (async () => {
      expect(await dc2.statusOf(held.SecretID)).toBe(200)
      const local = await dc2.ok('PUT', '/acl/token', { Local: true })
      expect(await dc2.statusOf(local.SecretID)).toBe(200)
      await dc2.ok('DELETE', `/acl/token/${local.AccessorID}`)
    })(),
  )
  for (const { answer, ms } of await Promise.all(asked)) {
    expect([answer.status, ms > own.ms]).toEqual([504, true])
  }
  link.heal()
  await dc1.ok('DELETE', `/acl/policy/${ID}`)
  await synced()
})

test('REP-04: answers cut and truncated at random bytes: no partial answer is applied, and everything arrives in the end', async () => {
  expect(await proveCuts({ primary: dc1, secondary, random, cuts: 8 })).toEqual({ cuts: 8, torn: [] })
})

test('REP-06: a repeated answer and a late one change nothing and wake no client', async () => {
  await createPolicy('once')
  await synced()
  await createPolicy('twice')
  await synced()
  const answers = link
    .exchanges(FEED)
    .map(({ answer }) => Buffer.concat(answer))
    .filter((answer) => answer.includes('"once"') || answer.includes('"twice"'))
  expect(answers.length).toBeGreaterThan(1)
  const { ReplicatedIndex } = await dc2.replication()
  const response = await fetch(`${dc2.url}/v1/acl/policies`, { headers: { 'X-Service-Token': MANAGEMENT } })
  const index = response.headers.get('x-service-index')
  let isWoken = false
  const waiting = dc2.ok('GET', `/acl/policies?wait=5m&index=${index}`).finally(() => {
    isWoken = true
  })
  for (const answer of answers) {
    const before = link.replayed
    link.cause({ kind: 'replay', answer }, FEED)
    link.cutAll()
    await expect.poll(() => link.replayed).toBeGreaterThan(before + 2)
    expect([isWoken, (await dc2.replication()).ReplicatedIndex]).toEqual([false, ReplicatedIndex])
    link.heal()
    link.cutAll()
  }
  await createPolicy('afterwards')
  expect(JSON.stringify(await waiting)).toContain('afterwards')
  await synced()
})

test('REP-10: a replication token with too few rights, an unknown one and a deleted one: the secondary keeps its state, and a good token lets it continue', async () => {
  const set = (Token: string) => dc2.ok('PUT', '/agent/token/replication', { Token })
  const rights = { weak: 'acl = "read"', strong: 'acl = "write"' }
  const secrets: string[] = [randomUUID()]
  for (const [name, rules] of Object.entries(rights)) {
    const { ID } = await createPolicy(`replication-${name}`, rules)
    secrets.push((await createToken({ Policies: [{ ID }] })).SecretID)
  }
  const [unknown = '', weak = '', strong = ''] = secrets
  await synced()
  for (const [bad, reason] of [
    [unknown, /unknown/],
    [weak, /acl:write/],
    [strong, /unknown/],
  ] as const) {
    await set(bad)
    if (bad === strong) {
      await createPolicy('by-another-token')
      await synced()
      const { AccessorID } = await dc1.ok('GET', '/acl/token/self', undefined, strong)
      await dc1.ok('DELETE', `/acl/token/${AccessorID}`)
    }
    // A request in progress still has the previous token, and waits for a change.
    await dc1.ok('PUT', '/acl/token', { Description: 'a change' })
    link.cutAll()
    await untilError(reason)
    const { ID } = await createPolicy(`not-yet-${reason.source}-${bad === strong}`.replace(':', '-'))
    expect((await dc2.replication()).LastErrorMessage).not.toContain(bad)
    expect((await dc2.call('GET', `/acl/policy/${ID}`)).status).toBe(404)
    await set('')
    await synced()
  }
})

test('REP-17: names swapped, renamed in a chain, and given to a new record all arrive in one answer', async () => {
  const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map((name) => createPolicy(`name-${name}`)))
  const role = await dc1.ok('PUT', '/acl/role', { Name: 'name-a', Policies: [{ ID: a?.ID }] })
  const token = await createToken({ Description: 'first' })
  await synced()
  link.cause({ kind: 'hang' })
  await rename(a?.ID ?? '', 'name-between')
  await rename(b?.ID ?? '', 'name-a')
  await rename(c?.ID ?? '', 'name-b')
  await rename(a?.ID ?? '', 'name-c')
  await dc1.ok('DELETE', `/acl/policy/${d?.ID}`)
  await createPolicy('name-d')
  await dc1.ok('DELETE', `/acl/role/${role.ID}`)
  await dc1.ok('PUT', '/acl/role', { Name: 'name-a' })
  await dc1.ok('DELETE', `/acl/token/${token.AccessorID}`)
  await createToken({ SecretID: token.SecretID, Description: 'second' })
  link.heal()
  await synced()
})

test('REP-18: on a slow link, no token may do in the secondary what its deny policy always forbade', async () => {
  const allow = await createPolicy('allow-all', 'key_prefix "" { policy = "write" }')
  await synced()
  for (let round = 0; round < 4; round += 1) {
    const SecretID = randomUUID()
    link.cause({ kind: 'delay', ms: 20 + random.below(150) })
    const deny = await createPolicy(`deny-${round}`, 'key_prefix "secret" { policy = "deny" }')
    await createToken({ SecretID, Policies: [{ ID: allow.ID }, { ID: deny.ID }] })
    let isThere = false
    while (!isThere) {
      expect((await dc2.call('PUT', '/kv/secret', 'x', SecretID)).status).toBe(403)
      isThere = (await dc2.call('PUT', '/kv/open', 'x', SecretID)).status === 200
    }
    link.heal()
  }
})

test('REP-24: the answer of a forwarded write is lost: 504, the record arrives, and a second try with its ids is 409', async () => {
  const AccessorID = randomUUID()
  const body = { AccessorID, SecretID: randomUUID() }
  link.cause({ kind: 'cut', afterBytes: 0 }, /^PUT \/v1\/acl\/token/)
  expect((await dc2.call('PUT', '/acl/token', body)).status).toBe(504)
  link.heal()
  await expect.poll(() => dc2.statusOf(body.SecretID)).toBe(200)
  expect((await dc2.call('PUT', '/acl/token', body)).status).toBe(409)
  await synced()
})

test('REP-28: an auth method is deleted: its global tokens are refused in the secondary', async () => {
  const keys = ecKeys()
  const name = 'provider'
  const Config = { JWTValidationPubKeys: [pemOf(keys)], BoundIssuer: 'iss', BoundAudiences: ['aud'] }
  await dc1.ok('PUT', '/acl/auth-method', { Name: name, Type: 'jwt', TokenLocality: 'global', Config })
  await dc1.ok('PUT', '/acl/binding-rule', { AuthMethod: name, BindType: 'service', BindName: 'web' })
  const iat = Math.floor(Date.now() / 1_000)
  const BearerToken = compact({ alg: 'ES256' }, claimsWith({ iat, exp: iat + 600 }), signer('ES256', keys))
  const logIn = () => dc1.ok('POST', '/acl/login', { AuthMethod: name, BearerToken })
  const tokens: { SecretID: string }[] = []
  for (let i = 0; i < 5; i += 1) tokens.push(...(await Promise.all(Array.from({ length: 10 }, logIn))))
  await synced()
  const statuses = async () =>
    new Set(await Promise.all(tokens.map(({ SecretID }) => dc2.statusOf(SecretID))))
  expect(await statuses()).toEqual(new Set([200]))
  await dc1.ok('DELETE', `/acl/auth-method/${name}`)
  await expect.poll(statuses).toEqual(new Set([403]))
  await synced()
})
