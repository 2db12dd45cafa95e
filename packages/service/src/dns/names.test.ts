/** DNS with the rights of its token. Decisions: dns. */

import { AclError } from '@latchkey/contract'
import { aNode, aService } from '@latchkey/testkit/records/catalog-builders'
import { putOf } from '@latchkey/testkit/records/changes'
import { aWorld, MANAGEMENT, type World, type WorldOptions } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'
import type { Names } from './names.ts'

const SETTINGS = { domains: ['consul'], ttlSeconds: 0, onlyPassing: false }

async function aNetwork(options: WorldOptions = {}): Promise<World> {
  const world = await aWorld(options)
  await world.store.commit([
    putOf('nodes', aNode({ Node: 'a', Address: '10.0.0.1' }), 0),
    putOf('services', aService({ Node: 'a', Service: 'web' }), 0),
  ])
  return world
}

async function statusOf(names: Names, name: string): Promise<string> {
  return (await names.resolve({ name, type: 'A' }, 10)).rcode
}

const NODE = 'a.node.consul'
const WEB = 'web.service.consul'

test('without a DNS token, the anonymous token is used, and names that it may not read do not exist', async () => {
  const { service } = await aNetwork()
  const names = service.names({ settings: SETTINGS })
  expect(await statusOf(names, NODE)).toBe('NXDOMAIN')
  expect(await statusOf(names, '0a000001.addr.consul')).toBe('NOERROR')
})

test('a service needs the right to it and to the node of its instance', async () => {
  const { service, secretWith } = await aNetwork()
  const statuses = async (rules: string) => {
    const names = service.names({ settings: SETTINGS, secretId: await secretWith(rules) })
    return [await statusOf(names, NODE), await statusOf(names, WEB)]
  }
  expect(await statuses('node "a" { policy = "read" }')).toEqual(['NOERROR', 'NXDOMAIN'])
  expect(await statuses('service "web" { policy = "read" }')).toEqual(['NXDOMAIN', 'NXDOMAIN'])
  expect(await statuses('node_prefix "" { policy = "read" } service "web" { policy = "write" }')).toEqual([
    'NOERROR',
    'NOERROR',
  ])
})

test('a changed policy and a deleted token take effect immediately', async () => {
  const world = await aNetwork()
  const policy = await world.policy({ Name: 'dns', Rules: 'node "a" { policy = "read" }' })
  const { AccessorID, SecretID } = await world.token({ Policies: [{ ID: policy.ID }] })
  const names = world.service.names({ settings: SETTINGS, secretId: SecretID })
  expect(await statusOf(names, NODE)).toBe('NOERROR')
  await world.manage('PUT', `/acl/policy/${policy.ID}`, { ...policy, Rules: '' })
  expect(await statusOf(names, NODE)).toBe('NXDOMAIN')
  await world.manage('DELETE', `/acl/token/${AccessorID}`)
  await expect(async () => await statusOf(names, NODE)).rejects.toThrow(AclError)
})

test('with ACLs off everything is answered', async () => {
  const { service } = await aNetwork({ aclEnabled: false })
  expect(await statusOf(service.names({ settings: SETTINGS }), WEB)).toBe('NOERROR')
})

test('rights apply only in the namespace of the token (extended edition)', async () => {
  const world = await aNetwork({ edition: 'extended' })
  await world.manage('PUT', '/namespace', { Name: 'ops' })
  await world.store.commit([putOf('services', aService({ Node: 'a', ID: 'x', Namespace: 'ops' }), 0)])
  const secretId = await world.secretWith(
    'node_prefix "" { policy = "read" } service_prefix "" { policy = "read" }',
  )
  const elsewhere = world.service.names({ settings: SETTINGS, secretId })
  expect(await statusOf(elsewhere, 'web.service.ops.dc1.consul')).toBe('NXDOMAIN')
  const manager = world.service.names({ settings: SETTINGS, secretId: MANAGEMENT })
  expect(await statusOf(manager, 'web.service.ops.dc1.consul')).toBe('NOERROR')
})

test('answers are in random order, and no more are drawn than requested', async () => {
  const { service, store } = await aNetwork({ aclEnabled: false })
  for (let i = 0; i < 30; i += 1) {
    const record = aService({ Node: 'a', ID: `many-${i}`, Service: 'many', Address: `10.0.1.${i}` })
    await store.commit([putOf('services', record, 0)])
  }
  const names = service.names({ settings: SETTINGS })
  const firsts = new Set<unknown>()
  for (let i = 0; i < 50; i += 1) {
    const { answers } = await names.resolve({ name: 'many.service.consul', type: 'A' }, 3)
    expect(answers).toHaveLength(4)
    firsts.add(answers[0]?.data)
  }
  expect(firsts.size).toBeGreaterThan(10)
})
