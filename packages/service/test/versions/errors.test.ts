/** Spec 7, row by row, at versions on both sides of every boundary. */
import { ENDPOINTS, type EndpointName, endpoint, type GateName } from '@latchkey/contract'
import { anId } from '@latchkey/testkit/records/record-builders'
import { MANAGEMENT } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'
import { expectSince, inLegacyMode } from './rows.ts'

const token = MANAGEMENT

describe('a field that the endpoint does not support: 400 with a text that names it from 1.7.0, ignored before', () => {
  const BODIES: readonly [
    what: string,
    method: string,
    path: string,
    body: unknown,
    since: string,
    field: string,
  ][] = [
    ['a token', 'PUT', '/acl/token', { Bogus: 1 }, '1.4.0', 'Bogus'],
    [
      'a link of a token',
      'PUT',
      '/acl/token',
      { Policies: [{ Name: 'global-management', Bogus: 1 }] },
      '1.4.0',
      'Policies[0].Bogus',
    ],
    ['a token, in another case', 'PUT', '/acl/token', { description: 'a' }, '1.4.0', 'description'],
    ['a policy', 'PUT', '/acl/policy', { Name: 'p', Bogus: 1 }, '1.4.0', 'Bogus'],
    ['a role', 'PUT', '/acl/role', { Name: 'r', Bogus: 1 }, '1.5.0', 'Bogus'],
    [
      'authorize',
      'POST',
      '/internal/acl/authorize',
      [{ Resource: 'acl', Access: 'read', Bogus: 1 }],
      '1.4.0',
      '[0].Bogus',
    ],
  ]
  test.each(BODIES)('%s', (_, method, path, body, since, field) =>
    expectSince({ '0.7': '404', [since]: '200', '1.7.0': `400 names ${field}` }, async (world) => {
      const reply = await world.ask(method, path, { token, body })
      return reply.text.includes(JSON.stringify(field)) ? `${reply.status} names ${field}` : `${reply.status}`
    }),
  )

  test('a legacy token, in every version that has such tokens', () =>
    expectSince(
      { '0.7': 200, '1.7.0': 400, '1.11': 410 },
      async (world) => (await world.ask('PUT', '/acl/create', { token, body: { Bogus: 1 } })).status,
    ))
})

describe('in legacy mode the new ACL APIs and bootstrap refuse with that reason before authentication', () => {
  const names = (Object.keys(ENDPOINTS) as EndpointName[]).filter(
    (name) => endpoint(name).refusedInLegacyMode,
  )

  test('includes every endpoint of tokens, bootstrap, policies and roles', () => {
    const expected = (Object.keys(ENDPOINTS) as EndpointName[]).filter(
      (name) => /^(tokens|policies|roles)\./.test(name) && name !== 'policies.lint',
    )
    expect(names).toEqual(expect.arrayContaining(expected))
    expect(names.filter((name) => name.startsWith('legacy.'))).toEqual(['legacy.translateToken'])
  })

  const SINCE: Partial<Record<GateName, string>> = {
    'api.role': '1.5.0',
    'api.authMethod': '1.5.0',
    'api.oidc': '1.8.0',
  }

  test.each(names)('%s', (name) => {
    const { method, path, gate, edition = 'standard' } = endpoint(name)
    const since = (gate !== undefined && SINCE[gate]) || '1.4.0'
    const inMode = '403 legacy_mode The ACL system is currently in legacy mode. It waits for a test.'
    return expectSince(
      {
        '0.7': '404 endpoint_unknown No such endpoint',
        [since]: inMode,
        ...(gate === 'api.legacyTokenRules'
          ? { '1.11': expect.stringContaining('410 endpoint_removed') }
          : {}),
      },
      async (world) => {
        inLegacyMode(world)
        const asked = path.replace(/:\w+/, anId(1))
        const reply = await world.ask(method, asked, { token: 'nobody' })
        return `${reply.status} ${reply.code} ${reply.text}`
      },
      { edition, cluster: { legacyModeWaitsFor: () => ['a test'] } },
    )
  })

  test('the legacy API keeps working, and so does everything else', () =>
    expectSince({ '0.7': [200, 200, 200, 200, 200], '1.11': [410, 410, 410, 200, 200] }, async (world) => {
      inLegacyMode(world)
      const asked: readonly [string, string, unknown][] = [
        ['PUT', '/acl/create', { ID: 'a' }],
        ['GET', '/acl/list', undefined],
        ['POST', '/acl/rules/translate', ''],
        ['PUT', '/kv/a', 'value'],
        ['GET', '/acl/replication', undefined],
      ]
      const statuses: number[] = []
      for (const [method, path, body] of asked)
        statuses.push((await world.ask(method, path, { token, body })).status)
      return statuses
    }))
})
