/**
 * Faults of the link between two datacenters and of its data: two processes, two databases, and a proxy between them.
 * Ids are those of docs/reliability.md. Faults that need restarts are in restart-faults.test.ts.
 */
import { randomUUID } from 'node:crypto'

import { SeededRandom, seedOfRun } from '@latchkey/testkit/random'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { claimsWith, compact, ecKeys, pemOf, signer } from '../login/tokens.ts'
import { type Datacenter, MANAGEMENT, untilEqual } from './datacenter.ts'
import type { FaultyLink } from './faulty-link.ts'
import { type Fleet, type Secondary, startFleet } from './fleet.ts'
import { FEED, proveCuts } from './prove-cuts.ts'
import { openTamperingPrimary, type Tamper, type TamperingPrimary } from './tampering-primary.ts'

const seed = seedOfRun()
const random = new SeededRandom(seed)

const databases: TestDatabase[] = []
let fleet: Fleet
let dc1: Datacenter
let secondary: Secondary
let dc2: Datacenter
/** From dc2 to dc1. */
let link: FaultyLink
/** Between the link and dc1, for tests that change answers. */
let tampering: TamperingPrimary

beforeAll(async () => {
  databases.push(...(await Promise.all([createTestDatabase(), createTestDatabase()])))
  fleet = await startFleet(databases.map(({ url }) => url))
  dc1 = fleet.primary
  const [first] = fleet.secondaries
  if (first === undefined) throw new TypeError('there is one')
  secondary = first
  dc2 = secondary.datacenter
  link = secondary.link
  tampering = await openTamperingPrimary(dc1.url)
  await synced()
})
afterEach(() => link.heal())
afterAll(async () => {
  await fleet?.close()
  await tampering?.close()
  await Promise.all(databases.map((database) => database.drop()))
})

const synced = () => untilEqual(dc1, dc2)

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

describe('REP-12: the address leads elsewhere, and nothing is applied', () => {
  test.each<[string, () => string, Tamper | undefined, RegExp]>([
    ['to the secondary itself', () => dc2.url, undefined, /dc2/],
    ['to another datacenter', () => tampering.url, (changes) => ({ ...changes, Datacenter: 'dc9' }), /dc9/],
    [
      'to another cluster',
      () => tampering.url,
      (changes) => ({ ...changes, Cluster: randomUUID() }),
      /another cluster/,
    ],
  ])('%s', async (_, url, tamper, reason) => {
    const records = await dc2.globalRecords()
    tampering.tamper(tamper)
    link.repoint(url())
    // Otherwise the primary behind the other address would wait for a change.
    await createPolicy(`while-misled-${records.size}`)
    await untilError(reason)
    expect(await dc2.globalRecords()).toEqual(records)
    tampering.tamper(undefined)
    link.repoint(dc1.url)
    await synced()
  })
})

test.each(['SecretID', 'AccessorID'] as const)(
  'REP-15, REP-16: a global token with the %s of a Local one is set aside until the Local token is gone; everything else is replicated',
  async (field) => {
    const shared = randomUUID()
    const local = await dc2.ok('PUT', '/acl/token', { [field]: shared, Local: true, Description: 'local' })
    const global = await createToken({ [field]: shared, Description: 'global' })
    const { ID } = await createPolicy(`beside-${field}`)
    await expect.poll(async () => (await dc2.call('GET', `/acl/policy/${ID}`)).status).toBe(200)
    expect(await dc2.ok('GET', '/acl/token/self', undefined, local.SecretID)).toMatchObject({
      Local: true,
      Description: 'local',
    })
    if (field === 'AccessorID') expect(await dc2.statusOf(global.SecretID)).not.toBe(200)
    await dc2.ok('DELETE', `/acl/token/${local.AccessorID}`)
    await synced()
    expect(await dc2.ok('GET', '/acl/token/self', undefined, global.SecretID)).toMatchObject({
      Local: false,
      Description: 'global',
    })
  },
)

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

describe('REP-22: answers of a broken primary', () => {
  test('a token without a usable secret is set aside, and the rest is replicated', async () => {
    link.repoint(tampering.url)
    const hidden = await createToken({ Description: 'hidden' })
    const isHidden = ({ AccessorID }: { readonly AccessorID: string }) => AccessorID === hidden.AccessorID
    tampering.tamper((changes) => ({
      ...changes,
      Tokens: changes.Tokens.map((token) => (isHidden(token) ? { ...token, SecretID: '<hidden>' } : token)),
    }))
    await dc1.ok('PUT', `/acl/token/${hidden.AccessorID}`, { Description: 'hidden again' })
    const { ID } = await createPolicy('beside-hidden')
    await expect.poll(async () => (await dc2.call('GET', `/acl/policy/${ID}`)).status).toBe(200)
    for (const { SecretID } of await dc2.ok('GET', '/acl/tokens')) expect(SecretID).not.toBe('<hidden>')
    tampering.tamper(undefined)
    await dc1.ok('PUT', `/acl/token/${hidden.AccessorID}`, { Description: 'to be seen' })
    await synced()
  })

  test.each<[string, (text: string) => string]>([
    [
      'a description of ten megabytes',
      (text) => text.replace('"Description":""', `"Description":"${'x'.repeat(10_485_760)}"`),
    ],
    [
      'a __proto__',
      (text) => text.replace('"Description":""', '"__proto__":{"Local":false},"Description":""'),
    ],
    ['half an answer', (text) => text.slice(0, text.length / 2)],
    ['a number instead of a name', (text) => text.replace(/"Name":"[^"]*"/, '"Name":7')],
    ['an empty id', (text) => text.replace(/"ID":"[^"]*"/, '"ID":""')],
  ])('an answer with %s is refused whole, and the server lives on', async (_, change) => {
    link.repoint(tampering.url)
    const before = tampering.tampered()
    tampering.tamper((changes) => change(JSON.stringify(changes)))
    const records = await dc2.globalRecords()
    await createPolicy(`broken-${before}`)
    await expect.poll(() => tampering.tampered()).toBeGreaterThan(before)
    await untilError(/./)
    expect(await dc2.globalRecords()).toEqual(records)
    tampering.tamper(undefined)
    await synced()
  })
})

test('REP-23: a newer primary: an unknown field is left out, and a builtin policy is stored as it is', async () => {
  link.repoint(tampering.url)
  const GLOBAL_MANAGEMENT = '00000000-0000-0000-0000-000000000001'
  const newer = 'acl = "write" key_prefix "newer" { policy = "write" }'
  tampering.tamper((changes) => ({
    ...changes,
    Future: [{ Anything: true }],
    Policies: changes.Policies.map((policy) => ({
      ...policy,
      Future: 1,
      ...(policy.ID === GLOBAL_MANAGEMENT ? { Rules: newer } : {}),
    })),
  }))
  const { Name, Rules } = await dc1.ok('GET', `/acl/policy/${GLOBAL_MANAGEMENT}`)
  const touch = (Description: string) =>
    dc1.ok('PUT', `/acl/policy/${GLOBAL_MANAGEMENT}`, { Name, Rules, Description })
  await touch('newer')
  await expect
    .poll(() => dc2.ok('GET', `/acl/policy/${GLOBAL_MANAGEMENT}`))
    .toMatchObject({ Rules: newer, Description: 'newer' })
  tampering.tamper(undefined)
  await touch('as before')
  link.repoint(dc1.url)
  await synced()
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
