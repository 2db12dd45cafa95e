import { aCheck, aNode, aService } from '@latchkey/testkit/records/catalog-builders'
import { expect, test } from 'vitest'
import { Catalog } from './catalog.ts'
import { type CatalogChange, keepsCatalogWhole, serviceIndexChanges } from './commit-rules.ts'
import { CONNECT_LOSS, EXTINCTION, SERVICE_NAMES } from './records/catalog-records.ts'

/** node-1 has web (with the check alive), api, and the check disk; node-2 has a second web. */
function before(): Catalog {
  const catalog = new Catalog()
  for (const Node of ['node-1', 'node-2']) catalog.put('nodes', aNode({ Node }))
  catalog.put('services', aService({ ID: 'web', Service: 'web' }))
  catalog.put('services', aService({ ID: 'api', Service: 'api' }))
  catalog.put('services', aService({ Node: 'node-2', ID: 'web', Service: 'Web' }))
  catalog.put('checks', aCheck({ CheckID: 'alive', ServiceID: 'web' }))
  catalog.put('checks', aCheck({ CheckID: 'disk' }))
  for (const Name of ['default/web', 'default/api']) {
    catalog.put('serviceIndexes', { Name, CreateIndex: 1, ModifyIndex: 1 })
  }
  return catalog
}

/** Name and `+` for moved, `-` for removed. */
function moved(...changes: readonly CatalogChange[]): readonly string[] {
  return serviceIndexChanges(changes, before())
    .map(({ op, record }) => `${op === 'put' ? '+' : '-'}${SPECIAL[record.Name] ?? record.Name}`)
    .sort()
}

const SPECIAL: Readonly<Record<string, string>> = {
  [EXTINCTION]: 'extinction',
  [SERVICE_NAMES]: 'names',
  [CONNECT_LOSS]: 'loss',
}

const node = (op: 'put' | 'delete', fields = {}): CatalogChange => ({
  table: 'nodes',
  op,
  record: aNode(fields),
})
const service = (op: 'put' | 'delete', fields = {}): CatalogChange => ({
  table: 'services',
  op,
  record: aService(fields),
})
const check = (op: 'put' | 'delete', fields = {}): CatalogChange => ({
  table: 'checks',
  op,
  record: aCheck(fields),
})

test('an instance that is new, changed or gone moves its service, and both on a change of name', () => {
  expect(moved(service('put', { ID: 'new', Service: 'new' }))).toEqual(['+default/new', '+names'])
  expect(moved(service('put', { ID: 'web', Port: 1 }))).toEqual(['+default/web'])
  expect(moved(service('delete', { ID: 'web' }))).toEqual(['+default/web'])
  expect(moved(service('put', { ID: 'web', Service: 'db' }))).toEqual([
    '+default/db',
    '+default/web',
    '+names',
  ])
})

test('the last instance takes the index of its service along, and moves the extinction index', () => {
  expect(moved(service('delete', { ID: 'api', Service: 'api' }))).toEqual([
    '+extinction',
    '+names',
    '-default/api',
  ])
  const renamed = service('put', { ID: 'api', Service: 'db' })
  expect(moved(renamed)).toEqual(['+default/db', '+extinction', '+names', '-default/api'])
})

test('a proxy tells the service that it represents, and moves the index of losses when it leaves', () => {
  const proxy = (op: 'put' | 'delete', fields = {}) =>
    service(op, { ID: 'p', Service: 'p', Kind: 'connect-proxy', ...fields })
  const ofWeb = { Proxy: { DestinationServiceName: 'Web' } }
  const ofApi = { Proxy: { DestinationServiceName: 'api' } }
  const catalog = before()
  const names = (...changes: readonly CatalogChange[]) =>
    serviceIndexChanges(changes, catalog).map(({ record }) => SPECIAL[record.Name] ?? record.Name)
  expect(names(proxy('put', ofWeb))).toEqual(['default/p', 'names', '>default/web'])
  catalog.put('services', aService({ ID: 'p', Service: 'p', Kind: 'connect-proxy', ...ofWeb }))
  catalog.put('serviceIndexes', { Name: 'default/p', CreateIndex: 1, ModifyIndex: 1 })
  expect(names(proxy('put', { ...ofWeb, Port: 1 }))).toEqual(['default/p', '>default/web'])
  expect(names(check('put', { CheckID: 'p', ServiceID: 'p' }))).toEqual(['default/p', '>default/web'])
  expect(names(proxy('put', ofApi))).toEqual(['default/p', '>default/web', '>default/api', 'loss'])
  expect(names(proxy('delete', ofWeb))).toEqual(['default/p', 'extinction', 'names', '>default/web', 'loss'])
})

