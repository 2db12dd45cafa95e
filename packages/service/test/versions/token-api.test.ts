/** Spec 9.1, row by row, at versions on both sides of every boundary. */

import { anId } from '@latchkey/testkit/records/record-builders'
import { MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, test } from 'vitest'
import { expectSince, type Since } from './rows.ts'

const token = MANAGEMENT
const ROLE_RULES = 'key "a" { policy = "read" }'

const statusOf = (method: string, path: string, body?: unknown) => async (world: World) =>
  (await world.ask(method, path, { token, body })).status

/** Creates a token and returns which of the fields the answer shows, or the refusal. */
const createdWith =
  (body: object, ...fields: readonly string[]) =>
  async (world: World) => {
    const reply = await world.ask('PUT', '/acl/token', { token, body })
    if (reply.status !== 200) return `${reply.status} ${reply.code}`
    return fields.filter((field) => Object.hasOwn(reply.json as object, field))
  }

const FROM_1_4: Since = [
  ['0.7', 404],
  ['1.4.0', 200],
]
const FROM_1_5: Since = [
  ['0.7', 404],
  ['1.5.0', 200],
]

describe('1.4.0 brings the token API and the policy API', () => {
  test.each([
    ['PUT', '/acl/token', {}],
    ['GET', '/acl/token/self', undefined],
    ['GET', '/acl/token/00000000-0000-0000-0000-000000000002', undefined],
    ['PUT', '/acl/token/00000000-0000-0000-0000-000000000002', {}],
    ['PUT', '/acl/token/00000000-0000-0000-0000-000000000002/clone', {}],
    ['GET', '/acl/tokens', undefined],
    ['PUT', '/acl/policy', { Name: 'p', Rules: ROLE_RULES }],
    ['GET', '/acl/policy/00000000-0000-0000-0000-000000000001', undefined],
    ['GET', '/acl/policy/name/global-management', undefined],
    ['GET', '/acl/policies', undefined],
  ])('%s %s', (method, path, body) => expectSince(FROM_1_4, statusOf(method, path, body)))

  test.each([
    ['/acl/token', {}],
    ['/acl/policy', { Name: 'p' }],
  ])('DELETE %s/:id', (path, body) =>
    expectSince(FROM_1_4, async (world) => {
      const made = await world.ask('PUT', path, { token, body })
      const record = made.status === 200 ? (made.json as { AccessorID?: string; ID?: string }) : {}
      const id = record.AccessorID ?? record.ID ?? anId(1)
      return (await world.ask('DELETE', `${path}/${id}`, { token })).status
    }),
  )

  test('PUT /acl/bootstrap', () =>
    expectSince(FROM_1_4, statusOf('PUT', '/acl/bootstrap'), { isBootstrapped: false }))
})

describe('1.5.0 brings roles', () => {
  test.each([
    ['PUT', '/acl/role', { Name: 'r' }],
    ['GET', '/acl/roles', undefined],
  ])('%s %s', (method, path, body) => expectSince(FROM_1_5, statusOf(method, path, body)))
})

