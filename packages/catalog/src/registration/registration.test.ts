import { aCheck, aNode, aService } from '@latchkey/testkit/records/catalog-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { Catalog } from '../catalog.ts'
import { planDeregistration, planRegistration, readRegistration } from './register.ts'

const A = 'aaaaaaaa-0000-4000-8000-000000000001'
const B = 'bbbbbbbb-0000-4000-8000-000000000002'

/** node-1 with the ID A, the service web with its check alive, and its own check disk. */
function stored(): Catalog {
  const catalog = new Catalog()
  catalog.put('nodes', aNode({ ID: A, CreateIndex: 1, ModifyIndex: 2 }))
  catalog.put('services', aService({ ModifyIndex: 3 }))
  catalog.put('checks', aCheck({ CheckID: 'alive', ServiceID: 'web', ModifyIndex: 4 }))
  catalog.put('checks', aCheck({ CheckID: 'disk', ModifyIndex: 5 }))
  return catalog
}

const read = (body: object) => readRegistration(body, () => 'default')
const plan = (body: object, catalog = stored()) => planRegistration(read(body), catalog)
const NODE = { ID: A, Node: 'node-1', Address: '10.0.0.1' }
const PROXY = { Service: 's', Kind: 'connect-proxy', Port: 1, Proxy: { DestinationServiceName: 'db' } }
const aProxyWith = (second: object) => {
  const Upstreams = [{ LocalBindPort: 1 }, { LocalBindPort: 1, ...second }]
  return { ...PROXY, Proxy: { ...PROXY.Proxy, Upstreams } }
}
const WEB = { Service: 'web', Port: 8080 }
const changesOf = (body: object, catalog?: Catalog) =>
  plan(body, catalog).changes.map(({ table, op }) => `${op} ${table}`)
const needsOf = (body: object, catalog?: Catalog) =>
  plan(body, catalog).needs.map(({ resource, segment }) => `${resource} ${segment}`)

