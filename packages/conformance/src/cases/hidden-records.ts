/** Records that a caller may not read. Decisions: missing records. */
import assert from 'node:assert/strict'
import { type Case, test } from '../case.ts'
import type { AskOptions, Context } from '../context.ts'

/** A service of one name on the server's node and on two others, with checks, a session and an intention. */
async function hiddenRecords(ctx: Context) {
  const [name, Node, other] = [ctx.unique('hidden'), ctx.unique('node'), ctx.unique('other')]
  const ids = { service: ctx.unique('id'), check: ctx.unique('check') }
  const service = { ID: ids.service, Name: name, Check: { CheckID: ids.check, TTL: '1h' } }
  await ctx.call('PUT', '/agent/service/register', { body: service })
  const Service = { ID: ids.service, Service: name }
  const Check = { CheckID: ids.check, Name: 'c', ServiceID: ids.service }
  for (const node of [Node, other])
    await ctx.ok('PUT', '/catalog/register', { body: { Node: node, Address: '10.0.0.1', Service, Check } })
  const session = await ctx.ok<{ ID: string }>('PUT', '/session/create', { body: { Node, Checks: [] } })
  const body = { SourceName: name, DestinationName: name, Action: 'allow' }
  const intention = await ctx.ok<{ ID: string }>('POST', '/connect/intentions', { body })
  const remove = async () => {
    await ctx.call('PUT', `/agent/service/deregister/${ids.service}`)
    for (const node of [Node, other]) await ctx.ok('PUT', '/catalog/deregister', { body: { Node: node } })
  }
  return { ...ids, name, Node, other, session: session.ID, intention: intention.ID, remove }
}

/** A caller that may write some records of each kind, and the node of the hidden ones. */
async function strangerTo(ctx: Context, node: string) {
  const mine = ctx.unique('mine')
  const rules = [
    `service "${mine}" { policy = "write" intentions = "write" }`,
    `session "${mine}" { policy = "write" }`,
    `node "${node}" { policy = "write" }`,
  ]
  return { mine, token: (await ctx.caller(rules.join('\n'))).SecretID }
}

