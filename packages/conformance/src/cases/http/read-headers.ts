/** What the headers of a read say about it. Decisions: read headers. */
import assert from 'node:assert/strict'
import { type Case, test } from '../../case.ts'
import type { Context } from '../../context.ts'

/** Reads that filter rows, of two services on two nodes. */
const listsOf = (service: string, node: string) => [
  ...['/catalog/nodes', '/catalog/services', `/catalog/service/${service}`, `/catalog/node/${node}`],
  ...[`/catalog/node-services/${node}`, `/health/node/${node}`, `/health/checks/${service}`],
  ...[`/health/service/${service}`, '/health/state/any', '/internal/ui/nodes', '/internal/ui/services'],
]

/** Registers a node with a service and a check, all with the same name. */
async function aNode(ctx: Context): Promise<string> {
  const Node = ctx.unique('node')
  const Check = { Name: 'alive', ServiceID: Node }
  const body = { Node, Address: '10.0.0.1', Service: { Service: Node }, Check }
  await ctx.ok('PUT', '/catalog/register', { body })
  return Node
}

export const readHeaderCases: readonly Case[] = [
  test('read-headers/filtered [D/catalog/read-headers] a list says that rows were left out for lack of rights, only if they were and the caller has a token', async (ctx) => {
    const [open, hidden] = [await aNode(ctx), await aNode(ctx)]
    const rules = ['service', 'node'].map((kind) => `${kind} "${open}" { policy = "read" }`)
    const { SecretID: token } = await ctx.caller(rules.join('\n'))
    const tells = async (path: string, as: string | null | undefined) => {
      const options = as === undefined ? {} : { token: as }
      const reply = await ctx.call('GET', path, options)
      return reply.headers.get(ctx.header('Results-Filtered-By-ACLs'))
    }
    for (const path of listsOf(hidden, hidden)) {
      assert.equal(await tells(path, token), 'true', path)
      assert.equal(await tells(path, null), null, `${path} without a token`)
      assert.equal(await tells(path, undefined), null, `${path} with every right`)
    }
    const ownRows = ['/catalog/service/', '/catalog/node/', '/health/service/', '/internal/ui/node/']
    for (const path of ownRows) assert.equal(await tells(`${path}${open}`, token), null, path)
    assert.equal(await tells(`/internal/ui/node/${hidden}`, token), 'true')
    for (const Node of [open, hidden]) await ctx.ok('PUT', '/catalog/deregister', { body: { Node } })
  }).needing({ from: '1.11' }),
  test('read-headers/not-before [D/catalog/read-headers] before 1.11 no list says that rows were left out for lack of rights', async (ctx) => {
    const hidden = await aNode(ctx)
    const { SecretID: token } = await ctx.caller('')
    const reply = await ctx.call('GET', `/catalog/service/${hidden}`, { token })
    assert.equal(reply.text, '[]')
    assert.equal(reply.headers.get(ctx.header('Results-Filtered-By-ACLs')), null)
    await ctx.ok('PUT', '/catalog/deregister', { body: { Node: hidden } })
  }).needing({ from: '1.4.0', before: '1.11' }),
  test('read-headers/consistency [D/catalog/read-headers] catalog and health reads name their consistency; blocking queries also name what answered them', async (ctx) => {
    const consistency = ctx.header('Effective-Consistency')
    const backend = ctx.header('Query-Backend')
    const modes = { '': 'leader', consistent: 'consistent', stale: 'stale' }
    for (const path of ['/catalog/services', '/health/state/any']) {
      for (const [option, told] of Object.entries(modes)) {
        const { headers } = await ctx.call('GET', `${path}?${option}`)
        assert.deepEqual([headers.get(consistency), headers.get(backend)], [told, 'blocking-query'])
      }
    }
    for (const path of ['/internal/ui/nodes', '/coordinate/nodes', '/session/list', '/acl/tokens']) {
      const { headers } = await ctx.call('GET', path)
      assert.deepEqual([headers.get(consistency), headers.get(backend)], [null, 'blocking-query'], path)
    }
    for (const path of ['/catalog/datacenters', '/agent/members']) {
      assert.equal((await ctx.call('GET', path)).headers.get(backend), null, path)
    }
  }).needing({ from: '1.10' }),
  test('read-headers/cached [D/catalog/read-headers] a read with `cached` says whether it had to wait for its answer', async (ctx) => {
    const path = `/catalog/service/${ctx.unique('service')}?cached`
    const waited = `${path}&wait=500ms&index=999999999`
    for (const [url, told] of [
      [path, ['HIT', '0']],
      [waited, ['MISS', null]],
      ['/catalog/nodes?cached', [null, null]],
    ] as const) {
      const reply = await ctx.call('GET', url)
      assert.deepEqual([reply.headers.get('X-Cache'), reply.headers.get('Age')], told, url)
    }
  }).needing({ from: '1.4.0' }),
]
