import { aCheck, aNode, aService } from '@latchkey/testkit/records/catalog-builders'
import { expect, test } from 'vitest'
import { Catalog, catalogKey } from './catalog.ts'

function catalogOf(
  ...[nodes = [], services = [], checks = []]: readonly [
    (readonly ReturnType<typeof aNode>[])?,
    (readonly ReturnType<typeof aService>[])?,
    (readonly ReturnType<typeof aCheck>[])?,
  ]
): Catalog {
  const catalog = new Catalog()
  for (const node of nodes) catalog.put('nodes', node)
  for (const service of services) catalog.put('services', service)
  for (const check of checks) catalog.put('checks', check)
  return catalog
}

test('names and ids compare without case, and records keep their spelling', () => {
  const node = aNode({ Node: 'Web-1', ID: 'aaaaaaaa-0000-4000-8000-000000000001' })
  const service = aService({ Node: 'Web-1', ID: 'Web', Service: 'Web' })
  const check = aCheck({ Node: 'web-1', CheckID: 'Alive', ServiceID: 'WEB' })
  const catalog = catalogOf([node], [service], [check])
  expect(catalog.node('WEB-1')).toBe(node)
  expect(catalog.nodeById('AAAAAAAA-0000-4000-8000-000000000001')).toBe(node)
  expect(catalog.service('web-1', 'wEB')).toBe(service)
  expect(catalog.instances('wEb')).toEqual([service])
  expect(catalog.check('WEB-1', 'ALIVE')).toBe(check)
  expect(catalog.checksOf(service)).toEqual([check])
  expect(catalog.serviceOf(check)).toBe(service)
})

test('lists are in the order of lower-case names, nodes before ids', () => {
  const services = [
    aService({ Node: 'b', ID: '1' }),
    aService({ Node: 'A', ID: '2' }),
    aService({ Node: 'a-1', ID: '0' }),
    aService({ Node: 'a', ID: '1' }),
  ]
  const catalog = catalogOf([aNode({ Node: 'b' }), aNode({ Node: 'A' })], services)
  expect(catalog.nodes().map(({ Node }) => Node)).toEqual(['A', 'b'])
  expect(catalog.services().map(({ Node, ID }) => `${Node}/${ID}`)).toEqual(['a/1', 'A/2', 'a-1/0', 'b/1'])
})

test('a service that changes its name leaves the old one', () => {
  const catalog = catalogOf([aNode()], [aService({ ID: '1', Service: 'web' })])
  catalog.put('services', aService({ ID: '1', Service: 'api' }))
  expect(catalog.instances('web')).toEqual([])
  expect(catalog.instances('api')).toHaveLength(1)
  expect(catalog.services()).toHaveLength(1)
})

test('the same name in two namespaces is two services', () => {
  const here = aService({ ID: '1', Service: 'web', Namespace: 'default' })
  const there = aService({ ID: '1', Service: 'web', Namespace: 'team' })
  const catalog = catalogOf([aNode()], [here, there])
  expect(catalog.instances('web')).toEqual([here])
  expect(catalog.instances('web', 'team')).toEqual([there])
})

test('separates the checks of a node from those of its services', () => {
  const service = aService({ ID: 'web' })
  const ofNode = aCheck({ CheckID: 'disk' })
  const ofService = aCheck({ CheckID: 'alive', ServiceID: 'web' })
  const catalog = catalogOf([aNode()], [service], [ofNode, ofService])
  expect(catalog.nodeChecks(service.Node)).toEqual([ofNode])
  expect(catalog.checksOf(service)).toEqual([ofService])
  expect(catalog.checksOn(service.Node)).toEqual([ofService, ofNode])
})

test('a list that was handed out does not change', () => {
  const catalog = catalogOf([aNode({ Node: 'a' })])
  const before = catalog.nodes()
  catalog.put('nodes', aNode({ Node: 'b' }))
  catalog.remove('nodes', 'a')
  expect(before.map(({ Node }) => Node)).toEqual(['a'])
  expect(catalog.nodes().map(({ Node }) => Node)).toEqual(['b'])
})

