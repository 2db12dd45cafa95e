/** SEC-01 and SEC-02: the redaction text is never accepted, and no caller sees a secret without the right. */

import { ENDPOINTS, type EndpointName, endpoint, limits, REDACTED_SECRET_ID } from '@latchkey/contract'
import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { putOf } from '@latchkey/testkit/records/changes'
import { aToken } from '@latchkey/testkit/records/record-builders'
import type { AskOptions, World } from '@latchkey/testkit/service/world'
import { aWorld, MANAGEMENT, WANTS_PROBLEM } from '@latchkey/testkit/service/world'
import { beforeAll, describe, expect, test } from 'vitest'

/** The text in JSON spellings. */
const SPELLINGS = ['"<hidden>"', '"\\u003chidden\\u003e"', '"\\u003Chidden\\u003E"', '"<\\u0068idden>"']

describe('SEC-01: the redaction text is never a secret (CVE-2019-8336)', () => {
  let world: World
  let accessorId: string
  beforeAll(async () => {
    world = await aWorld({ version: '1.10.12' })
    accessorId = (await world.token()).AccessorID
  })

  const tokens = async () => JSON.stringify(await world.manage('GET', '/acl/tokens'))

  test.each(SPELLINGS)('every endpoint that takes a secret refuses it, spelled %s', async (written) => {
    const before = await tokens()
    const ways: readonly (readonly [string, string, string])[] = [
      ['PUT', '/acl/token', `{"SecretID":${written}}`],
      ['PUT', `/acl/token/${accessorId}`, `{"SecretID":${written}}`],
      ['PUT', '/acl/create', `{"ID":${written},"Type":"client"}`],
      ['PUT', '/acl/create', `{"ID":${written},"Type":"management"}`],
      ['PUT', '/acl/update', `{"ID":${written},"Type":"client"}`],
      [
        'PUT',
        '/internal/acl/legacy-tokens',
        `[{"ID":"fine","Type":"client"},{"ID":${written},"Type":"client"}]`,
      ],
    ]
    for (const [method, path, body] of ways) {
      const reply = await world.ask(method, path, { token: MANAGEMENT, body })
      expect(reply.status, path).toBe(400)
    }
    expect(await tokens()).toBe(before)
  })

  test('it never authenticates from any source, even if it is stored', async () => {
    const poisoned = aToken({ SecretID: REDACTED_SECRET_ID, Type: 'management' })
    await world.store.commit([putOf('tokens', poisoned, 0)])
    const asks: readonly (readonly [string, AskOptions])[] = [
      ['?token=%3Chidden%3E', {}],
      ['', { headers: { 'x-service-token': REDACTED_SECRET_ID } }],
      ['', { headers: { 'x-consul-token': ` ${REDACTED_SECRET_ID} ` } }],
      ['', { headers: { authorization: `Bearer ${REDACTED_SECRET_ID}` } }],
    ]
    for (const [query, options] of asks) {
      for (const path of ['/acl/token/self', '/acl/tokens', '/kv/a']) {
        expect((await world.ask('GET', `${path}${query}`, options)).code).toBe('caller_unknown')
      }
    }
  })
})