export const hiddenRecordCases: readonly Case[] = [
  test('hidden/absent [9.4, D/catalog/rights, D/sessions/rights, D/intentions/rights, D/transactions/rights] a record that the caller may not read is answered like a missing one, by name and by ID', async (ctx) => {
    const hidden = await hiddenRecords(ctx)
    const { mine, token } = await strangerTo(ctx, hidden.Node)
    const { service, check, session, intention, name, Node, other } = hidden
    const ends = { SourceName: mine, DestinationName: mine, Action: 'allow' }
    const inCatalog = (id: string) => ({
      Node,
      SkipNodeUpdate: true,
      Check: { CheckID: 'c2', Name: 'c2', ServiceID: id },
    })
    const checkSet = (id: string) => [
      { Check: { Verb: 'set', Check: { Node, CheckID: 'c3', Name: 'c3', ServiceID: id } } },
    ]
    const probes: readonly (readonly [string, string, string, ((id: string) => unknown)?])[] = [
      [service, 'GET', '/agent/service/ID'],
      [service, 'GET', '/agent/health/service/id/ID'],
      [service, 'GET', '/agent/health/service/id/ID?format=text'],
      [name, 'GET', '/agent/health/service/name/ID'],
      [name, 'GET', '/agent/health/service/name/ID?format=text'],
      [service, 'PUT', '/agent/service/deregister/ID'],
      [service, 'PUT', '/agent/service/maintenance/ID?enable=true'],
      [service, 'PUT', '/agent/check/register', (id) => ({ Name: 'x', TTL: '1h', ServiceID: id })],
      [check, 'PUT', '/agent/check/deregister/ID'],
      [check, 'PUT', '/agent/check/pass/ID'],
      [check, 'PUT', '/agent/check/update/ID', () => ({ Status: 'passing' })],
      [service, 'PUT', '/catalog/register', inCatalog],
      [service, 'PUT', '/catalog/deregister', (id) => ({ Node: other, ServiceID: id })],
      [service, 'PUT', '/txn', checkSet],
      [other, 'GET', '/coordinate/node/ID'],
      [other, 'GET', '/catalog/node/ID'],
      [other, 'GET', '/health/node/ID'],
      [other, 'PUT', '/catalog/deregister', (id) => ({ Node: id })],
      [other, 'PUT', '/session/create', (id) => ({ Node: id })],
      [session, 'GET', '/session/info/ID'],
      [session, 'PUT', '/session/renew/ID'],
      [session, 'PUT', '/session/destroy/ID'],
      [intention, 'GET', '/connect/intentions/ID'],
      [intention, 'PUT', '/connect/intentions/ID', () => ends],
      [intention, 'DELETE', '/connect/intentions/ID'],
    ]
    for (const [id, method, path, bodyOf] of probes) {
      const missing = id === session || id === intention ? crypto.randomUUID() : ctx.unique('missing')
      const answer = async (of: string) => {
        const options: AskOptions = { token, ...(bodyOf ? { body: bodyOf(of) } : {}) }
        const { status, text } = await ctx.call(method, path.replace('ID', of), options)
        if (id !== name) assert(!text.includes(name), `${method} ${path} names the service: ${text}`)
        return `${status} ${text.replaceAll(of, 'ID')}`
      }
      assert.equal(await answer(id), await answer(missing), `${method} ${path}`)
    }
    const left = await ctx.ok<unknown[]>('GET', `/session/info/${session}`)
    assert.equal(left.length, 1, 'the session is still there')
    await ctx.ok('GET', `/connect/intentions/${intention}`)
    await ctx.ok('GET', `/agent/service/${service}`)
    await hidden.remove()
  }).needing({ from: '1.8.1' }),
  test('hidden/replaced [9.4, D/catalog/rights, D/transactions/rights] 403 privilege_missing: a record that the caller may not read is not replaced, nor named', async (ctx) => {
    const hidden = await hiddenRecords(ctx)
    const { mine, token } = await strangerTo(ctx, hidden.Node)
    const { service, check, name, Node } = hidden
    const Service = { ID: service, Service: mine }
    const text = new RegExp(`^Permission denied: (?!.*${name})`)
    const denied = ['403 privilege_missing', text] as const
    for (const [path, body] of [
      ['/agent/service/register', { ID: service, Name: mine }],
      ['/agent/service/register', { Name: mine, Check: { CheckID: check, TTL: '1h' } }],
      ['/agent/check/register', { ID: check, Name: 'x', TTL: '1h' }],
      ['/catalog/register', { Node, SkipNodeUpdate: true, Service }],
    ] as const)
      await ctx.refuses('PUT', path, { token, body }, ...denied)
    const body = [{ Service: { Verb: 'set', Node, Service } }]
    const reply = await ctx.call('PUT', '/txn', { token, body })
    assert.deepEqual([reply.status, reply.text.includes(name)], [409, false])
    await hidden.remove()
  }).needing({ from: '1.8.1' }),
  test('refusals/right [9.4, D/catalog/rights, D/sessions/rights, D/intentions/rights, D/status/right-403] 403 privilege_missing: a caller without any right learns which right it lacks, and on what', async (ctx) => {
    const [web, node] = [ctx.unique('web'), ctx.unique('node')]
    const { SecretID: token } = await ctx.caller('')
    for (const [method, path, body, right] of [
      ['PUT', '/agent/service/register', { Name: web }, `'service:write' on "${web}"`],
      ['PUT', '/catalog/register', { Node: node, Address: '10.0.0.1' }, `'node:write' on "${node}"`],
      ['PUT', '/catalog/deregister', { Node: node }, `'node:write' on "${node}"`],
      ['PUT', '/session/create', { Node: node }, `'session:write' on "${node}"`],
      [
        'POST',
        '/connect/intentions',
        { SourceName: 'a', DestinationName: web, Action: 'allow' },
        `'intention:write' on "${web}"`,
      ],
      [
        'PUT',
        '/config',
        { Kind: 'service-intentions', Name: web, Sources: [{ Name: 'a', Action: 'allow' }] },
        `'intention:write' on "${web}"`,
      ],
      ['DELETE', `/config/service-intentions/${web}`, undefined, `'intention:write' on "${web}"`],
      // They name nothing, or nothing that exists.
      ['PUT', '/agent/service/register', { Nmae: web }, "'service:write' on any service"],
      ['PUT', `/agent/service/deregister/${web}`, undefined, "'service:write' on any service"],
    ] as const) {
      const text = new RegExp(`lacks permission ${right}`)
      await ctx.refuses(method, path, { token, body }, '403 privilege_missing', text)
    }
    const anonymous = { token: null, body: { Name: web } }
    const text = /lacks permission 'service:write' on any service/
    const refusal = ['403 privilege_missing', text] as const
    await ctx.refuses('PUT', '/agent/service/register', anonymous, ...refusal)
  }).needing({ from: '1.9.0' }),
]
