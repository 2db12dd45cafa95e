/** Spec 9.2 and 9.3, as far as they apply to this service, at versions on both sides of every boundary. */

import { fromLegacyToken } from '@latchkey/acl'
import { putOf } from '@latchkey/testkit/records/changes'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'
import { expectSince } from './rows.ts'

const token = MANAGEMENT

/** Adds a legacy token, migrated if it has an accessor. */
function plant(
  { store }: World,
  SecretID: string,
  { Rules = '', Type = 'client', AccessorID = '' } = {},
): void {
  const type = Type === 'management' ? 'management' : 'client'
  const record = fromLegacyToken({
    ID: SecretID,
    Name: 'old',
    Type: type,
    Rules,
    CreateIndex: 0,
    ModifyIndex: 0,
  })
  store.commitNow([putOf('tokens', { ...record, AccessorID }, 0)])
}

describe('9.2: the upgrade to 1.4.0', () => {
  test('an unmigrated token shows an empty AccessorID in list and self, and cannot be addressed (spec 9.2.3)', () =>
    expectSince({ '0.7': [404, 404, 404], '1.4.0': ['', '', 400] }, async (world) => {
      plant(world, 'unmigrated')
      const list = await world.ask('GET', '/acl/tokens', { token })
      const self = await world.ask('GET', '/acl/token/self', { token: 'unmigrated' })
      const update = await world.ask('PUT', '/acl/token/', { token, body: { AccessorID: '' } })
      if (list.status !== 200) return [list.status, self.status, update.status]
      const entries = list.json as { AccessorID: string; SecretID: string }[]
      const entry = entries.find(({ SecretID }) => SecretID === 'unmigrated')
      return [entry?.AccessorID, (self.json as { AccessorID: string }).AccessorID, update.status]
    }))

  test('legacy tokens can be created until 1.11, and cannot use policies (spec 9.2.4)', () =>
    expectSince(
      { '0.7': [200, 'without links'], '1.7.0': [400, 'without links'], '1.11': [410, 410] },
      async (world) => {
        const body = { ID: 'old', Policies: [{ Name: 'global-management' }] }
        const withPolicies = await world.ask('PUT', '/acl/create', { token, body })
        const plain = await world.ask('PUT', '/acl/create', { token, body: { ID: 'old' } })
        const made = await world.store.tokenBySecret('old')
        return [withPolicies.status, made?.Policies.length === 0 ? 'without links' : plain.status]
      },
    ))

  test('rights of legacy tokens come from rules and type until 1.11, then only from links (spec 9.1, 9.2.4)', () =>
    expectSince(
      {
        '0.7': { client: 404, rules: 200, 'rules, migrated': 200, management: 200 },
        '1.0': { client: 403, rules: 200, 'rules, migrated': 200, management: 200 },
        '1.11': { client: 403, rules: 403, 'rules, migrated': 403, management: 403 },
      },
      async (world) => {
        await world.ask('PUT', '/kv/app/a', { token, body: 'x' })
        const Rules = 'key "app" { policy = "read" }'
        const AccessorID = 'a0000000-0000-4000-8000-0000000000aa'
        plant(world, 'client')
        plant(world, 'rules', { Rules })
        plant(world, 'rules, migrated', { Rules, AccessorID })
        plant(world, 'management', { Type: 'management' })
        const statuses: Record<string, number> = {}
        for (const secret of ['client', 'rules', 'rules, migrated', 'management'])
          statuses[secret] = (await world.ask('GET', '/kv/app/a', { token: secret })).status
        return statuses
      },
    ))

  test('a legacy management token may use the token API until 1.11', () =>
    expectSince({ '0.7': 404, '1.4.0': 200, '1.11': 403 }, async (world) => {
      plant(world, 'management', { Type: 'management' })
      return (await world.ask('PUT', '/acl/token', { token: 'management', body: {} })).status
    }))
})

describe('9.3: behaviour of the HTTP API', () => {
  const HEADER = 'X-Service-Translate-Addresses'
  test.each([
    ['GET', '/kv/a'],
    ['GET', '/nowhere'],
    ['GET', '/status/leader'],
    ['PUT', '/status/leader'],
    ['OPTIONS', '/status/leader'],
    ['GET', '/catalog/nodes'],
  ])(`0.7: ${HEADER} is on every answer if translation is on: %s %s`, async (method, path) => {
    const ask = async (world: World) => (await world.ask(method, path, { token })).headers[HEADER] ?? 'absent'
    await expectSince({ '0.7': 'true' }, ask, { translateAddresses: true })
    await expectSince({ '0.7': 'absent' }, ask)
  })

  test('0.7: the header uses the family of the request', async () => {
    const { ask } = await aWorld({ version: '0.7', translateAddresses: true })
    const reply = await ask('GET', '/kv/a', { headers: { 'x-consul-token': token } })
    expect(Object.keys(reply.headers).filter((name) => name.includes('Translate'))).toEqual([
      'X-Consul-Translate-Addresses',
    ])
  })

  test('1.4.0: agent self shows the ACL mode', () =>
    expectSince(
      {
        '0.7': { server: 'true', version: expect.any(String) },
        '1.4.0': { acl: 'enabled', server: 'true', version: expect.any(String) },
      },
      async (world) => {
        const { Stats } = (await world.manage('GET', '/agent/self')) as { Stats: { latchkey: unknown } }
        return Stats.latchkey
      },
    ))

  test('intentions are listed in every version; config entries exist from 1.9.0 (spec 9.5)', async () => {
    const statusOf = (path: string) => async (world: World) =>
      (await world.ask('GET', path, { token })).status
    await expectSince({ '0.7': 200 }, statusOf('/connect/intentions'))
    await expectSince({ '0.7': 400, '1.9': 200 }, statusOf('/config/service-intentions'))
    const written = (body: object) => async (world: World) =>
      (await world.ask('PUT', '/config', { token, body })).status
    await expectSince({ '0.7': 404, '1.5': 400 }, written({}))
    await expectSince({ '0.7': 404, '1.5': 501 }, written({ Kind: 'proxy-defaults' }))
    const entry = { Kind: 'service-intentions', Name: 'b', Sources: [{ Name: 'a', Action: 'allow' }] }
    await expectSince({ '0.7': 404, '1.5': 400, '1.9': 503 }, written(entry))
  })
})
