/** Sessions at each version, and their defaults. The conformance suite tests what every server shows of them. */

import { aCheck, aNode } from '@latchkey/testkit/records/catalog-builders'
import { putOf } from '@latchkey/testkit/records/changes'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'
import type { ClusterMember } from './options.ts'

const LEADER: ClusterMember = {
  ...{ id: 'leader', node: 'leader', address: '10.0.0.1:8500', datacenter: 'dc1' },
  ...{ version: '', mode: 'enabled', status: 'alive' },
}

/** A server of one version, in a cluster whose leader has another. */
function besideLeader(version: string, ofLeader: string): Promise<World> {
  const cluster = { leader: () => LEADER.address, members: () => [{ ...LEADER, version: ofLeader }] }
  return aWorld({ version, cluster })
}

async function aSession({ manage }: World, body: object = {}): Promise<string> {
  return ((await manage('PUT', '/session/create', body)) as { ID: string }).ID
}

test.each([
  ['1.6.3', '1.7.0', 'session_incompatible'],
  ['1.6.3', '1.7.1', 'session_incompatible'],
  ['1.7.0', '1.6.3', 'session_incompatible'],
  ['1.7.1', '1.6.3', 'session_incompatible'],
  ['1.6.3', '1.7.2', undefined],
  ['1.7.2', '1.6.3', undefined],
  ['1.7.1', '1.7.0', undefined],
  ['1.6.3', '1.6.0', undefined],
])(
  'info and renew on %s beside a leader of %s: %s (spec 9.3, 1.7.0 and 1.7.2)',
  async (own, leader, code) => {
    const world = await besideLeader(own, leader)
    const id = await aSession(world)
    for (const [method, path] of [
      ['GET', `/session/info/${id}`],
      ['PUT', `/session/renew/${id}`],
    ] as const) {
      expect((await world.ask(method, path, { token: MANAGEMENT })).code, path).toBe(code)
    }
    for (const path of ['/session/list', '/session/node/n1']) {
      expect(await world.manage('GET', path), path).toHaveLength(1)
    }
    expect(await world.manage('PUT', `/session/destroy/${id}`)).toBe(true)
  },
)

test.each([
  ['1.6.3', { Checks: ['serfHealth'] }],
  ['1.7.0', { NodeChecks: ['serfHealth'], ServiceChecks: null }],
])('a session of %s depends on the process of its node, and shows %o', async (version, lists) => {
  const world = await aWorld({ version })
  const check = aCheck({ Node: 'n', CheckID: 'serfHealth', ServiceID: '', Status: 'passing' })
  await world.store.commit([putOf('nodes', aNode({ Node: 'n' }), 0), putOf('checks', check, 0)])
  const id = await aSession(world, { Node: 'n' })
  const [session] = (await world.manage('GET', `/session/info/${id}`)) as object[]
  const { Checks, NodeChecks, ServiceChecks } = session as Record<string, unknown>
  expect(JSON.parse(JSON.stringify({ Checks, NodeChecks, ServiceChecks }))).toEqual(lists)
})

test.each([
  [{ Checks: ['a'] }, { NodeChecks: ['a'] }],
  [
    { Checks: ['a'], NodeChecks: ['b'] },
    { NodeChecks: ['b'], Checks: ['a'] },
  ],
  [{ Checks: [] }, { NodeChecks: [] }],
  [{ NodeChecks: null, ServiceChecks: [{ ID: 'a' }] }, { ServiceChecks: [{ ID: 'a', Namespace: '' }] }],
  [
    { lockdelay: '0s', TTL: '0s' },
    { LockDelay: 0, TTL: '0s' },
  ],
])('%o makes a session with %o (decisions: sessions)', async (body, shown) => {
  const world = await aWorld()
  await world.store.commit([putOf('nodes', aNode({ Node: 'n' }), 0)])
  const checks = ['a', 'b'].map((CheckID) => aCheck({ Node: 'n', CheckID, ServiceID: '', Status: 'passing' }))
  await world.store.commit(checks.map((record) => putOf('checks', record, 0)))
  const id = await aSession(world, { Node: 'n', ...body })
  expect(await world.manage('GET', `/session/info/${id}`)).toMatchObject([shown])
})