describe('registration', () => {
  test('what is stored already is no change, and the node then needs no right', () => {
    const same = { ...NODE, Service: WEB, Check: { CheckID: 'disk', Name: 'alive', Status: 'passing' } }
    expect(changesOf(same)).toEqual([])
    expect(needsOf({ ...NODE, Service: WEB })).toEqual(['service web', 'service web'])
    expect(needsOf({ ...NODE, Address: '10.0.0.2' })).toEqual(['node node-1'])
    expect(changesOf({ ...NODE, Address: '10.0.0.2' })).toEqual(['put nodes'])
  })

  test('SkipNodeUpdate leaves a known node as it is, and creates an unknown one', () => {
    expect(changesOf({ Node: 'node-1', SkipNodeUpdate: true, Service: { ...WEB, Port: 1 } })).toEqual([
      'put services',
    ])
    expect(changesOf({ Node: 'node-2', SkipNodeUpdate: true })).toEqual(['put nodes'])
    expect(needsOf({ Node: 'node-2', SkipNodeUpdate: true })).toEqual(['node node-2'])
  })

  test('a service needs the right to its name, to the name that its id had, and to what it stands for', () => {
    expect(needsOf({ ...NODE, Service: { ID: 'web', Service: 'api' } })).toEqual([
      'service api',
      'service web',
    ])
    const proxy = { Kind: 'connect-proxy', Port: 1, Proxy: { DestinationServiceName: 'db' } }
    expect(needsOf({ ...NODE, Service: { Service: 'proxy', ...proxy } })).toEqual([
      'service proxy',
      'service db',
    ])
  })

  test('a check needs the right to its service or to the node, also to those that it had', () => {
    const check = (fields: object) => ({ ...NODE, Check: { CheckID: 'new', Name: 'new', ...fields } })
    expect(needsOf(check({}))).toEqual(['node node-1'])
    expect(needsOf(check({ ServiceID: 'WEB' }))).toEqual(['service web'])
    expect(needsOf(check({ CheckID: 'disk', ServiceID: 'web' }))).toEqual(['service web', 'node node-1'])
    expect(plan(check({ ServiceID: 'none' })).fault?.code).toBe('field_invalid')
  })

  test('a check is not of a service that the same body registers in another namespace', () => {
    const faultOf = (Namespace: string) => {
      const Service = { Service: 'api', Namespace: 'team' }
      const Check = { Name: 'new', ServiceID: 'api', Namespace }
      const request = readRegistration({ ...NODE, Service, Check }, (field = 'default') => field)
      return planRegistration(request, stored()).fault?.code
    }
    expect(faultOf('team')).toBeUndefined()
    expect(faultOf('default')).toBe('field_invalid')
  })

  test('a node that is stored in another case needs the right to both names', () => {
    const other = { ...NODE, Node: 'NODE-1' }
    expect(needsOf(other)).toEqual(['node NODE-1', 'node node-1'])
    const check = { ...other, SkipNodeUpdate: true, Check: { CheckID: 'new', Name: 'new' } }
    expect(needsOf(check)).toEqual(['node NODE-1', 'node node-1'])
    const { oneOf, changes } = planDeregistration({ Node: 'NODE-1' }, 'default', stored())
    expect([oneOf.map(({ segment }) => segment), changes.length]).toEqual([['node-1'], 4])
  })

  test('a known ID under a new name ends the old node with everything on it', () => {
    const renamed = { ...NODE, Node: 'node-9' }
    expect(changesOf({ ...renamed, SkipNodeUpdate: true })).toEqual(changesOf(renamed))
    expect(changesOf(renamed).toSorted()).toEqual(
      ['delete checks', 'delete checks', 'delete nodes', 'delete services', 'put nodes'].toSorted(),
    )
    expect(needsOf(renamed)).toEqual(['node node-9', 'node node-1'])
  })

  test('a name goes to another ID unless its node is alive', () => {
    const catalog = stored()
    expect(plan({ ...NODE, ID: B }, catalog).fault).toBeUndefined()
    catalog.put('checks', aCheck({ CheckID: 'serfHealth', Status: 'passing' }))
    expect(plan({ ...NODE, ID: B }, catalog).fault?.code).toBe('name_in_use')
    expect(plan(NODE, catalog).fault).toBeUndefined()
    catalog.put('checks', aCheck({ CheckID: 'serfHealth', Status: 'critical' }))
    expect(plan({ ...NODE, ID: B }, catalog).fault).toBeUndefined()
    expect(() => read({ ...NODE, Service: aProxyWith({ LocalBindPort: 2 }) })).not.toThrow()
  })

  test.each([
    [{ Address: 'a' }, 'field_required', 'Node'],
    [{ Node: 'n' }, 'field_required', 'Address'],
    [{ ...NODE, ID: 'x' }, 'field_invalid', 'ID'],
    [{ ...NODE, Service: {} }, 'field_required', 'Service.Service'],
    [{ ...NODE, Service: { Service: 's', Address: '[::]' } }, 'field_invalid', 'Service.Address'],
    [{ ...NODE, Service: { Service: 's', Meta: { '': '' } } }, 'field_invalid', 'Service.Meta'],
    [{ ...NODE, Service: { Service: 's', Kind: 'connect-proxy' } }, 'field_invalid', 'Service.Proxy'],
    [{ ...NODE, Service: { Service: 's', Kind: 'mesh-gateway' } }, 'field_invalid', 'Service.Proxy'],
    [{ ...NODE, Service: { ...PROXY, Connect: { Native: true } } }, 'field_invalid', 'Service.Proxy'],
    [{ ...NODE, Service: { ...PROXY, Kind: 'ingress-gateway' } }, 'field_invalid', 'Service.Proxy'],
    [{ ...NODE, Service: aProxyWith({ LocalBindAddress: '127.0.0.1' }) }, 'field_invalid', 'Service.Proxy'],
    [{ ...NODE, Service: { Service: 's', Port: 2 ** 31 } }, 'field_invalid', 'Service.Port'],
    [{ ...NODE, Service: { Service: 's', Port: -(2 ** 31) } }, 'field_invalid', 'Service.Port'],
    [{ ...NODE, Check: {} }, 'field_required', 'Check.Name'],
    [{ ...NODE, Check: { Name: 'c', ExposedPort: 2 ** 31 } }, 'field_invalid', 'Check.ExposedPort'],
    [
      { ...NODE, Check: { Name: 'c', Definition: { Interval: 'x' } } },
      'field_type',
      'Check.Definition.Interval',
    ],
  ])('refuses %j as %s of %s', (body, code, field) => {
    expect(refusalOf(() => read(body))).toMatchObject({ code, field })
  })

  test('fills in what is left out: id, weights, status, type; a definition keeps what is set', () => {
    const Definition = { HTTP: 'http://web', Interval: '90s', Timeout: 5e9, Method: '', Unknown: 1 }
    const { service, checks } = read({
      ...NODE,
      Service: { Service: 'web', Weights: { Passing: 0, Warning: 9 } },
      Check: { Name: 'c', Definition },
    })
    expect(service).toMatchObject({ ID: 'web', Weights: { Passing: 1, Warning: 1 }, Meta: null })
    expect(checks).toMatchObject([
      {
        CheckID: 'c',
        Status: 'critical',
        Type: 'http',
        Definition: { Interval: '1m30s', Timeout: '5s', HTTP: 'http://web' },
      },
    ])
  })
})

describe('deregistration', () => {
  const changes = (body: object) =>
    planDeregistration(body, 'default', stored()).changes.map(({ table, op }) => `${op} ${table}`)
  const oneOf = (body: object) =>
    planDeregistration(body, 'default', stored()).oneOf.map(
      ({ resource, segment }) => `${resource} ${segment}`,
    )

  test('a service goes with its checks, a check alone, a node with everything', () => {
    expect(changes({ Node: 'NODE-1', ServiceID: 'WEB', CheckID: 'disk' })).toEqual([
      'delete checks',
      'delete services',
    ])
    expect(changes({ Node: 'node-1', CheckID: 'DISK' })).toEqual(['delete checks'])
    expect(changes({ Node: 'node-1' })).toHaveLength(4)
    for (const what of [{ ServiceID: 'x' }, { CheckID: 'x' }])
      expect(changes({ Node: 'node-1', ...what })).toEqual([])
    expect(changes({ Node: 'node-2' })).toEqual([])
  })

  test('a check of the node is found whatever namespace the request names', () => {
    const { changes } = planDeregistration({ Node: 'node-1', CheckID: 'disk' }, 'team', stored())
    expect(changes).toMatchObject([{ table: 'checks', op: 'delete', record: { CheckID: 'disk' } }])
  })

  test('the right to the node is enough for all, that to a service for it and its checks', () => {
    expect(oneOf({ Node: 'node-1', ServiceID: 'web' })).toEqual(['node node-1', 'service web'])
    expect(oneOf({ Node: 'node-1', CheckID: 'alive' })).toEqual(['node node-1', 'service web'])
    for (const what of [{ CheckID: 'disk' }, { ServiceID: 'x' }, {}]) {
      expect(oneOf({ Node: 'node-1', ...what })).toEqual(['node node-1'])
    }
  })
})