test('connect instances are native instances and proxies by their destination', () => {
  const native = aService({ ID: '1', Service: 'web', Connect: { Native: true } })
  const proxy = aService({
    ID: '2',
    Service: 'web-proxy',
    Kind: 'connect-proxy',
    Proxy: { DestinationServiceName: 'Web' },
  })
  const catalog = catalogOf([aNode()], [native, proxy, aService({ ID: '3', Service: 'web' })])
  expect(catalog.connectInstances('web')).toEqual([native, proxy])
  catalog.remove('services', catalogKey('services', proxy))
  expect(catalog.connectInstances('web')).toEqual([native])
})

test('finds the first node and the first instance with an address, in any notation', () => {
  const nodes = [aNode({ Node: 'b', Address: 'fe80::1' }), aNode({ Node: 'a', Address: 'FE80:0::1' })]
  const services = [aService({ Node: 'b', ID: '1', Address: '10.0.0.9' }), aService({ Node: 'a', ID: '1' })]
  const catalog = catalogOf(nodes, services)
  expect(catalog.nodesAt('fe80:0:0:0:0:0:0:1').map(({ Node }) => Node)).toEqual(['a', 'b'])
  expect(catalog.instancesAt('10.0.0.9')).toEqual([services[0]])
  expect(catalog.instancesAt('fe80::1')).toEqual([])
  expect(catalog.nodesAt('web')).toEqual([])
  catalog.remove('nodes', 'a')
  expect(catalog.nodesAt('fe80::1').map(({ Node }) => Node)).toEqual(['b'])
  catalog.put('nodes', aNode({ Node: 'b', Address: '10.0.0.2' }))
  expect(catalog.nodesAt('fe80::1')).toEqual([])
  expect(catalog.nodesAt('10.0.0.2').map(({ Node }) => Node)).toEqual(['b'])
  catalog.remove('services', catalogKey('services', aService({ Node: 'b', ID: '1' })))
  expect(catalog.instancesAt('10.0.0.9')).toEqual([])
})

test('the start of an ID finds a node only if no other ID starts with it', () => {
  const [first, second] = ['a', 'b'].map((Node) =>
    aNode({ Node, ID: `${Node === 'a' ? 'aaaaaaaa' : 'aaaaaabb'}-0000-4000-8000-000000000001` }),
  )
  const catalog = catalogOf([first, second].flatMap((node) => node ?? []))
  expect(catalog.nodeByStartOfId('AAAAAAA')).toBe(first)
  expect(catalog.nodeByStartOfId('aaaaaab')).toBe(second)
  expect(catalog.nodeByStartOfId('aaaaaa')).toBeUndefined()
})

test('a renamed node keeps its id when the old record is removed afterwards', () => {
  const ID = 'aaaaaaaa-0000-4000-8000-000000000001'
  const catalog = catalogOf([aNode({ Node: 'old', ID })])
  catalog.put('nodes', aNode({ Node: 'new', ID }))
  catalog.remove('nodes', 'old')
  expect(catalog.nodeById(ID)?.Node).toBe('new')
})

test('a removed coordinate is not among those of its node', () => {
  const catalog = catalogOf([aNode()])
  const Coord = { Vec: [0], Error: 0, Adjustment: 0, Height: 0 }
  const record = { Node: 'node-1', Segment: '', Coord, CreateIndex: 0, ModifyIndex: 0 }
  catalog.put('coordinates', record)
  expect(catalog.coordinatesOf('NODE-1')).toEqual([record])
  catalog.remove('coordinates', catalogKey('coordinates', record))
  expect([catalog.coordinatesOf('node-1'), catalog.coordinate('node-1')]).toEqual([[], undefined])
})
