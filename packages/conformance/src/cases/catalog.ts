/** The catalog: registration, deregistration and reads. Decisions: catalog. */
import assert from 'node:assert/strict'
import type { NodeServices, NodeWithServices, ServiceInstance } from '@latchkey/contract'
import { type Case, test } from '../case.ts'
import type { Context } from '../context.ts'

/** Registers a node that has a service and a check, with unique names. */
async function aNode(ctx: Context) {
  const Node = ctx.unique('node')
  const Service = ctx.unique('service')
  const body = {
    Node,
    Address: '10.1.2.3',
    NodeMeta: { rack: Node },
    Service: { Service, Port: 80, Tags: ['One', 'two'] },
    Checks: [
      { CheckID: 'disk', Name: 'disk', Status: 'passing' },
      { CheckID: 'alive', Name: 'alive', ServiceID: Service },
    ],
  }
  assert.equal(await ctx.ok<boolean>('PUT', '/catalog/register', { body }), true)
  return { Node, Service, body }
}

const remove = (ctx: Context, body: object) => ctx.ok<boolean>('PUT', '/catalog/deregister', { body })
const read = (ctx: Context, node: string) => ctx.ok<NodeWithServices | null>('GET', `/catalog/node/${node}`)

export const catalogCases: readonly Case[] = [
  test('catalog/register [D/catalog/register] a registration shows in every read, in which names ignore case; repeating it changes nothing', async (ctx) => {
    const { Node, Service, body } = await aNode(ctx)
    const node = await read(ctx, Node.toUpperCase())
    assert.equal(node?.Node.Node, Node)
    assert.deepEqual(node.Services[Service]?.Tags, ['One', 'two'])
    const list = await ctx.ok<NodeServices>('GET', `/catalog/node-services/${Node}`)
    assert.deepEqual(list, { Node: node.Node, Services: [node.Services[Service]] })
    assert.deepEqual(await ctx.ok('GET', `/catalog/nodes?node-meta=rack:${Node}`), [node.Node])
    const services = await ctx.ok<Record<string, string[]>>('GET', '/catalog/services')
    assert.deepEqual(services[Service]?.toSorted(), ['One', 'two'])
    const path = `/catalog/service/${Service.toUpperCase()}`
    const [instance, ...others] = await ctx.ok<ServiceInstance[]>('GET', path)
    assert.equal(others.length, 0)
    assert.equal(instance?.ServicePort, 80)
    assert.deepEqual(instance.NodeMeta, { rack: Node })
    assert.equal(await ctx.ok<boolean>('PUT', '/catalog/register', { body }), true)
    assert.deepEqual(await ctx.ok('GET', path), [instance])
    assert.deepEqual(await read(ctx, Node), node)
    assert.equal(await remove(ctx, { Node }), true)
    assert.equal(await read(ctx, Node), null)
    const gone = { Node: null, Services: null }
    assert.deepEqual(await ctx.ok('GET', `/catalog/node-services/${Node}`), gone)
  }),
  test('catalog/select [D/catalog/select] tags, node-meta and filter select instances; connect lists proxies, and gateways have no services', async (ctx) => {
    const { Node, Service } = await aNode(ctx)
    const count = async (query: string) =>
      (await ctx.ok<unknown[]>('GET', `/catalog/service/${Service}?${query}`)).length
    const isPort = encodeURIComponent('ServicePort == 80')
    for (const query of ['tag=ONE&tag=two', `node-meta=rack:${Node}`, `filter=${isPort}`]) {
      assert.equal(await count(query), 1, query)
    }
    for (const query of ['tag=one&tag=three', 'tag=', 'node-meta=rack:none', `filter=not%20${isPort}`]) {
      assert.equal(await count(query), 0, query)
    }
    const proxy = {
      Kind: 'connect-proxy',
      Service: `${Service}-proxy`,
      Port: 81,
      Proxy: { DestinationServiceName: Service },
    }
    await ctx.ok('PUT', '/catalog/register', { body: { Node, SkipNodeUpdate: true, Service: proxy } })
    const connected = await ctx.ok<ServiceInstance[]>('GET', `/catalog/connect/${Service}`)
    assert.deepEqual(
      connected.map(({ ServiceName }) => ServiceName),
      [proxy.Service],
    )
    assert.deepEqual(await ctx.ok('GET', `/catalog/gateway-services/${Service}`), [])
    await remove(ctx, { Node })
  }),
  test('catalog/weights [D/catalog/register] an absent weight is 0, and weights out of range are 1, in registrations and transactions alike', async (ctx) => {
    const Node = ctx.unique('node')
    const weightsOf = async (Service: string) =>
      (await ctx.ok<ServiceInstance[]>('GET', `/catalog/service/${Service}`))[0]?.ServiceWeights
    for (const [Weights, Passing, Warning] of [
      [{ Passing: 5 }, 5, 0],
      [{ Passing: 65_535, Warning: 65_535 }, 65_535, 65_535],
      [undefined, 1, 1],
      [{}, 1, 1],
      [{ Warning: 5 }, 1, 1],
      [{ Passing: 5, Warning: -1 }, 1, 1],
      [{ Passing: 65_536 }, 1, 1],
    ] as const) {
      const [Service, inTxn] = [ctx.unique('service'), ctx.unique('service')]
      const body = { Node, Address: '10.0.0.1', Service: { Service, Weights } }
      await ctx.ok('PUT', '/catalog/register', { body })
      const operation = { Verb: 'set', Node, Service: { ID: inTxn, Service: inTxn, Weights } }
      await ctx.ok('PUT', '/txn', { body: [{ Service: operation }] })
      for (const name of [Service, inTxn])
        assert.deepEqual(await weightsOf(name), { Passing, Warning }, JSON.stringify(Weights))
    }
    await remove(ctx, { Node })
  }).needing({ from: '1.4.1' }),
  test('catalog/deregister [D/catalog/deregister] deregistering a service removes its checks, a node everything on it; an absent record answers true', async (ctx) => {
    const { Node, Service } = await aNode(ctx)
    assert.equal(await remove(ctx, { Node, CheckID: 'DISK' }), true)
    assert.equal(await remove(ctx, { Node, ServiceID: Service.toUpperCase() }), true)
    assert.deepEqual((await read(ctx, Node))?.Services, {})
    for (const what of [{ ServiceID: 'none' }, { CheckID: 'none' }, {}, {}]) {
      assert.equal(await remove(ctx, { Node, ...what }), true)
    }
  }),
  test('catalog/refused [D/catalog/refused] 400: a registration with one invalid part registers nothing', async (ctx) => {
    const Node = ctx.unique('node')
    const good = { Node, Address: '10.0.0.1' }
    const bad = [
      [{ Address: '10.0.0.1' }, 'field_required', 'Must provide node'],
      [{ Node }, 'field_required', 'Must provide address'],
      [{ ...good, ID: 'x' }, 'field_invalid', 'Bad node ID'],
      [{ ...good, Service: { ID: 'x' } }, 'field_required', 'Must provide service name with ID'],
      [{ ...good, Service: { Service: 'x', Address: '::' } }, 'field_invalid', 'Invalid service address'],
      [{ ...good, Service: { Service: 'x', Meta: { 'a b': 'c' } } }, 'field_invalid', 'failed inserting'],
      [{ ...good, Check: { Name: 'x', Node: 'other' } }, 'field_invalid', "Node 'other' for check 'x'"],
      [{ ...good, Check: { Name: 'x', ServiceID: 'no' } }, 'field_invalid', "Unknown service 'no'"],
      [{ ...good, Foo: 1 }, 'field_unknown', 'unknown field "Foo"'],
      [{ ...good, Datacenter: 'nowhere' }, 'datacenter_unknown', 'No path to datacenter'],
    ] as const
    for (const [body, code, text] of bad) {
      await ctx.refuses('PUT', '/catalog/register', { body }, `400 ${code}`, text)
    }
    assert.equal(await read(ctx, Node), null)
  }),
  test('catalog/rights [D/catalog/rights] 403: registering needs the rights to node and service; reads leave out what the caller may not read', async (ctx) => {
    const { Node, Service } = await aNode(ctx)
    const refused = '403 privilege_missing'
    const policy = await ctx.policy(`service "${Service}" { policy = "write" }`)
    const { SecretID: token } = await ctx.token({ Policies: [{ ID: policy.ID }] })
    const register = { Node, SkipNodeUpdate: true, Service: { Service, Port: 81 } }
    await ctx.ok('PUT', '/catalog/register', { body: register, token })
    const renamed = { ...register, Service: { ID: Service, Service: ctx.unique('other') } }
    await ctx.refuses('PUT', '/catalog/register', { body: renamed, token }, refused)
    const node = { Node, Address: '10.9.9.9' }
    await ctx.refuses('PUT', '/catalog/register', { body: node, token }, refused)
    await ctx.refuses('PUT', '/catalog/deregister', { body: { Node }, token }, refused)
    // The caller may read the service but not its node.
    assert.deepEqual(await ctx.ok('GET', '/catalog/services', { token }), { [Service]: [] })
    assert.deepEqual(await ctx.ok('GET', `/catalog/service/${Service}`, { token }), [])
    assert.deepEqual(await ctx.ok('GET', '/catalog/nodes', { token }), [])
    assert.equal(await ctx.ok('GET', `/catalog/node/${Node}`, { token }), null)
    const own = { Node, ServiceID: Service }
    await ctx.ok('PUT', '/catalog/deregister', { body: own, token })
    await ctx.refuses('PUT', '/catalog/deregister', { body: own, token }, refused)
    await remove(ctx, { Node })
  }),
  test('catalog/rights-case [D/catalog/rights] 403: a right to a name in another case is no right to the stored node: rules are case-sensitive', async (ctx) => {
    const { Node } = await aNode(ctx)
    const other = Node.toUpperCase()
    const rules = `node "${other}" { policy = "write" }\nsession "${other}" { policy = "write" }`
    const { SecretID: token } = await ctx.caller(rules)
    const Coord = { Vec: [0, 0, 0, 0, 0, 0, 0, 0] }
    const bodies = {
      '/catalog/register': { Node: other, Address: '10.9.9.9' },
      '/catalog/deregister': { Node: other },
      '/session/create': { Node: other, Checks: [] },
      '/coordinate/update': { Node: other, Coord },
    }
    for (const [path, body] of Object.entries(bodies))
      await ctx.refuses('PUT', path, { body, token }, '403 privilege_missing')
    await ctx.refuses('GET', `/coordinate/node/${other}`, { token }, '403 privilege_missing')
    for (const Verb of ['set', 'delete']) {
      const body = [{ Node: { Verb, Node: { Node: other, Address: '10.9.9.9' } } }]
      assert.equal((await ctx.call('PUT', '/txn', { body, token })).status, 409, Verb)
    }
    assert.equal((await read(ctx, Node))?.Node.Node, Node)
    await remove(ctx, { Node: other })
    assert.equal(await read(ctx, Node), null)
  }),
  test('catalog/index [D/catalog/index] only changes of a service move its index, and end a wait on it', async (ctx) => {
    const { Node, Service } = await aNode(ctx)
    const path = `/catalog/service/${Service}`
    const indexNow = async () => Number((await ctx.call('GET', path)).headers.get(ctx.header('Index')))
    const index = await indexNow()
    const { Node: elsewhere } = await aNode(ctx)
    await remove(ctx, { Node: elsewhere })
    assert.equal(await indexNow(), index)
    const waiting = ctx.call('GET', `${path}?index=${index}&wait=60s`)
    const body = { Node, SkipNodeUpdate: true, Service: { Service, Port: 8_000 } }
    await ctx.ok('PUT', '/catalog/register', { body })
    const [instance] = JSON.parse((await waiting).text) as ServiceInstance[]
    assert.equal(instance?.ServicePort, 8_000)
    const moved = await indexNow()
    assert(moved > index)
    await remove(ctx, { Node })
    assert((await indexNow()) > moved)
  }),
]
