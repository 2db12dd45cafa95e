import type { Policy, Role, Token } from '@latchkey/contract'
import { aWorld, MANAGEMENT, type Reply, type World } from '@latchkey/testkit/service/world'
import { beforeEach, describe, expect, test } from 'vitest'

const ALL_WRITE = 'acl = "write"\noperator = "write"\nkey_prefix "" { policy = "write" }'

describe('the standard edition has no namespaces (spec 4.9)', () => {
  let world: World
  beforeEach(async () => {
    world = await aWorld()
  })

  test('endpoints without a namespace ignore it: self, replication', async () => {
    const options = { token: MANAGEMENT, headers: { 'x-service-namespace': 'team' } }
    expect((await world.ask('GET', '/acl/token/self?ns=team', options)).status).toBe(200)
    expect((await world.ask('GET', '/acl/replication?ns=team', options)).status).toBe(200)
  })
})

test('the standard edition hides the other namespaces of extended data (spec 4.9)', async () => {
  const extended = await aWorld({ edition: 'extended', version: '1.10' })
  await extended.manage('PUT', '/namespace', { Name: 'team' })
  const home = await extended.token({ Description: 'in default' })
  const policy = await extended.policy({ Name: 'all', Rules: ALL_WRITE, Namespace: 'team' })
  const team = await extended.token({ Namespace: 'team', Policies: [{ ID: policy.ID }] })
  const manager = await extended.token({ Policies: [{ Name: 'global-management' }] })
  const standard = await aWorld({ edition: 'standard', version: '1.10', twinOf: extended })
  const withTeam = { token: team.SecretID }

  for (const path of ['/acl/tokens', '/acl/token/self', '/kv/a', `/acl/token/${home.AccessorID}`]) {
    expect(await standard.ask('GET', path, withTeam)).toMatchObject({ status: 403, code: 'caller_unknown' })
  }
  const checks = { ...withTeam, body: [{ Resource: 'key', Segment: 'a', Access: 'read' }] }
  expect((await standard.ask('POST', '/internal/acl/authorize', checks)).code).toBe('caller_unknown')
  const listed = (await standard.manage('GET', '/acl/tokens')) as readonly Token[]
  const accessors = listed.map(({ AccessorID }) => AccessorID)
  expect(accessors).toContain(home.AccessorID)
  expect(accessors).toContain(manager.AccessorID)
  expect(accessors).not.toContain(team.AccessorID)
  const question = { Resource: 'key', Segment: 'a', Access: 'write' }
  const found = (await standard.manage('POST', '/internal/acl/who-can', question)) as readonly Token[]
  expect(found.map(({ AccessorID }) => AccessorID)).not.toContain(team.AccessorID)
  for (const [method, path] of [
    ['GET', ''],
    ['PUT', ''],
    ['PUT', '/clone'],
    ['DELETE', ''],
  ] as const) {
    const at = `/acl/token/${team.AccessorID}${path}`
    expect((await standard.ask(method, at, { token: MANAGEMENT, body: {} })).status).toBe(404)
  }
  await standard.manage('PUT', `/acl/destroy/${team.SecretID}`)
  for (const [path, body] of [
    ['/acl/create', { ID: team.SecretID }],
    ['/acl/update', { ID: team.SecretID }],
    ['/acl/token', { AccessorID: team.AccessorID }],
  ] as const) {
    expect((await standard.ask('PUT', path, { token: MANAGEMENT, body })).code).toBe('id_in_use')
  }
  // In the extended edition, the token is still there, unchanged.
  expect((await extended.ask('GET', '/acl/token/self', withTeam)).json).toEqual(team)
})

