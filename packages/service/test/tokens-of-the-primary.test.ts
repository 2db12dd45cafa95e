/** A secondary that does not replicate tokens, and requests them from the primary. Decisions: tokens of the primary. */

import type { DownPolicy } from '@latchkey/acl'
import type { Token } from '@latchkey/contract'
import { type Datacenters, datacenterUnreachable } from '@latchkey/service'
import { putOf } from '@latchkey/testkit/records/changes'
import { aMethod, aToken } from '@latchkey/testkit/records/record-builders'
import { aFleet, type Fleet } from '@latchkey/testkit/service/fleet'
import { MANAGEMENT, WANTS_PROBLEM } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'

const TTL_MS = 30_000

interface Off extends Fleet {
  setAway(isAway: boolean): void
  /** Makes the primary hang from now on. */
  hang(): void
  /** Number of requests to the primary so far. */
  asked(): number
  self(token: string): Promise<number>
  canRead(token?: string): Promise<number>
}

async function aFleetWithoutTokens(
  downPolicy: DownPolicy = 'extend-cache',
  defaultPolicy: 'allow' | 'deny' = 'deny',
): Promise<Off> {
  let isAway = false
  let isHung = false
  const fleet: Fleet = await aFleet({
    secondary: {
      defaultPolicy,
      tokensOfPrimary: { downPolicy },
      datacenters: {
        names: ['dc1'],
        send: async (name, request) => {
          count += 1
          if (isAway) throw datacenterUnreachable(name)
          if (isHung) await new Promise(() => {})
          const reply = await (await primaryPort)(name, request)
          if (request.method !== 'GET') await fleet.follow()
          return reply
        },
      },
    },
  })
  let count = 0
  const primaryPort = portOf(fleet)
  const { primary, secondary } = fleet
  await primary.manage('PUT', '/acl/policy', { Name: 'reader', Rules: 'key_prefix "" { policy = "read" }' })
  await fleet.follow()
  return {
    ...fleet,
    setAway: (value) => {
      isAway = value
    },
    hang: () => {
      isHung = true
    },
    asked: () => count,
    self: async (token) => (await secondary.ask('GET', '/acl/token/self', { token })).status,
    canRead: async (token) =>
      (await secondary.ask('GET', '/kv/x', token === undefined ? {} : { token })).status,
  }
}

async function portOf({ primary }: Fleet): Promise<Datacenters['send']> {
  return async (_name, { method, url, headers, body, signal }) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const reply = await primary.service.handle({
      method,
      url,
      header: (name) => sent[name],
      readBody: async () => body ?? new Uint8Array(0),
      requestId: 'r',
      signal,
    })
    const answered = Object.fromEntries(
      Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    return { status: reply.status, header: (name) => answered[name], body: pieces(reply.body) }
  }
}

async function* pieces(body: unknown): AsyncGenerator<Uint8Array> {
  if (typeof body === 'string') yield new TextEncoder().encode(body)
  else if (body instanceof Uint8Array) yield body
  else if (body !== undefined)
    for await (const piece of body as AsyncIterable<string | Uint8Array>)
      yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece
}

const READER = { Policies: [{ Name: 'reader' }] }

test('a token has the rights of its replicated policies; one request to the primary serves all requests for 30 s', async () => {
  const fleet = await aFleetWithoutTokens()
  const { SecretID } = await fleet.primary.token(READER)
  const before = fleet.asked()
  const statuses = await Promise.all(Array.from({ length: 20 }, () => fleet.canRead(SecretID)))
  expect(new Set(statuses)).toEqual(new Set([404]))
  expect(fleet.asked() - before).toBe(1)
  await fleet.secondary.clock.advance(TTL_MS - 1)
  expect(await fleet.canRead(SecretID)).toBe(404)
  expect(fleet.asked() - before).toBe(1)
  await fleet.secondary.clock.advance(1)
  expect(await fleet.canRead(SecretID)).toBe(404)
  expect(fleet.asked() - before).toBe(2)
})

