/** Spec 9.1, row by row, at versions on both sides of every boundary. */

import { anId } from '@latchkey/testkit/records/record-builders'
import { MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, test } from 'vitest'
import { expectSince } from './rows.ts'

const token = MANAGEMENT

/** Creates a token and returns which of the fields the answer shows, or the refusal. */
const createdWith =
  (body: object, ...fields: readonly string[]) =>
  async (world: World) => {
    const reply = await world.ask('PUT', '/acl/token', { token, body })
    if (reply.status !== 200) return `${reply.status} ${reply.code}`
    return fields.filter((field) => Object.hasOwn(reply.json as object, field))
  }

describe('fields of a token: unknown ones are ignored before 1.7.0 and refused from 1.7.0 on', () => {
  test('AccessorID and SecretID are settable on create from 1.5.0', () =>
    expectSince({ '0.7': 404, '1.4.0': 'chosen by the service', '1.5.0': 'as given' }, async (world) => {
      const body = { AccessorID: anId(0xa), SecretID: anId(0xb) }
      const reply = await world.ask('PUT', '/acl/token', { token, body })
      if (reply.status !== 200) return reply.status
      const { AccessorID, SecretID } = reply.json as typeof body
      if (AccessorID === body.AccessorID && SecretID === body.SecretID) return 'as given'
      return AccessorID !== body.AccessorID && SecretID !== body.SecretID ? 'chosen by the service' : 'mixed'
    }))

  test.each([
    ['ServiceIdentities', { ServiceIdentities: [{ ServiceName: 'web' }] }, 'ServiceIdentities'],
    ['ExpirationTTL', { ExpirationTTL: '5m' }, 'ExpirationTime'],
    ['ExpirationTime', { ExpirationTime: '2028-02-29T13:00:00Z' }, 'ExpirationTime'],
  ])('%s from 1.5.0', (_, body, field) =>
    expectSince({ '0.7': '404 endpoint_unknown', '1.4.0': [], '1.5.0': [field] }, createdWith(body, field)),
  )

  test('Roles from 1.5.0: before, a dangling link is ignored', () =>
    expectSince(
      { '0.7': '404 endpoint_unknown', '1.4.0': [], '1.5.0': '400 link_unknown' },
      createdWith({ Roles: [{ Name: 'nobody' }] }, 'Roles'),
    ))

  test('Roles from 1.5.0 are linked', () =>
    expectSince({ '0.7': 'no roles', '1.5.0': ['Roles'] }, async (world) => {
      const role = await world.ask('PUT', '/acl/role', { token, body: { Name: 'r' } })
      return role.status === 200 ? createdWith({ Roles: [{ Name: 'r' }] }, 'Roles')(world) : 'no roles'
    }))

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
      {
        '0.7': '404 endpoint_unknown',
        '1.4.0': [],
        '1.7.0': '400 field_unknown',
        '1.8.1': ['NodeIdentities'],
      },
      ask,
    ),
  )

  test('NodeIdentities of a role from 1.8.1', () =>
    expectSince(
      {
        '0.7': '404 endpoint_unknown',
        '1.5.0': [],
        '1.7.0': '400 field_unknown',
        '1.8.1': ['NodeIdentities'],
      },
      async (world) => {
        const body = { Name: 'r', NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }] }
        const reply = await world.ask('PUT', '/acl/role', { token, body })
        if (reply.status !== 200) return `${reply.status} ${reply.code}`
        return Object.keys(reply.json as object).filter((key) => key === 'NodeIdentities')
      },
    ))
})
