/** Blocking queries and consistency modes. Spec 4.1; decisions: blocking queries. */
import assert from 'node:assert/strict'
import { type Case, test } from '../../case.ts'
import type { AskOptions, Context } from '../../context.ts'
import type { Reply } from '../../reply.ts'

/** Maximum time of an immediate answer, in milliseconds: far below the default wait, but enough for a busy machine. */
const SLACK_MS = 30_000

function indexOf(ctx: Context, reply: Reply): number {
  return Number(reply.headers.get(ctx.header('Index')))
}

/** Maximum time until a watcher sees a change, in milliseconds. */
const PATIENCE_MS = 40_000

/** Sends one blocking query, and resolves once it probably waits on the server. */
async function block(
  ctx: Context,
  path: string,
  options: AskOptions = {},
): Promise<{ reply: Promise<Reply & { ms: number }> }> {
  const startedAt = performance.now()
  const reply = ctx
    .call('GET', path, options)
    .then((answer) => ({ ...answer, ms: performance.now() - startedAt }))
  // The case handles a rejection when it awaits the reply.
  reply.catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 40))
  return { reply }
}

/**
 * Watches a read as a client does, until its value changes. Writes to other records may end a single query
 * early, because the index belongs to the whole table.
 */
async function watch(
  ctx: Context,
  path: string,
  options: AskOptions = {},
): Promise<{ news: Promise<Reply> }> {
  const joint = path.includes('?') ? '&' : '?'
  const deadline = performance.now() + PATIENCE_MS
  const first = await ctx.call('GET', path, options)
  const follow = async () => {
    let last = first
    while (performance.now() < deadline) {
      const index = indexOf(ctx, last)
      const next = await ctx.call('GET', `${path}${joint}index=${index}&wait=60s`, options)
      if (performance.now() > deadline) break
      if (next.status !== first.status || next.text !== first.text) return next
      assert(indexOf(ctx, next) >= index, 'the index went backward')
      last = next
    }
    throw new assert.AssertionError({
      message: `GET ${path.split('?')[0]} showed nothing new in ${PATIENCE_MS} ms`,
    })
  }
  const news = follow()
  news.catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 40))
  return { news }
}