test('a token has no rights before its policies and roles have arrived, because one of them may deny something', async () => {
  const { primary, secondary, follow } = await aFleetWithoutTokens()
  const codeOf = async (token: string) => (await secondary.ask('GET', '/kv/x', { token })).code
  await primary.manage('PUT', '/acl/policy', { Name: 'late', Rules: 'key "x" { policy = "deny" }' })
  const one = await primary.token({ Policies: [{ Name: 'reader' }, { Name: 'late' }] })
  const early = codeOf(one.SecretID)
  await secondary.clock.advance(2_000)
  expect(await early).toBe('caller_unknown')
  await primary.role({ Name: 'later', Policies: [{ Name: 'late' }] })
  const two = await primary.token({ ...READER, Roles: [{ Name: 'later' }] })
  const waiting = codeOf(two.SecretID)
  await follow()
  expect([await waiting, await codeOf(one.SecretID)]).toEqual(['privilege_missing', 'privilege_missing'])
})

test('a token whose policies are replaced by one that has not arrived loses its rights', async () => {
  const { primary, secondary, canRead } = await aFleetWithoutTokens('extend-cache')
  const { SecretID, AccessorID } = await primary.token(READER)
  expect(await canRead(SecretID)).toBe(404)
  await primary.manage('PUT', '/acl/policy', { Name: 'narrow' })
  await primary.manage('PUT', `/acl/token/${AccessorID}`, { Policies: [{ Name: 'narrow' }] })
  await secondary.clock.advance(TTL_MS)
  const changed = canRead(SecretID)
  await secondary.clock.advance(2_000)
  expect(await changed).toBe(403)
})

test('a deleted token works for at most 30 s', async () => {
  const fleet = await aFleetWithoutTokens()
  const { SecretID, AccessorID } = await fleet.primary.token(READER)
  expect(await fleet.canRead(SecretID)).toBe(404)
  await fleet.primary.manage('DELETE', `/acl/token/${AccessorID}`)
  expect(await fleet.canRead(SecretID)).toBe(404)
  await fleet.secondary.clock.advance(TTL_MS)
  expect(await fleet.canRead(SecretID)).toBe(403)
})

test('a token that is deleted or logs out through a server of the secondary ends there immediately', async () => {
  const { primary, secondary, canRead } = await aFleetWithoutTokens()
  const made = await primary.token(READER)
  expect(await canRead(made.SecretID)).toBe(404)
  const path = `/acl/token/${made.AccessorID.toUpperCase()}`
  expect((await secondary.ask('DELETE', path, { token: MANAGEMENT })).status).toBe(200)
  expect(await canRead(made.SecretID)).toBe(403)
  await primary.store.commit([putOf('authMethods', aMethod({ Name: 'ci' }), 0)])
  const method = primary.store.directory().authMethod('default', 'ci')
  const ofLogin = aToken({
    AuthMethod: 'ci',
    AuthMethodNamespace: 'default',
    AuthMethodGeneration: method?.Generation ?? 0,
  })
  await primary.store.commit([putOf('tokens', ofLogin, 0)])
  const write = async () => (await secondary.ask('PUT', '/kv/x', { token: ofLogin.SecretID, body: 'x' })).code
  expect(await write()).toBe('privilege_missing')
  expect((await secondary.ask('POST', '/acl/logout', { token: ofLogin.SecretID })).status).toBe(200)
  expect(await write()).toBe('caller_unknown')
})

test('a token expires by the local clock, however recent the answer', async () => {
  const fleet = await aFleetWithoutTokens()
  const { SecretID } = await fleet.primary.token({ ...READER, ExpirationTTL: '61s' })
  await fleet.secondary.clock.advance(60_000)
  expect(await fleet.canRead(SecretID)).toBe(404)
  await fleet.secondary.clock.advance(1_001)
  expect(await fleet.canRead(SecretID)).toBe(403)
})