describe('the extended edition', () => {
  let world: World
  /** Secrets by caller. */
  let secret: Record<'teamReader' | 'teamWriter' | 'defaultWriter', string>
  let teamToken: Token
  let defaultToken: Token
  let teamPolicy: Policy
  let teamRole: Role

  beforeEach(async () => {
    world = await aWorld({ edition: 'extended' })
    await world.manage('PUT', '/namespace', { Name: 'team' })
    await world.manage('PUT', '/namespace', { Name: 'other' })
    const Namespace = 'team'
    const writer = await world.policy({ Name: 'writer', Rules: ALL_WRITE, Namespace })
    const reader = await world.policy({ Name: 'reader', Rules: 'acl = "read"', Namespace })
    teamPolicy = await world.policy({ Name: 'plain', Namespace })
    teamRole = await world.role({ Name: 'ops', Namespace })
    teamToken = await world.token({ Namespace, Description: 'in team' })
    defaultToken = await world.token({ Description: 'in default' })
    secret = {
      teamWriter: (await world.token({ Namespace, Policies: [{ ID: writer.ID }] })).SecretID,
      teamReader: (await world.token({ Namespace, Policies: [{ ID: reader.ID }] })).SecretID,
      defaultWriter: await world.secretWith(ALL_WRITE),
    }
  })

  describe('of an existing token (spec 4.5.7, 4.6)', () => {
    test('a record can be sent back as read', async () => {
      const path = `/acl/token/${teamToken.AccessorID}`
      const read = await world.ask('GET', `${path}?ns=team`, { token: MANAGEMENT })
      expect((await world.ask('PUT', path, { token: MANAGEMENT, body: read.text })).status).toBe(200)
      for (const [at, record] of [
        [`/acl/policy/${teamPolicy.ID}`, teamPolicy],
        [`/acl/role/${teamRole.ID}`, teamRole],
      ] as const) {
        expect((await world.ask('PUT', at, { token: MANAGEMENT, body: record })).status).toBe(200)
      }
    })

    test('a body cannot move a record: in another namespace it does not exist', async () => {
      const body = { Name: 'plain', Namespace: 'other' }
      for (const path of [`/acl/policy/${teamPolicy.ID}`, `/acl/role/${teamRole.ID}`]) {
        const reply = await world.ask('PUT', `${path}?ns=team`, { token: MANAGEMENT, body })
        expect(reply).toMatchObject({ status: 404, code: 'not_found' })
      }
      for (const path of [`/acl/token/${teamToken.AccessorID}`, `/acl/token/${teamToken.AccessorID}/clone`]) {
        const options = { token: MANAGEMENT, body: { Namespace: 'other' } }
        expect((await world.ask('PUT', `${path}?ns=team`, options)).status).toBe(404)
      }
    })
  })

  describe('AUTHZ-01: rights apply in one namespace', () => {
    test.each(['tokens', 'policies', 'roles'])(
      "ns=* lists all %s for a global manager, and otherwise those of the caller's namespace",
      async (kind) => {
        const namespaces = async (token: string, query: string) => {
          const reply = await world.ask('GET', `/acl/${kind}${query}`, { token })
          return [...new Set((reply.json as readonly Token[]).map(({ Namespace }) => Namespace))].sort()
        }
        if (kind === 'roles') await world.role({ Name: 'theirs' })
        expect(await namespaces(MANAGEMENT, '?ns=*')).toEqual(['default', 'team'])
        expect(await namespaces(MANAGEMENT, '?ns=team')).toEqual(['team'])
        expect(await namespaces(MANAGEMENT, '')).toEqual(['default'])
        expect(await namespaces(secret.teamReader, '?ns=*')).toEqual(['team'])
        expect(await namespaces(secret.teamWriter, '')).toEqual(['team'])
        expect(await namespaces(secret.defaultWriter, '?ns=*')).toEqual(['default'])
        const elsewhere = await world.ask('GET', `/acl/${kind}?ns=default`, { token: secret.teamReader })
        expect(elsewhere.status).toBe(403)
      },
    )

    test('ns=* is only for lists: 400 query_invalid for one record and for writes', async () => {
      const about = `/acl/token/${teamToken.AccessorID}?ns=*`
      for (const [method, path] of [
        ['GET', about],
        ['PUT', about],
        ['DELETE', about],
        ['PUT', '/acl/token?ns=*'],
        ['GET', '/kv/a?ns=*'],
      ] as const) {
        const reply = await world.ask(method, path, { token: MANAGEMENT, body: {} })
        expect([method, path, reply.code]).toEqual([method, path, 'query_invalid'])
      }
    })

    test('each namespace has its own keys', async () => {
      await world.ask('PUT', '/kv/a', { token: MANAGEMENT, body: 'default' })
      expect((await world.ask('GET', '/kv/a', { token: secret.teamWriter })).status).toBe(404)
      expect((await world.ask('GET', '/kv/a?ns=default', { token: secret.teamWriter })).status).toBe(403)
      expect(
        (await world.ask('PUT', '/kv/a?ns=default', { token: secret.teamWriter, body: 'x' })).status,
      ).toBe(403)
      expect((await world.ask('PUT', '/kv/a', { token: secret.teamWriter, body: 'team' })).json).toBe(true)
      const read = await world.ask('GET', '/kv/a?raw&ns=team', { token: MANAGEMENT })
      expect(read.text).toBe('team')
    })

    test("explanations, who-can and what-if apply only to the caller's namespace", async () => {
      const token = secret.teamReader
      const body = [{ Resource: 'acl', Access: 'read' }]
      const ask = (accessorId: string) =>
        world.ask('POST', `/internal/acl/authorize?explain&accessor=${accessorId}`, { token, body })
      expect((await ask(teamToken.AccessorID)).status).toBe(200)
      expect((await ask(defaultToken.AccessorID)).status).toBe(404)
      const whoCan = await world.ask('POST', '/internal/acl/who-can', { token, body: body[0] })
      const found = whoCan.json as readonly Token[]
      expect(found.length).toBe(2)
      const other = await world.ask('POST', '/internal/acl/who-can?ns=default', { token, body: body[0] })
      expect(other.status).toBe(403)
      const whatIf = { token, body: { Rules: '' } }
      const path = '/acl/policy/00000000-0000-0000-0000-000000000001/what-if'
      expect((await world.ask('POST', path, whatIf)).status).toBe(404)
    })
  })

  describe('namespaces themselves', () => {
    test('in 200 rounds, concurrent deletion and creation never leave a record without its namespace', async () => {
      const token = MANAGEMENT
      const outcomes = { deleted: 0, kept: 0 }
      for (let round = 0; round < 200; round += 1) {
        const Namespace = `race-${round}`
        await world.manage('PUT', '/namespace', { Name: Namespace })
        const fills = [
          () => world.ask('PUT', '/acl/token', { token, body: { Namespace } }),
          () => world.ask('PUT', '/acl/policy', { token, body: { Namespace, Name: 'a' } }),
          () => world.ask('PUT', '/acl/role', { token, body: { Namespace, Name: 'a' } }),
          () => world.ask('PUT', `/kv/a?ns=${Namespace}`, { token, body: 'value' }),
        ]
        // Starts them up to a few turns apart.
        const later = async (turns: number, ask: (() => Promise<Reply>) | undefined) => {
          for (let turn = 0; turn < turns; turn += 1) await undefined
          return ask?.()
        }
        const [deletion, filled] = await Promise.all([
          later(4 * (round % 11), () => world.ask('DELETE', `/namespace/${Namespace}`, { token })),
          later(4 * (round % 7), fills[round % fills.length]),
        ])
        const isDeleted = deletion?.status === 200
        outcomes[isDeleted ? 'deleted' : 'kept'] += 1
        expect(deletion?.code).toBe(isDeleted ? undefined : 'delete_refused')
        expect(filled?.code).toBe(isDeleted ? 'not_found' : undefined)
        expect(world.store.directory().namespace(Namespace) === undefined).toBe(isDeleted)
      }
      expect(outcomes.deleted).toBeGreaterThan(0)
      expect(outcomes.kept).toBeGreaterThan(0)
    })
  })
})