describe('fields of a token: unknown ones are ignored before 1.7.0 and refused from 1.7.0 on', () => {
  test('AccessorID and SecretID are settable on create from 1.5.0', () =>
    expectSince(
      [
        ['0.7', 404],
        ['1.4.0', 'chosen by the service'],
        ['1.5.0', 'as given'],
      ],
      async (world) => {
        const body = { AccessorID: anId(0xa), SecretID: anId(0xb) }
        const reply = await world.ask('PUT', '/acl/token', { token, body })
        if (reply.status !== 200) return reply.status
        const { AccessorID, SecretID } = reply.json as typeof body
        if (AccessorID === body.AccessorID && SecretID === body.SecretID) return 'as given'
        return AccessorID !== body.AccessorID && SecretID !== body.SecretID
          ? 'chosen by the service'
          : 'mixed'
      },
    ))

  test.each([
    ['ServiceIdentities', { ServiceIdentities: [{ ServiceName: 'web' }] }, 'ServiceIdentities'],
    ['ExpirationTTL', { ExpirationTTL: '5m' }, 'ExpirationTime'],
    ['ExpirationTime', { ExpirationTime: '2028-02-29T13:00:00Z' }, 'ExpirationTime'],
  ])('%s from 1.5.0', (_, body, field) =>
    expectSince(
      [
        ['0.7', '404 endpoint_unknown'],
        ['1.4.0', []],
        ['1.5.0', [field]],
      ],
      createdWith(body, field),
    ),
  )

  test('Roles from 1.5.0: before, a dangling link is ignored', () =>
    expectSince(
      [
        ['0.7', '404 endpoint_unknown'],
        ['1.4.0', []],
        ['1.5.0', '400 link_unknown'],
      ],
      createdWith({ Roles: [{ Name: 'nobody' }] }, 'Roles'),
    ))

  test('Roles from 1.5.0 are linked', () =>
    expectSince(
      [
        ['0.7', 'no roles'],
        ['1.5.0', ['Roles']],
      ],
      async (world) => {
        const role = await world.ask('PUT', '/acl/role', { token, body: { Name: 'r' } })
        return role.status === 200 ? createdWith({ Roles: [{ Name: 'r' }] }, 'Roles')(world) : 'no roles'
      },
    ))

  test.each([
    ['a create', createdWith({ NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }] }, 'NodeIdentities')],
    [
      'an update',
      async (world: World) => {
        const made = await world.ask('PUT', '/acl/token', { token, body: {} })
        if (made.status !== 200) return `${made.status} ${made.code}`
        const { AccessorID } = made.json as { AccessorID: string }
        const body = { NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }] }
        const reply = await world.ask('PUT', `/acl/token/${AccessorID}`, { token, body })
        if (reply.status !== 200) return `${reply.status} ${reply.code}`
        return Object.keys(reply.json as object).filter((key) => key === 'NodeIdentities')
      },
    ],
  ])('NodeIdentities from 1.8.1, in the body of %s', (_, ask) =>
    expectSince(
      [
        ['0.7', '404 endpoint_unknown'],
        ['1.4.0', []],
        ['1.7.0', '400 field_unknown'],
        ['1.8.1', ['NodeIdentities']],
      ],
      ask,
    ),
  )

  test('NodeIdentities of a role from 1.8.1', () =>
    expectSince(
      [
        ['0.7', '404 endpoint_unknown'],
        ['1.5.0', []],
        ['1.7.0', '400 field_unknown'],
        ['1.8.1', ['NodeIdentities']],
      ],
      async (world) => {
        const body = { Name: 'r', NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }] }
        const reply = await world.ask('PUT', '/acl/role', { token, body })
        if (reply.status !== 200) return `${reply.status} ${reply.code}`
        return Object.keys(reply.json as object).filter((key) => key === 'NodeIdentities')
      },
    ))
})

describe('1.11 removes the legacy API', () => {
  const LEGACY: readonly [method: string, path: string, body: unknown, before: number][] = [
    ['PUT', '/acl/create', {}, 200],
    ['PUT', '/acl/update', { ID: 'a' }, 200],
    ['PUT', '/acl/destroy/a', undefined, 200],
    ['GET', '/acl/info/a', undefined, 200],
    ['PUT', '/acl/clone/a', undefined, 403],
    ['GET', '/acl/list', undefined, 200],
    ['POST', '/acl/rules/translate', ROLE_RULES, 200],
    ['GET', `/acl/rules/translate/${anId(9)}`, undefined, 404],
  ]

  test.each(LEGACY)('%s %s', (method, path, body, before) =>
    expectSince(
      [
        ['0.7', before],
        ['1.11', 410],
      ],
      statusOf(method, path, body),
    ),
  )

  test.each(LEGACY)("%s %s: the text is the reference's and names the replacement", (method, path, body) =>
    expectSince(
      [
        ['0.7', undefined],
        ['1.11', true],
      ],
      async (world) => {
        const reply = await world.ask(method, path, { body })
        if (reply.status !== 410) return undefined
        // The text omits the last part, which may be a secret.
        const named = path.replace(/^(\/acl\/(?:destroy|info|clone|rules\/translate)\/).+/, '$1')
        const start = `Endpoint /v1${named} for the legacy ACL system was removed in version 1.11. Use `
        return reply.text.startsWith(start) && reply.text.endsWith(' instead.')
      },
    ),
  )

  test('before the removal, a wrong method is refused as such', () =>
    expectSince(
      [
        ['0.7', 200],
        ['1.0', 405],
      ],
      statusOf('DELETE', '/acl/list'),
    ))
})