test.each<[DownPolicy, number]>([
  ['extend-cache', 404],
  ['async-cache', 404],
  ['deny', 403],
])(
  '%s, with an unreachable primary: a known token gets %s, a token never seen before 403',
  async (policy, expected) => {
    const fleet = await aFleetWithoutTokens(policy)
    const [known, unseen] = [await fleet.primary.token(READER), await fleet.primary.token(READER)]
    expect(await fleet.canRead(known.SecretID)).toBe(404)
    fleet.setAway(true)
    expect(await fleet.canRead(known.SecretID)).toBe(404)
    await fleet.secondary.clock.advance(TTL_MS)
    for (let i = 0; i < 3; i += 1) {
      expect(await fleet.canRead(known.SecretID)).toBe(expected)
      expect(await fleet.canRead(unseen.SecretID)).toBe(403)
      await fleet.secondary.clock.advance(TTL_MS)
    }
    fleet.setAway(false)
    expect(await fleet.canRead(unseen.SecretID)).toBe(404)
    expect(await fleet.canRead()).toBe(403)
  },
)

test('if the default policy allows, the anonymous token has no rights while its own policies are unknown', async () => {
  const fleet = await aFleetWithoutTokens('deny', 'allow')
  expect(await fleet.canRead()).toBe(404)
  fleet.setAway(true)
  await fleet.secondary.clock.advance(TTL_MS)
  expect(await fleet.canRead()).toBe(403)
  fleet.setAway(false)
  await fleet.secondary.clock.advance(5_000)
  expect(await fleet.canRead()).toBe(404)
})

test('a request without a token does not wait again for a primary that has just failed to answer', async () => {
  const fleet = await aFleetWithoutTokens('deny')
  fleet.setAway(true)
  expect(await fleet.canRead()).toBe(403)
  fleet.setAway(false)
  fleet.hang()
  expect(await fleet.canRead()).toBe(403)
  expect((await fleet.secondary.ask('GET', '/acl/replication')).status).toBe(200)
}, 2_000)

test('an answer that a token does not exist ends it, even if old answers may be extended', async () => {
  const fleet = await aFleetWithoutTokens()
  const { SecretID, AccessorID } = await fleet.primary.token(READER)
  expect(await fleet.canRead(SecretID)).toBe(404)
  await fleet.primary.manage('DELETE', `/acl/token/${AccessorID}`)
  await fleet.secondary.clock.advance(TTL_MS)
  expect(await fleet.canRead(SecretID)).toBe(403)
  fleet.setAway(true)
  expect(await fleet.canRead(SecretID)).toBe(403)
})

test('403: a local token of the primary has no rights, and local tokens of this datacenter are ignored', async () => {
  const fleet = await aFleetWithoutTokens()
  const there = await fleet.primary.token({ ...READER, Local: true })
  expect([await fleet.canRead(there.SecretID), await fleet.self(there.SecretID)]).toEqual([403, 403])
})

test('token reads and lists are answered by the primary', async () => {
  const fleet = await aFleetWithoutTokens()
  const { AccessorID, SecretID } = await fleet.primary.token(READER)
  const read = await fleet.secondary.ask('GET', `/acl/token/${AccessorID}`, { token: MANAGEMENT })
  expect(read.json).toMatchObject({ SecretID })
  const list = await fleet.secondary.ask('GET', '/acl/tokens', { token: MANAGEMENT })
  expect((list.json as Token[]).map((token) => token.AccessorID)).toContain(AccessorID)
  expect(await fleet.self(SecretID)).toBe(200)
  expect(await fleet.self('00000000-0000-4000-8000-00000000beef')).toBe(403)
})

test('400 token_replication_off: local tokens, auth methods and logins', async () => {
  const { secondary, primary } = await aFleetWithoutTokens()
  const token = await primary.token()
  for (const [method, path, body] of [
    ['PUT', '/acl/token', { Local: true }],
    ['PUT', `/acl/token/${token.AccessorID}`, { Local: true }],
    ['GET', '/acl/auth-methods', undefined],
    ['PUT', '/acl/auth-method', { Name: 'm', Type: 'jwt' }],
    ['GET', '/acl/binding-rules', undefined],
    ['POST', '/acl/login', { AuthMethod: 'm', BearerToken: 'x' }],
  ] as const) {
    const reply = await secondary.ask(method, path, { token: MANAGEMENT, body, headers: WANTS_PROBLEM })
    expect([reply.status, reply.code], `${method} ${path}`).toEqual([400, 'token_replication_off'])
  }
  expect((await secondary.ask('PUT', '/acl/token', { token: MANAGEMENT, body: {} })).status).toBe(200)
})