test('a service that comes and goes within a commit moves nothing', () => {
  expect(
    moved(service('put', { ID: 'x', Service: 'x' }), service('delete', { ID: 'x', Service: 'x' })),
  ).toEqual([])
})

test('an instance that moves within a commit is not the last', () => {
  const changes = [
    service('delete', { ID: 'api', Service: 'api' }),
    service('put', { Node: 'node-2', ID: 'api', Service: 'api' }),
  ]
  expect(moved(...changes)).toEqual(['+default/api'])
})

test('a check of a service moves it alone; a check of the node moves every service there', () => {
  expect(moved(check('put', { CheckID: 'alive', ServiceID: 'web' }))).toEqual(['+default/web'])
  expect(moved(check('delete', { CheckID: 'alive', ServiceID: 'web' }))).toEqual(['+default/web'])
  expect(moved(check('put', { CheckID: 'disk' }))).toEqual(['+default/api', '+default/web'])
  expect(moved(check('delete', { CheckID: 'disk' }))).toEqual(['+default/api', '+default/web'])
  expect(moved(check('put', { CheckID: 'disk', Node: 'node-2' }))).toEqual(['+default/web'])
})

test('a check that moves to another service moves both', () => {
  const changes = moved(check('put', { CheckID: 'alive', ServiceID: 'api' }))
  expect(changes).toEqual(['+default/api', '+default/web'])
})

test('a change of the node moves every service on it', () => {
  expect(moved(node('put', { Address: '10.9.9.9' }))).toEqual(['+default/api', '+default/web'])
  expect(moved(node('put', { Node: 'node-3' }))).toEqual([])
})

test('services and checks need their node, and checks of services their service', () => {
  const isWhole = (...changes: readonly CatalogChange[]) => keepsCatalogWhole(changes, before())
  expect(isWhole(service('put', { Node: 'NODE-2' }))).toBe(true)
  expect(isWhole(service('put', { Node: 'node-3' }))).toBe(false)
  expect(isWhole(node('put', { Node: 'node-3' }), service('put', { Node: 'node-3' }))).toBe(true)
  expect(isWhole(check('put', { CheckID: 'new', ServiceID: 'WEB' }))).toBe(true)
  expect(isWhole(check('put', { CheckID: 'new', ServiceID: 'db' }))).toBe(false)
  expect(isWhole(service('delete', { ID: 'web' }))).toBe(false)
  const alive = check('delete', { CheckID: 'alive', ServiceID: 'web' })
  expect(isWhole(service('delete', { ID: 'web' }), alive)).toBe(true)
})

test('a node ends only with everything on it', () => {
  const all = [
    node('delete'),
    service('delete', { ID: 'web' }),
    service('delete', { ID: 'api', Service: 'api' }),
    check('delete', { CheckID: 'alive', ServiceID: 'web' }),
    check('delete', { CheckID: 'disk' }),
  ]
  const catalog = before()
  const coordinate = {
    ...{ Node: 'node-1', Segment: '', Coord: { Vec: [0], Error: 0, Adjustment: 0, Height: 0 } },
    ...{ CreateIndex: 0, ModifyIndex: 0 },
  }
  expect(keepsCatalogWhole(all, catalog)).toBe(true)
  catalog.put('coordinates', coordinate)
  expect(keepsCatalogWhole(all, catalog)).toBe(false)
  const withIt = [...all, { table: 'coordinates', op: 'delete', record: coordinate } as const]
  expect(keepsCatalogWhole(withIt, catalog)).toBe(true)
  for (const left of [1, 2, 3, 4]) {
    const some = all.filter((_, i) => i !== left)
    expect(keepsCatalogWhole(some, before()), `without change ${left}`).toBe(false)
  }
  expect(keepsCatalogWhole([...all, check('put', { CheckID: 'new' })], before())).toBe(false)
})
