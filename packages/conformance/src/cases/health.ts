/** Health, the agent and the user interface's summaries. Spec 9.3, 9.4. */
import assert from 'node:assert/strict'
import { type Case, test } from '../case.ts'
import type { Context } from '../context.ts'

interface Instance {
  readonly Node: { readonly Node: string }
  readonly Service: { readonly ID: string; readonly Service: string }
  readonly Checks: readonly { readonly CheckID: string; readonly Status: string; readonly Output: string }[]
}

/** Registers a service with a TTL check on the target's node, and returns its name, which is also its ID. */
async function aService(ctx: Context, more: object = {}): Promise<string> {
  const name = ctx.unique('web')
  const body = { Name: name, Port: 80, Tags: ['v1', 'Blue'], Check: { TTL: '10m' }, ...more }
  await done(ctx, 'PUT', '/agent/service/register', body)
  return name
}

async function done(ctx: Context, method: string, path: string, body?: object): Promise<void> {
  const reply = await ctx.call(method, path, body === undefined ? {} : { body })
  assert.deepEqual([reply.status, reply.text], [200, ''], `${method} ${path}`)
}

async function removed(ctx: Context, name: string): Promise<void> {
  await done(ctx, 'PUT', `/agent/service/deregister/${name}`)
}

export const healthCases: readonly Case[] = [
  test('health/repeated [9.4] 413: the instances of a service together repeat more than 16 MiB of their node and its checks', async (ctx) => {
    const [Node, other, name] = [ctx.unique('node'), ctx.unique('node'), ctx.unique('web')]
    const [Address, Output] = ['10.0.0.1', 'o'.repeat(60_000)]
    const TaggedAddresses = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`a${i}`, 'x'.repeat(4_000)]),
    )
    await ctx.ok('PUT', '/catalog/register', { body: { Node, Address, TaggedAddresses } })
    const Check = { Node: other, Name: 'c', Status: 'passing', Output }
    const Checks = Array.from({ length: 8 }, (_, i) => ({ ...Check, CheckID: `c${i}` }))
    await ctx.ok('PUT', '/catalog/register', { body: { Node: other, Address, Checks } })
    const instancesOn = async (node: string, Service: string, count: number) => {
      const register = (i: number) =>
        ctx.ok('PUT', '/catalog/register', {
          body: { Node: node, Address, SkipNodeUpdate: true, Service: { ID: `${Service}-${i}`, Service } },
        })
      await Promise.all(Array.from({ length: count }, (_, i) => register(i)))
    }
    const tooLarge = '413 answer_too_large'
    await instancesOn(Node, name, 30)
    assert.equal((await ctx.ok<object[]>('GET', `/catalog/service/${name}`)).length, 30)
    await instancesOn(Node, name, 45)
    for (const path of ['catalog/service', 'health/service'])
      await ctx.refuses('GET', `/${path}/${name}`, {}, tooLarge)
    await instancesOn(other, `${name}-2`, 40)
    assert.equal((await ctx.ok<object[]>('GET', `/catalog/service/${name}-2`)).length, 40)
    await ctx.refuses('GET', `/health/service/${name}-2`, {}, tooLarge)
    await ctx.refuses('GET', `/health/service/${name}-2?filter=Service.ID+!=+x`, {}, tooLarge)
    for (const node of [Node, other]) await ctx.ok('PUT', '/catalog/deregister', { body: { Node: node } })
  }),
  test('agent/service [9.4] an agent service is registered with its check, listed, read with its hash, and deregistered', async (ctx) => {
    const name = await aService(ctx, { Weights: { Passing: 3, Warning: 1 }, address: '10.0.0.1' })
    const services = await ctx.ok<Record<string, { Service: string }>>('GET', '/agent/services')
    assert.equal(services[name]?.Service, name)
    const read = await ctx.call('GET', `/agent/service/${name}`)
    const service = JSON.parse(read.text)
    assert.equal(read.headers.get(ctx.header('ContentHash')), service.ContentHash)
    assert.match(service.ContentHash, /^[0-9a-f]{16}$/)
    assert.deepEqual(service.TaggedAddresses.lan_ipv4, { Address: '10.0.0.1', Port: 80 })
    const same = await ctx.ok('GET', `/agent/service/${name}?hash=${service.ContentHash}&wait=10ms`)
    assert.deepEqual(same, service)
    await removed(ctx, name)
    await ctx.refuses('GET', `/agent/service/${name}`, {}, '404 not_found')
    await ctx.refuses('PUT', `/agent/service/deregister/${name}`, {}, '404 not_found')
  }),
  test('agent/unchanged [9.4] the same service and check, registered again with their fields in another order, keep their indexes', async (ctx) => {
    const name = ctx.unique('web')
    const wan = { Address: '10.0.0.1', Port: 80 }
    const check = { CheckID: `c-${name}`, Name: 'c', TCP: '127.0.0.1:1', Interval: '24h' }
    const ttl = { CheckID: `t-${name}`, Name: 't', TTL: '24h' }
    const first = {
      Name: name,
      Meta: { zone: 'a', az: 'b' },
      TaggedAddresses: { wan, lan: wan },
      Checks: [check, ttl],
    }
    const again = {
      Checks: [Object.fromEntries(Object.entries(check).reverse()), ttl],
      TaggedAddresses: { lan: wan, wan: { Port: 80, Address: '10.0.0.1' } },
      Meta: { az: 'b', zone: 'a' },
      Name: name,
    }
    // Not with the checks of the node, which other cases change.
    const paths = [`/catalog/service/${name}`, `/health/checks/${name}`]
    const read = () => Promise.all(paths.map((path) => ctx.ok('GET', path)))
    await done(ctx, 'PUT', '/agent/service/register', first)
    const registered = await read()
    await done(ctx, 'PUT', '/agent/service/register', again)
    assert.deepEqual(await read(), registered)
    await removed(ctx, name)
  }),
  test('agent/proxy [9.4] 403: a proxy also needs the right to its destination service; 400 without a destination', async (ctx) => {
    const [name, other] = [ctx.unique('proxy'), ctx.unique('web')]
    const { SecretID: token } = await ctx.caller(`service "${name}" { policy = "write" }`)
    const proxyOf = (DestinationServiceName: string) => ({
      token,
      body: { Name: name, Kind: 'connect-proxy', Port: 80, Proxy: { DestinationServiceName } },
    })
    const path = '/agent/service/register'
    await ctx.refuses('PUT', path, proxyOf(other), '403 privilege_missing')
    // The list of problems ends with empty lines, as in existing services.
    assert.equal((await ctx.call('PUT', path, proxyOf(''))).status, 400)
    assert.equal((await ctx.call('PUT', path, proxyOf(name))).status, 200)
    await removed(ctx, name)
  }),
  test('agent/ttl [9.4] a client reports the status of a TTL check; other checks and unknown statuses are refused', async (ctx) => {
    const name = await aService(ctx)
    const id = `service:${name}`
    const statusOf = async () => {
      const [check] = await ctx.ok<{ Status: string; Output: string }[]>('GET', `/health/checks/${name}`)
      return [check?.Status, check?.Output]
    }
    assert.deepEqual(await statusOf(), ['critical', ''])
    await done(ctx, 'PUT', `/agent/check/pass/${id}?note=good`)
    assert.deepEqual(await statusOf(), ['passing', 'good'])
    await done(ctx, 'PUT', `/agent/check/warn/${id}?note=slow`)
    assert.deepEqual(await statusOf(), ['warning', 'slow'])
    await done(ctx, 'PUT', `/agent/check/fail/${id}`)
    assert.deepEqual(await statusOf(), ['critical', ''])
    await done(ctx, 'PUT', `/agent/check/update/${id}`, { Status: 'passing', Output: 'again' })
    assert.deepEqual(await statusOf(), ['passing', 'again'])
    await ctx.refuses('PUT', `/agent/check/update/${id}`, { body: { Status: 'well' } }, '400 field_invalid')
    await removed(ctx, name)
    await ctx.refuses('PUT', `/agent/check/pass/${id}`, {}, '404 not_found')
  }),
  test('agent/checks [9.4] a check of the node is registered, shown by the agent, and deregistered; invalid checks are 400', async (ctx) => {
    const name = ctx.unique('disk')
    await done(ctx, 'PUT', '/agent/check/register', { name, TTL: '10m', status: 'passing' })
    const checks = await ctx.ok<Record<string, { Type: string; Status: string }>>('GET', '/agent/checks')
    assert.deepEqual([checks[name]?.Type, checks[name]?.Status], ['ttl', 'passing'])
    await done(ctx, 'PUT', `/agent/check/deregister/${name}`)
    const faults = [
      [{ TTL: '1m' }, 'field_required'],
      [{ Name: name }, 'field_invalid'],
      [{ Name: name, HTTP: 'http://x' }, 'field_invalid'],
      [{ Name: name, TTL: '1m', Interval: '1m' }, 'field_invalid'],
      [{ Name: name, ScriptArgs: ['/bin/true'], Interval: '1m' }, 'field_invalid'],
      [{ Name: name, TTL: '1m', Foo: 1 }, 'field_unknown'],
    ] as const
    for (const [body, code] of faults) {
      await ctx.refuses('PUT', '/agent/check/register', { body }, `400 ${code}`)
    }
  }),
  test('agent/maintenance [9.4] maintenance is a critical check that local health shows', async (ctx) => {
    const name = await aService(ctx, { Check: { TTL: '10m', Status: 'passing' } })
    const health = await ctx.call('GET', `/agent/health/service/id/${name}`)
    const { AggregatedStatus, Checks } = JSON.parse(health.text)
    assert.deepEqual([health.status, AggregatedStatus], [200, 'passing'])
    const { Type, Definition } = Checks[0]
    assert.deepEqual([Type ?? '', Definition?.Interval], ['', Definition && '0s'])
    await done(ctx, 'PUT', `/agent/service/maintenance/${name}?enable=true&reason=disk`)
    const worse = await ctx.call('GET', `/agent/health/service/name/${name}?format=text`)
    assert.deepEqual([worse.status, worse.text], [503, 'maintenance'])
    assert.equal(worse.headers.get(ctx.header('Reason')), 'maintenance')
    await done(ctx, 'PUT', `/agent/service/maintenance/${name}?enable=false`)
    await ctx.refuses(
      'PUT',
      `/agent/service/maintenance/${name}`,
      {},
      '400 query_invalid',
      'Missing value for enable',
    )
    await removed(ctx, name)
    const gone = await ctx.call('GET', `/agent/health/service/id/${name}`)
    const reason = `ServiceId ${name} not found`
    assert.deepEqual([gone.status, gone.headers.get(ctx.header('Reason'))], [404, reason])
    await done(ctx, 'PUT', '/agent/maintenance?enable=false')
  }),
  test('agent/rights [9.4] 403 privilege_missing: without service:write or agent:write; lists show only what the caller may read', async (ctx) => {
    const name = await aService(ctx)
    const reader = await ctx.caller(`service "${name}" { policy = "read" }`)
    const token = reader.SecretID
    for (const [method, path] of [
      ['PUT', `/agent/service/deregister/${name}`],
      ['PUT', `/agent/check/pass/service:${name}`],
      ['PUT', `/agent/join/127.0.0.1`],
      ['PUT', `/agent/force-leave/${name}`],
      ['PUT', '/agent/leave'],
      ['PUT', '/agent/reload'],
      ['PUT', '/agent/maintenance?enable=true'],
      ['GET', '/agent/host'],
    ] as const) {
      await ctx.refuses(method, path, { token }, '403 privilege_missing')
    }
    assert.deepEqual(Object.keys(await ctx.ok('GET', '/agent/services', { token })), [name])
    // The caller may not read the node, so the instance is hidden.
    assert.deepEqual(await ctx.ok('GET', `/health/service/${name}`, { token }), [])
    await removed(ctx, name)
  }),
  test('health/service [9.4] health of a service: instances with checks, selected by passing, tag and filter', async (ctx) => {
    const name = await aService(ctx)
    const found = (query: string) => ctx.ok<Instance[]>('GET', `/health/service/${name}?${query}`)
    const [instance] = await found('')
    assert.equal(instance?.Service.ID, name)
    assert(instance?.Checks.some(({ CheckID }) => CheckID === `service:${name}`))
    assert.deepEqual(await found('passing'), [])
    await done(ctx, 'PUT', `/agent/check/pass/service:${name}`)
    assert.equal((await found('passing=1')).length, 1)
    assert.equal((await found('tag=v1&tag=BLUE')).length, 1)
    assert.equal((await found('tag=v1&tag=green')).length, 0)
    assert.equal((await found('tag=')).length, 0)
    const Node = ctx.unique('node')
    const Service = { Service: name, Tags: [''] }
    await ctx.ok('PUT', '/catalog/register', { body: { Node, Address: '10.0.0.1', Service } })
    assert.deepEqual(
      (await found('tag=')).map((one) => one.Node.Node),
      [Node],
    )
    await ctx.ok('PUT', '/catalog/deregister', { body: { Node } })
    assert.equal((await found(`filter=${encodeURIComponent('Service.Port == 80')}`)).length, 1)
    assert.equal((await found(`filter=${encodeURIComponent('Checks.Status == critical')}`)).length, 0)
    const invalid = ['400 query_invalid', 'Invalid value for ?passing'] as const
    await ctx.refuses('GET', `/health/service/${name}?passing=maybe`, {}, ...invalid)
    await ctx.refuses('GET', `/health/service/${name}?filter=Bogus==1`, {}, '400 filter_invalid')
    await removed(ctx, name)
    assert.deepEqual(await found(''), [])
    assert.deepEqual(await ctx.ok('GET', `/health/connect/${name}`), [])
    assert.deepEqual(await ctx.ok('GET', `/health/ingress/${name}`), [])
  }),
  test('health/blocking [9.4] a wait on a service ends when that service changes, not when another one does', async (ctx) => {
    const [name, other] = [await aService(ctx), await aService(ctx)]
    const first = await ctx.call('GET', `/health/service/${name}`)
    const index = Number(first.headers.get(ctx.header('Index')))
    const waiting = ctx.call('GET', `/health/service/${name}?index=${index}&wait=20s`)
    await done(ctx, 'PUT', `/agent/check/pass/service:${other}`)
    const unchanged = await ctx.call('GET', `/health/service/${name}`)
    assert.equal(Number(unchanged.headers.get(ctx.header('Index'))), index)
    await done(ctx, 'PUT', `/agent/check/pass/service:${name}`)
    const changed = await waiting
    assert(Number(changed.headers.get(ctx.header('Index'))) > index)
    const [instance] = JSON.parse(changed.text) as Instance[]
    assert(instance?.Checks.some(({ Status }) => Status === 'passing'))
    for (const each of [name, other]) await removed(ctx, each)
  }),
  test('health/mesh-summary [9.4] the summary of a service names its datacenter and the services that its proxies represent', async (ctx) => {
    const name = await aService(ctx)
    const proxy = await aService(ctx, { Kind: 'connect-proxy', Proxy: { DestinationServiceName: name } })
    const [agent, summaries] = await Promise.all([
      ctx.ok<{ Config: { Datacenter: string } }>('GET', '/agent/self'),
      ctx.ok<Record<string, unknown>[]>('GET', '/internal/ui/services'),
    ])
    const { Datacenter } = agent.Config
    const shown = [name, proxy].map((each) => {
      const summary = summaries.find(({ Name }) => Name === each) ?? {}
      return ['Datacenter', 'ProxyFor', 'ConnectedWithProxy', 'ConnectedWithGateway'].map(
        (key) => summary[key],
      )
    })
    assert.deepEqual(shown, [
      [Datacenter, undefined, true, false],
      [Datacenter, [name], false, false],
    ])
    for (const each of [name, proxy]) await removed(ctx, each)
  }).needing({ from: '1.11' }),
  test('health/lists [9.4] checks are listed by node and state, and as summaries for user interfaces', async (ctx) => {
    const name = await aService(ctx)
    const id = `service:${name}`
    const [check] = await ctx.ok<{ Node: string; CheckID: string }[]>('GET', `/health/checks/${name}`)
    const node = check?.Node ?? ''
    const has = (checks: readonly { CheckID: string }[]) => checks.some(({ CheckID }) => CheckID === id)
    assert(has(await ctx.ok('GET', `/health/node/${node}`)))
    assert(has(await ctx.ok('GET', '/health/state/critical')))
    assert(has(await ctx.ok('GET', '/health/state/any')))
    assert(!has(await ctx.ok('GET', '/health/state/passing')))
    const nodes = await ctx.ok<{ Node: string; Services: { ID: string }[] }[]>('GET', '/internal/ui/nodes')
    const services = nodes.find(({ Node }) => Node === node)?.Services ?? []
    assert(services.some(({ ID }) => ID === name))
    const own = await ctx.ok<{ Checks: { CheckID: string }[] }>('GET', `/internal/ui/node/${node}`)
    assert(has(own.Checks))
    await ctx.refuses('GET', `/internal/ui/node/${ctx.unique('no')}`, {}, '404 not_found')
    const summaries = await ctx.ok<{ Name: string; InstanceCount: number }[]>('GET', '/internal/ui/services')
    assert.equal(summaries.find(({ Name }) => Name === name)?.InstanceCount, 1)
    await removed(ctx, name)
  }),
]