describe('SEC-02: a caller without acl:write sees no secret but its own', () => {
  /** Every secret in the world. */
  const secrets: string[] = []
  let world: World
  let readers: readonly string[]
  let accessorIds: readonly string[]
  let ids: readonly string[]

  beforeAll(async () => {
    const random = new SeededRandom(chooseSeed('SEC-02'))
    world = await aWorld({ version: '1.10.12', edition: 'extended' })
    const policy = await world.policy({ Name: 'plain', Rules: 'key "a" { policy = "read" }' })
    const role = await world.role({ Name: 'ops', Policies: [{ ID: policy.ID }] })
    const made: string[] = []
    for (let i = 0; i < 120; i += 1) {
      const token = await world.token({
        ...(random.chance(0.5) ? { Policies: [{ ID: policy.ID }] } : {}),
        ...(random.chance(0.3) ? { Roles: [{ ID: role.ID }] } : {}),
        ...(random.chance(0.3) ? { ServiceIdentities: [{ ServiceName: `s${i}` }] } : {}),
        ...(random.chance(0.3) ? { ExpirationTTL: '1h' } : {}),
        Description: `token ${i}`,
        Local: random.chance(0.2),
      })
      secrets.push(token.SecretID)
      made.push(token.AccessorID)
    }
    for (let i = 0; i < 10; i += 1) {
      const ID = `legacy secret ${i} ${random.below(1e9)}`
      await world.manage('PUT', '/acl/create', { ID, Type: i % 2 === 0 ? 'client' : 'management' })
      secrets.push(ID)
    }
    const rules = ['agent', 'key', 'service', 'node', 'query', 'event', 'session']
      .map((kind) => `${kind}_prefix "" { policy = "write" }`)
      .join('\n')
    // The most rights that do not show secrets: everything but acl:write.
    const most = `acl = "read"\noperator = "write"\nkeyring = "write"\n${rules}`
    readers = [
      await world.secretWith(most),
      await world.secretWith('acl = "read"'),
      await world.secretWith(rules),
    ]
    await world.ask('PUT', '/kv/a', { token: MANAGEMENT, body: 'value' })
    secrets.push(...readers, MANAGEMENT)
    accessorIds = made
    ids = [policy.ID, role.ID]
  })

  const QUERIES = [
    ...['', '?expanded', '?pretty', '?limit=50', '?ns=*', '?ns=default&expanded=true', '?stale'],
    ...['?explain'],
  ]

  test.each(Object.keys(ENDPOINTS) as EndpointName[])(
    '%s: no secret in the bytes or headers of any answer',
    async (name) => {
      const { path, method } = endpoint(name)
      const targets = path.includes(':')
        ? [...accessorIds.slice(0, 30), ...ids, 'self', 'plain', 'ops', 'a', '', REDACTED_SECRET_ID]
        : ['']
      const bodies: readonly unknown[] = endpoint(name).body
        ? [
            {},
            [],
            { Name: 'plain' },
            { Rules: 'acl = "write"' },
            [{ Resource: 'acl', Access: 'read' }],
            'not JSON',
          ]
        : [undefined]
      for (const token of readers) {
        for (const target of targets) {
          for (const query of QUERIES.slice(0, target === targets[0] ? QUERIES.length : 2)) {
            for (const body of bodies.slice(0, target === targets[0] ? bodies.length : 1)) {
              const at = `${path.replace(/:\w+/, encodeURIComponent(target))}${query}`
              const reply = await world.ask(method, at, { token, body, headers: WANTS_PROBLEM })
              const bytes = `${reply.text}\n${JSON.stringify(reply.headers)}`
              const own = name === 'tokens.self' || target === 'self' ? token : undefined
              const seen = secrets.filter((secret) => secret !== own && bytes.includes(secret))
              expect(seen, `${method} ${at}`).toEqual([])
            }
          }
        }
      }
    },
  )

  test('a caller with acl:write sees them in the same lists, which proves that the test can fail', async () => {
    const token = await world.secretWith('acl = "write"')
    const { text } = await world.ask('GET', '/acl/tokens', { token })
    expect(secrets.filter((secret) => text.includes(secret)).length).toBeGreaterThan(100)
  })

  test('a list and a record cached for a writer are not shown to a reader', async () => {
    const [reader = ''] = readers
    const path = `/acl/token/${accessorIds[0]}`
    for (const at of ['/acl/tokens', path]) {
      const real = await world.ask('GET', at, { token: MANAGEMENT })
      const redacted = await world.ask('GET', at, { token: reader })
      const again = await world.ask('GET', at, { token: MANAGEMENT })
      expect(again.text).toBe(real.text)
      expect(redacted.text).toContain(REDACTED_SECRET_ID)
      expect(secrets.some((secret) => redacted.text.includes(secret))).toBe(false)
    }
  })
})

describe('DOS-05: texts longer than any secret', () => {
  const SELF = '/acl/token/self'

  test('403 caller_unknown: 513 characters, without querying the store; 512 can be a secret', async () => {
    const world = await aWorld()
    const token = aToken({ SecretID: 's'.repeat(limits.LEGACY_SECRET_LENGTH_MAX) })
    await world.store.commit([putOf('tokens', token, 0)])
    const asked: string[] = []
    Object.assign(world.store, { memory: undefined })
    const tokenBySecret = world.store.tokenBySecret.bind(world.store)
    world.store.tokenBySecret = (secretId) => {
      asked.push(secretId)
      return tokenBySecret(secretId)
    }
    expect((await world.ask('GET', SELF, { token: token.SecretID })).status).toBe(200)
    expect(asked).toEqual([token.SecretID])
    const longer = await world.ask('GET', SELF, { token: `${token.SecretID}s` })
    expect(longer).toMatchObject({ status: 403, code: 'caller_unknown', text: 'ACL not found' })
    expect(asked).toHaveLength(1)
  })
})