export const blockingCases: readonly Case[] = [
  test('blocking/timeout [D/blocking/wait, 4.1/Read, 4.1/Read self, 4.1/List] read, self and list with the current index answer the same when the wait ends, at most a sixteenth late', async (ctx) => {
    const policy = await ctx.policy()
    const token = await ctx.token({ Policies: [{ ID: policy.ID }] })
    const waits = [
      `/acl/token/${token.AccessorID}`,
      '/acl/token/self',
      `/acl/tokens?policy=${policy.ID}`,
    ].map(async (path) => {
      const options = path.endsWith('self') ? { token: token.SecretID } : {}
      const first = await ctx.call('GET', path, options)
      const joint = path.includes('?') ? '&' : '?'
      const { reply } = await block(
        ctx,
        `${path}${joint}index=${indexOf(ctx, first) + 1_000_000}&wait=160ms`,
        options,
      )
      const { ms, status, text } = await reply
      assert.deepEqual([status, text], [200, first.text])
      assert(ms >= 159, `answered after ${ms} ms`)
      assert(ms < 170 + SLACK_MS, `answered after ${ms} ms`)
    })
    await Promise.all(waits)
  }),
  test('blocking/passed [D/blocking/wait] a read with an index that has already passed, with 0 or without an index is answered at once', async (ctx) => {
    const token = await ctx.token()
    const before = indexOf(ctx, await ctx.call('GET', `/acl/token/${token.AccessorID}`))
    await ctx.ok('PUT', `/acl/token/${token.AccessorID}`, { body: { Description: 'x' } })
    for (const query of [`index=${before}`, 'index=0', 'index=', 'index=1', 'wait=10s']) {
      const { reply } = await block(ctx, `/acl/token/${token.AccessorID}?${query}`)
      const { ms, text } = await reply
      assert(ms < SLACK_MS, `${query} was answered after ${ms} ms`)
      assert.equal(JSON.parse(text).Description, 'x')
    }
  }),
  test('blocking/options [D/status/malformed-400, D/blocking/wait] 400 query_invalid: an index that is not an unsigned 64-bit number, a wait that is not a duration', async (ctx) => {
    for (const value of ['-1', '1.5', 'abc', '18446744073709551616', '0x10', '1e3']) {
      await ctx.refuses('GET', `/acl/tokens?index=${value}`, {}, '400 query_invalid index', 'Invalid index')
    }
    for (const value of ['10', 'soon', '1d', '5 m']) {
      await ctx.refuses(
        'GET',
        `/acl/tokens?wait=${encodeURIComponent(value)}`,
        {},
        '400 query_invalid wait',
        'Invalid wait time',
      )
    }
    // The replication status never waits, but still validates these options.
    for (const query of ['index=-1', 'wait=soon', 'stale&consistent', 'max_stale=soon']) {
      await ctx.refuses('GET', `/acl/replication?${query}`, {}, '400 query_invalid')
    }
    await ctx.ok('GET', '/acl/replication?index=1000000000&wait=10s&stale')
    await ctx.ok('GET', '/acl/tokens?wait=1ns')
    await ctx.ok('GET', '/acl/tokens?index=18446744073709551615&wait=1ms')
  }),
  test('blocking/read-wakes [D/blocking/wakes, 4.1/Read] a change of its token wakes a read, which shows the change', async (ctx) => {
    const [own, other] = [await ctx.token(), await ctx.token()]
    const path = `/acl/token/${own.AccessorID}`
    const { news } = await watch(ctx, path)
    await ctx.ok('PUT', `/acl/token/${other.AccessorID}`, { body: { Description: 'other' } })
    await ctx.ok('PUT', path, { body: { Description: 'own' } })
    assert.equal(JSON.parse((await news).text).Description, 'own')
  }),
  test('blocking/self-unknown [D/blocking/missing, 4.1/Read self] 403 caller_unknown at once: self with index and a secret that matches no token', async (ctx) => {
    const token = crypto.randomUUID()
    await ctx.refuses('GET', '/acl/token/self?index=1000000&wait=10m', { token }, '403 caller_unknown')
  }),
  test('blocking/self-wakes [D/blocking/wakes, 4.1/Read self] a change of its token wakes self, which shows the change', async (ctx) => {
    const token = await ctx.token()
    const { news } = await watch(ctx, '/acl/token/self', { token: token.SecretID })
    await ctx.ok('PUT', `/acl/token/${token.AccessorID}`, { body: { Description: 'own' } })
    assert.equal(JSON.parse((await news).text).Description, 'own')
  }),
  test('blocking/list-wakes [D/blocking/wakes, 4.1/List] a change of a token that it shows wakes a filtered list', async (ctx) => {
    const policy = await ctx.policy()
    const token = await ctx.token({ Policies: [{ ID: policy.ID }] })
    const { news } = await watch(ctx, `/acl/tokens?policy=${policy.ID}`)
    await ctx.token({ Description: 'unrelated' })
    const joined = await ctx.token({ Policies: [{ ID: policy.ID }] })
    assert.deepEqual(JSON.parse((await news).text), [token, joined])
  }),
  test('blocking/list-wakes-on-delete [D/blocking/wakes] a delete wakes a list', async (ctx) => {
    const policy = await ctx.policy()
    const token = await ctx.token({ Policies: [{ ID: policy.ID }] })
    const { news } = await watch(ctx, `/acl/tokens?policy=${policy.ID}`)
    await ctx.ok('DELETE', `/acl/token/${token.AccessorID}`)
    assert.equal((await news).text, '[]')
  }),
  test('blocking/unchanged [D/blocking/wakes] a read of one record keeps waiting while only others change, even if the index of its table moves; a change of its record wakes it', async (ctx) => {
    const key = `/kv/${ctx.unique('key')}`
    const [missing, missingKey] = [crypto.randomUUID(), `/kv/${ctx.unique('missing')}`]
    const [token, policy, role] = [await ctx.token(), await ctx.policy(), await ctx.role()]
    await ctx.ok('PUT', key, { raw: 'v' })
    const renamed = (record: { Name: string }) => ({ body: { ...record, Description: 'changed' } })
    const reads: readonly (readonly [string, string, AskOptions])[] = [
      [key, key, { raw: 'w' }],
      [`${key}?raw`, key, { raw: 'x' }],
      [missingKey, missingKey, { raw: 'v' }],
      [`/acl/token/${token.AccessorID}`, `/acl/token/${token.AccessorID}`, { body: {} }],
      [`/acl/token/${missing}`, '/acl/token', { body: { AccessorID: missing } }],
      [`/acl/policy/${policy.ID}`, `/acl/policy/${policy.ID}`, renamed(policy)],
      [`/acl/policy/name/${policy.Name}`, `/acl/policy/${policy.ID}`, renamed(policy)],
      [`/acl/role/${role.ID}`, `/acl/role/${role.ID}`, renamed(role)],
      [`/acl/role/name/${role.Name}`, `/acl/role/${role.ID}`, renamed(role)],
    ]
    for (const [path, target, change] of reads) {
      const first = await ctx.call('GET', path)
      await Promise.all([ctx.ok('PUT', `${key}-other`, { raw: 'v' }), ctx.token(), ctx.policy(), ctx.role()])
      const joint = path.includes('?') ? '&' : '?'
      const at = `${path}${joint}index=${indexOf(ctx, first)}`
      const unchanged = await (await block(ctx, `${at}&wait=150ms`)).reply
      assert.deepEqual([unchanged.status, unchanged.text], [first.status, first.text], path)
      assert(unchanged.ms >= 149, `${path} was answered after ${unchanged.ms} ms`)
      await ctx.ok('PUT', target, change)
      const news = await ctx.call('GET', at)
      assert.notEqual(news.text, first.text, path)
      assert(indexOf(ctx, news) > indexOf(ctx, first), path)
    }
  }).needing({ datacenter: 'primary' }),
  test('blocking/connect [D/blocking/wakes] a proxy that is registered, changed, moved to another service or removed wakes the reads of the service it represents', async (ctx) => {
    const [Node, web] = [ctx.unique('node'), ctx.unique('web')]
    const register = (Service: object) => ({ Node, Address: '10.0.0.1', Service })
    const proxy = (Service: string, Port: number, DestinationServiceName: string) =>
      register({ Service, Kind: 'connect-proxy', Port, Proxy: { DestinationServiceName } })
    await ctx.ok('PUT', '/catalog/register', { body: { Node, Address: '10.0.0.1' } })
    const [one, two, three] = [ctx.unique('proxy'), ctx.unique('proxy'), ctx.unique('proxy')]
    const changes: readonly (readonly [string, string, object])[] = [
      ['the first proxy', 'register', proxy(one, 1, web)],
      ['a proxy of another name', 'register', proxy(two, 1, web.toUpperCase())],
      ['a proxy of a third name', 'register', proxy(three, 1, web)],
      ['another port', 'register', proxy(one, 2, web)],
      ['a move to another service', 'register', proxy(two, 1, `${web}-2`)],
      ['a move back', 'register', proxy(two, 1, web)],
      ['one removed', 'deregister', { Node, ServiceID: three }],
      ['a removed node', 'deregister', { Node }],
    ]
    for (const [what, action, body] of changes) {
      const paths = [`/catalog/connect/${web}`, `/health/connect/${web}`]
      const seen = await Promise.all(paths.map((path) => ctx.call('GET', path)))
      const waits = await Promise.all(paths.map((path) => watch(ctx, path)))
      await ctx.ok('PUT', `/catalog/${action}`, { body })
      for (const [i, { news }] of waits.entries()) {
        const before = seen[i] ?? assert.fail()
        const after = await news
        assert.notEqual(after.text, before.text, what)
        assert(indexOf(ctx, after) > indexOf(ctx, before), `${what}: the index of ${paths[i]} stays`)
      }
    }
  }).needing({ from: '1.4.1' }),
  test('blocking/check-of-service [D/blocking/wakes] the tags of a service wake the reads of its checks, which show them', async (ctx) => {
    const [Node, Service] = [ctx.unique('node'), ctx.unique('service')]
    const register = (Tags: readonly string[], more: object = {}) => ({
      body: { Node, Address: '10.0.0.1', NodeMeta: { of: Node }, Service: { Service, Tags }, ...more },
    })
    const Check = { Name: Service, ServiceID: Service, Status: 'passing' }
    await ctx.ok('PUT', '/catalog/register', register(['a'], { Check }))
    const paths = [
      `/health/checks/${Service}`,
      `/health/node/${Node}`,
      `/health/state/passing?node-meta=of:${Node}`,
    ]
    const waits = await Promise.all(paths.map((path) => watch(ctx, path)))
    await ctx.ok('PUT', '/catalog/register', register(['b']))
    for (const [i, { news }] of waits.entries()) {
      const checks: { Name: string; ServiceTags: string[] }[] = JSON.parse((await news).text)
      assert.deepEqual(checks.find(({ Name }) => Name === Service)?.ServiceTags, ['b'], paths[i])
    }
    await ctx.ok('PUT', '/catalog/deregister', { body: { Node } })
  }).needing({ from: '1.0.0' }),
  test('blocking/key-index [D/blocking/headers] a read of one key has the ModifyIndex of that key as its index', async (ctx) => {
    const key = `/kv/${ctx.unique('key')}`
    await ctx.ok('PUT', key, { raw: 'v' })
    await ctx.ok('PUT', `/kv/${ctx.unique('other')}`, { raw: 'v' })
    const read = await ctx.call('GET', key)
    assert.equal(indexOf(ctx, read), JSON.parse(read.text)[0].ModifyIndex)
    assert.equal(indexOf(ctx, await ctx.call('GET', `${key}?raw`)), indexOf(ctx, read))
    await ctx.ok('DELETE', key)
    assert(indexOf(ctx, await ctx.call('GET', key)) > indexOf(ctx, read), 'a deletion moves the index')
  }),
  test('blocking/missing [D/blocking/missing] a read of a missing token waits: 404 not_found when the wait ends, the token once it is created', async (ctx) => {
    const AccessorID = crypto.randomUUID()
    const path = `/acl/token/${AccessorID}`
    const index = indexOf(ctx, await ctx.call('GET', path))
    assert(index >= 1)
    const { reply } = await block(ctx, `${path}?index=${index + 1_000_000}&wait=100ms`)
    const over = await reply
    assert.equal(over.status, 404)
    assert(over.ms >= 99, `answered after ${over.ms} ms`)
    const { news } = await watch(ctx, path)
    await ctx.token({ AccessorID })
    assert.equal((await news).status, 200)
  }),
  test('blocking/deleted [D/blocking/missing] a waiting read ends with 404 when its token is deleted', async (ctx) => {
    const token = await ctx.token()
    const path = `/acl/token/${token.AccessorID}`
    const { news } = await watch(ctx, path)
    await ctx.ok('DELETE', path)
    assert.equal((await news).status, 404)
  }),
  test('blocking/self-deleted [D/blocking/rights, 4.1/Read self] 403 caller_unknown with the index of the deletion: the token of a waiting self is deleted', async (ctx) => {
    const { AccessorID, SecretID: token } = await ctx.token()
    const index = indexOf(ctx, await ctx.call('GET', '/acl/token/self', { token }))
    const { reply } = await block(ctx, `/acl/token/self?index=${index}&wait=60s`, { token })
    await ctx.ok('DELETE', `/acl/token/${AccessorID}`)
    const refused = await reply
    assert.equal(refused.status, 403)
    assert(indexOf(ctx, refused) > index, `index ${indexOf(ctx, refused)} after ${index}`)
  }),
  test('blocking/rights [D/blocking/rights] 403 when a wait ends: the caller was deleted, or lost its right, while it waited (COH-02)', async (ctx) => {
    const watched = await ctx.token()
    const path = `/acl/token/${watched.AccessorID}`
    const [gone, weak] = [await ctx.caller('acl = "read"'), await ctx.caller('acl = "read"')]
    const watches = await Promise.all(
      [gone, weak].map(({ SecretID }) => watch(ctx, path, { token: SecretID })),
    )
    await ctx.ok('DELETE', `/acl/token/${gone.AccessorID}`)
    await ctx.ok('PUT', `/acl/token/${weak.AccessorID}`, { body: {} })
    await ctx.ok('PUT', path, { body: { Description: 'secret news' } })
    for (const reply of await Promise.all(watches.map(({ news }) => news))) {
      assert.equal(reply.status, 403)
      assert(!reply.text.includes('secret news'))
    }
  }),
  test('blocking/headers [D/blocking/headers] reads have Index (never 0, at least ModifyIndex, never backward), KnownLeader and LastContact; writes do not', async (ctx) => {
    let last = 0
    for (let i = 0; i < 5; i += 1) {
      const token = await ctx.token()
      const reply = await ctx.call('GET', `/acl/token/${token.AccessorID}`)
      const index = indexOf(ctx, reply)
      assert(index >= token.ModifyIndex && index >= last, `index ${index} after ${last}`)
      last = index
      assert.equal(reply.headers.get(ctx.header('KnownLeader')), 'true')
      assert.match(reply.headers.get(ctx.header('LastContact')) ?? '', /^\d+$/)
    }
    const missing = await ctx.call('GET', `/acl/token/${crypto.randomUUID()}`)
    assert(indexOf(ctx, missing) >= last)
    const write = await ctx.call('PUT', '/acl/token', { body: {} })
    assert.equal(write.headers.get(ctx.header('Index')), null)
  }),
  test('consistency/modes [D/blocking/modes, 4.1/Read, 4.1/Read self, 4.1/List] stale and consistent apply if present, on read, self and list; consistent sees the last write', async (ctx) => {
    const policy = await ctx.policy()
    const token = await ctx.token({ Policies: [{ ID: policy.ID }] })
    await ctx.ok('PUT', `/acl/token/${token.AccessorID}`, {
      body: { Description: 'last', Policies: [{ ID: policy.ID }] },
    })
    const read = await ctx.ok('GET', `/acl/token/${token.AccessorID}?consistent`)
    assert.equal(read.Description, 'last')
    assert.deepEqual(await ctx.ok('GET', '/acl/token/self?consistent=', { token: token.SecretID }), read)
    assert.deepEqual(await ctx.ok('GET', `/acl/tokens?policy=${policy.ID}&consistent=false`), [read])
    for (const path of [`/acl/token/${token.AccessorID}`, '/acl/tokens']) {
      const stale = await ctx.call('GET', `${path}?stale`)
      assert.equal(stale.status, 200)
      assert.match(stale.headers.get(ctx.header('LastContact')) ?? '', /^\d+$/)
    }
    await ctx.ok('GET', '/acl/tokens?max_stale=10s')
  }),
  test('consistency/conflict [D/blocking/modes, D/status/malformed-400] 400 query_invalid: stale and consistent together, whatever their values', async (ctx) => {
    for (const query of ['stale&consistent', 'stale=false&consistent=false', 'consistent=&stale=']) {
      const text = 'Cannot specify ?stale with ?consistent, conflicting semantics.'
      for (const path of ['/acl/tokens', '/acl/token/self', `/acl/token/${crypto.randomUUID()}`]) {
        await ctx.refuses('GET', `${path}?${query}`, {}, '400 query_invalid', text)
      }
    }
  }),
]
