import { aCheck, aNode, aService } from '@latchkey/testkit/records/catalog-builders'
import { beforeEach, describe, expect, test } from 'vitest'
import { Catalog, type CatalogTable, catalogKey } from '../catalog.ts'
import { planServers, type ServerMember, serverServiceOf } from './server-nodes.ts'

const member = (fields: Partial<ServerMember> = {}): ServerMember => ({
  id: 'aaaaaaaa-0000-4000-8000-000000000001',
  node: 'node-1',
  address: '10.0.0.1:8500',
  status: 'alive',
  ...fields,
})

let ownService = 'latchkey'
beforeEach(() => {
  ownService = 'latchkey'
})

/** Applies the changes, and describes them. */
function step(catalog: Catalog, ...members: readonly ServerMember[]): readonly string[] {
  return planServers(members, catalog, ownService).map(({ table, op, record }) => {
    const key = catalogKey(table as CatalogTable, record)
    if (op === 'put') catalog.put(table, record)
    else catalog.remove(table, key)
    return `${op} ${table}${table === 'checks' && op === 'put' && 'Status' in record ? ` ${record.Status}` : ''}`
  })
}

describe('a server', () => {
  test('is registered when it lives, and nothing is written again', () => {
    const catalog = new Catalog()
    expect(step(catalog, member())).toEqual(['put nodes', 'put services', 'put checks passing'])
    expect(catalog.node('node-1')).toMatchObject({
      Address: '10.0.0.1',
      TaggedAddresses: { lan: '10.0.0.1', lan_ipv4: '10.0.0.1', wan_ipv4: '10.0.0.1' },
      Meta: { 'consul-network-segment': '' },
    })
    expect(catalog.service('node-1', 'latchkey')).toMatchObject({ Port: 8500 })
    expect(step(catalog, member())).toEqual([])
    expect(step(catalog, member({ id: 'another', node: 'NODE-1' }))).toEqual([])
    expect(step(catalog, member({ address: '10.0.0.1:8501' }))).toEqual(['put services'])
  })

  test('is renamed with its service, and a service of a client stays', () => {
    const catalog = new Catalog()
    step(catalog, member())
    ownService = 'consul'
    expect(step(catalog, member())).toEqual(['delete services', 'put services'])
    expect(step(catalog, member())).toEqual([])
    catalog.put('services', aService({ Node: 'node-1', ID: 'latchkey', Port: 1 }))
    expect(step(catalog, member())).toEqual([])
    expect(step(catalog, member({ status: 'left' }))).toEqual(['delete checks', 'delete services'])
  })

  test.each([
    [{ headerPrefixes: [] }, 'latchkey'],
    [{ headerPrefixes: ['X-Service-', 'X-Consul-'] }, 'latchkey'],
    [{ headerPrefixes: ['x-consul-', 'X-Service-'] }, 'consul'],
    [{ headerPrefixes: ['X-Consul-'], ownService: 'acl' }, 'acl'],
  ])('with %j has the service %s', (options, name) => {
    expect(serverServiceOf(options)).toBe(name)
  })

  test('that does not listen yet is not registered; an IPv6 address has no brackets', () => {
    expect(step(new Catalog(), member({ address: '' }))).toEqual([])
    const catalog = new Catalog()
    step(catalog, member({ address: '[::1]:8500' }))
    expect(catalog.node('node-1')?.Address).toBe('::1')
  })

  test('leaves a node as clients registered it', () => {
    const catalog = new Catalog()
    catalog.put('nodes', aNode({ Node: 'node-1', Address: '192.0.2.1', Meta: { rack: 'r1' } }))
    expect(step(catalog, member())).toEqual(['put services', 'put checks passing'])
  })

  test('takes its node to a new address, once no process lives at the old one', () => {
    const catalog = new Catalog()
    const [old, moved] = [member(), member({ id: 'b', address: '10.0.0.2:8500' })]
    step(catalog, old)
    expect(step(catalog, old, moved)).toEqual([])
    expect(step(catalog, { ...old, status: 'left' }, moved)).toEqual(['put nodes'])
    const { ID, Address, TaggedAddresses } = catalog.node('node-1') ?? {}
    expect([ID, Address, TaggedAddresses?.lan]).toEqual([old.id, '10.0.0.2', '10.0.0.2'])
  })

  test('that fails has a critical check until it returns', () => {
    const catalog = new Catalog()
    step(catalog, member())
    expect(step(catalog, member({ status: 'failed' }))).toEqual(['put checks critical'])
    expect(step(catalog, member({ status: 'failed' }))).toEqual([])
    expect(step(catalog, member())).toEqual(['put checks passing'])
    expect(step(catalog, member({ status: 'failed' }), member({ id: 'b' }))).toEqual([])
    expect(step(catalog, member({ status: 'stopped' }))).toEqual([])
  })

  test('that left goes with its node, which stays if anything else is there', () => {
    const catalog = new Catalog()
    step(catalog, member())
    catalog.put('services', aService({ Node: 'node-1', ID: 'web' }))
    catalog.put('checks', aCheck({ Node: 'node-1', CheckID: 'alive', ServiceID: 'web' }))
    expect(step(catalog, member({ status: 'left' }))).toEqual(['delete checks', 'delete services'])
    expect(catalog.node('node-1')).toBeDefined()
    expect(step(catalog, member({ status: 'left' }))).toEqual([])
    const other = new Catalog()
    step(other, member())
    expect(step(other, member({ status: 'left' }))).toEqual([
      'delete checks',
      'delete services',
      'delete nodes',
    ])
  })

  test('with processes on several ports keeps the port of any that lives', () => {
    const catalog = new Catalog()
    const [one, two] = [member({ address: 'h:1' }), member({ id: 'b', address: 'h:2' })]
    step(catalog, two)
    expect(step(catalog, one, two)).toEqual([])
    expect(step(catalog, one, { ...two, status: 'failed' })).toEqual(['put services'])
  })
})
