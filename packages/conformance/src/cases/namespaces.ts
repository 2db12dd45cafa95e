/** Namespaces. Spec 2.1, 4.2.3, 4.5.7, 4.6, 4.7, 4.8, 4.9; decisions: namespaces. */
import assert from 'node:assert/strict'
import { ENDPOINTS, type Endpoint, type Token, type TokenListEntry } from '@latchkey/contract'
import { type Case, test } from '../case.ts'
import type { AskOptions, Context } from '../context.ts'
import { CERTIFICATE } from './login/provider.ts'

const EXTENDED = { edition: 'extended' } as const

/** Creates a namespace; it is removed when the case ends. */
async function aNamespace(ctx: Context, fields: object = {}): Promise<string> {
  const Name = ctx.unique('ns')
  await ctx.ok('PUT', '/namespace', { body: { Name, ...fields } })
  return Name
}

/** A token that may read and write in its namespace. */
async function writerIn(ctx: Context, ns: string): Promise<Token> {
  const policy = await ctx.policy('acl = "write"', { Namespace: ns })
  return ctx.token({ Namespace: ns, Policies: [{ ID: policy.ID }] })
}

const UNSUPPORTED = '400 namespace_unsupported'

/** Requests to endpoints whose records exist only in `default`, or that name a namespace per record. */
const IN_DEFAULT = [
  ['PUT', '/session/create'],
  ['GET', '/session/list'],
  ['PUT', '/agent/service/register'],
  ['GET', '/agent/services'],
  ['PUT', '/agent/check/register'],
  ['GET', '/agent/checks'],
  ['POST', '/connect/intentions'],
  ['GET', '/connect/intentions/match'],
] as const

export const namespaceCases: readonly Case[] = [
  test('namespace/standard [D/namespaces/standard, 2.1/Namespace, 4.8/authmethod-ns] 400 namespace_unsupported: ns, authmethod-ns, header or field in the standard edition; empty ones are ignored', async (ctx) => {
    const { AccessorID, ...token } = await ctx.token()
    assert(!('Namespace' in token))
    const header = ctx.header('Namespace')
    const requests = [
      ['PUT', '/acl/token', { body: {} }],
      ['GET', `/acl/token/${AccessorID}`, {}],
      ['PUT', `/acl/token/${AccessorID}`, { body: {} }],
      ['PUT', `/acl/token/${AccessorID}/clone`, { body: {} }],
      ['GET', '/acl/tokens', {}],
    ] as const
    for (const [method, path, options] of requests) {
      await ctx.refuses(
        method,
        `${path}?ns=team`,
        options,
        `${UNSUPPORTED} ns`,
        'Invalid query parameter: "ns"',
      )
      await ctx.refuses(
        method,
        path,
        { ...options, headers: { [header]: 'team' } },
        UNSUPPORTED,
        'Invalid header: ',
      )
      await ctx.ok(method, `${path}?ns=`, options)
      if (method === 'PUT') {
        const named = { body: { Namespace: 'team' } }
        await ctx.refuses(method, path, named, `${UNSUPPORTED} Namespace`)
        await ctx.ok(method, path, { body: { Namespace: '' } })
      }
    }
    await ctx.refuses('GET', '/acl/tokens?authmethod-ns=team', {}, `${UNSUPPORTED} authmethod-ns`)
    await ctx.refuses('DELETE', `/acl/token/${AccessorID}?ns=team`, {}, UNSUPPORTED)
  }).needing({ edition: 'standard' }),
  test('namespace/standard-everywhere [D/namespaces/standard] 400 namespace_unsupported: ns or header on sessions, agent and intentions in the standard edition; empty ones are ignored', async (ctx) => {
    const headers = { [ctx.header('Namespace')]: 'team' }
    for (const [method, path] of IN_DEFAULT) {
      const body = method === 'GET' ? {} : { body: {} }
      await ctx.refuses(method, `${path}?ns=team`, body, `${UNSUPPORTED} ns`)
      await ctx.refuses(method, path, { ...body, headers }, UNSUPPORTED)
      if (method === 'GET' && !path.endsWith('match')) await ctx.ok(method, `${path}?ns=`)
    }
  }).needing({ edition: 'standard' }),
  test('namespace/empty-field [D/namespaces/standard] an empty field Namespace is treated as absent in bodies of sessions, agent and catalog; a name is refused', async (ctx) => {
    const [Node, Name] = [ctx.unique('node'), ctx.unique('web')]
    const bodies = [
      ['/catalog/register', { Node, Address: '10.0.0.1' }],
      ['/session/create', { Node, Checks: [] }],
      ['/agent/service/register', { Name, Check: { TTL: '10m', Namespace: '' } }],
      ['/agent/check/register', { Name, TTL: '10m' }],
      [`/agent/check/deregister/${Name}`, undefined],
      [`/agent/service/deregister/${Name}`, undefined],
    ] as const
    for (const [path, body] of bodies) {
      if (body) {
        const named = { body: { ...body, Namespace: 'team' } }
        assert.equal((await ctx.call('PUT', path, named)).status, 400, path)
      }
      const empty = body ? { body: { ...body, Namespace: '' } } : {}
      const reply = await ctx.call('PUT', path, empty)
      assert.equal(reply.status, 200, `${path}: ${reply.text}`)
    }
    await ctx.ok('PUT', '/catalog/deregister', { body: { Node } })
  }),
  test('namespace/default-field [D/namespaces/default-alone] the field Namespace may say default in bodies of sessions and agent, at any depth and in any case', async (ctx) => {
    const Name = ctx.unique('web')
    const session = await ctx.ok<{ ID: string }>('PUT', '/session/create', {
      body: { Checks: [], Namespace: 'default' },
    })
    await ctx.ok('PUT', `/session/destroy/${session.ID}`)
    const bodies = [
      ['/agent/service/register', { Name, Check: { TTL: '10m', Namespace: 'default' } }],
      ['/agent/check/register', { Name, TTL: '10m' }],
      [`/agent/check/update/${Name}`, { Status: 'passing' }],
    ] as const
    for (const [path, body] of bodies) {
      for (const field of ['Namespace', 'namespace']) {
        const reply = await ctx.call('PUT', path, { body: { ...body, [field]: 'default' } })
        assert.equal(reply.status, 200, `${path}: ${reply.text}`)
      }
    }
    for (const id of ['check', 'service']) await ctx.call('PUT', `/agent/${id}/deregister/${Name}`)
  }).needing(EXTENDED),
  test('namespace/default-alone [D/namespaces/default-alone] 400 query_invalid: sessions, agent and intentions by name accept only the namespace default', async (ctx) => {
    const ns = await aNamespace(ctx)
    const headers = { [ctx.header('Namespace')]: ns }
    const refusal = '400 query_invalid'
    for (const [method, path] of IN_DEFAULT) {
      const body = method === 'GET' ? {} : { body: {} }
      await ctx.refuses(method, `${path}?ns=${ns}`, body, `${refusal} ns`)
      await ctx.refuses(method, path, { ...body, headers }, refusal)
      if (method !== 'GET') await ctx.refuses(method, `${path}?ns=*`, body, refusal)
      else if (!path.endsWith('match')) {
        for (const known of ['', 'default', '*']) await ctx.ok(method, `${path}?ns=${known}`)
      }
    }
  }).needing(EXTENDED),
  test('namespace/create [4.2/ns, 2.1/Namespace, 4.9.2, 4.9.5] a token is created in the namespace that ns names, or in default, and shows it as its last key', async (ctx) => {
    const ns = await aNamespace(ctx)
    const token = await ctx.ok<Token>('PUT', `/acl/token?ns=${ns}`, { body: {} })
    assert.equal(token.Namespace, ns)
    assert.equal(Object.keys(token).at(-1), 'Namespace')
    assert.equal((await ctx.token()).Namespace, 'default')
  }).needing(EXTENDED),
  test('namespace/reserved-name [D/namespaces/reserved-name] 400 name_invalid: in another namespace, a policy is created as, or renamed to, global-management', async (ctx) => {
    const Namespace = await aNamespace(ctx)
    const body = { Name: 'Global-Management', Namespace }
    await ctx.refuses('PUT', '/acl/policy', { body }, '400 name_invalid Name')
    const { ID } = await ctx.policy('', { Namespace })
    await ctx.refuses('PUT', `/acl/policy/${ID}`, { body }, '400 name_invalid Name')
  }).needing(EXTENDED),
  test('namespace/order [4.9.1, 4.9.2, 4.9.3, 4.9.4, 4.2.3] the namespace is taken from the body, otherwise from ns, then the header, then the token of the caller', async (ctx) => {
    const [body, query, header, own] = [
      await aNamespace(ctx),
      await aNamespace(ctx),
      await aNamespace(ctx),
      await aNamespace(ctx),
    ]
    const caller = await writerIn(ctx, own)
    const make = async (
      path: string,
      options: { body: object; headers?: Record<string, string>; token?: string },
    ) => (await ctx.ok<Token>('PUT', path, options)).Namespace
    const headers = { [ctx.header('Namespace')]: header }
    assert.equal(await make(`/acl/token?ns=${query}`, { body: { Namespace: body }, headers }), body)
    assert.equal(await make(`/acl/token?ns=${query}`, { body: {}, headers }), query)
    assert.equal(await make(`/acl/token?ns=${query}`, { body: { Namespace: '' }, headers }), query)
    assert.equal(await make('/acl/token?ns=', { body: {}, headers }), header)
    assert.equal(await make('/acl/token', { body: {}, headers }), header)
    assert.equal(await make('/acl/token', { body: {}, token: caller.SecretID }), own)
  }).needing(EXTENDED),
  test('namespace/body-right [4.9.1, 4.9.2, 4.9.3, 5.2] the right is needed in the namespace of the body, whatever ns and the header say; 403 elsewhere', async (ctx) => {
    const [own, other] = [await aNamespace(ctx), await aNamespace(ctx)]
    const { SecretID: token } = await writerIn(ctx, own)
    const record = await ctx.token({ Namespace: own })
    const policy = await ctx.policy('', { Namespace: own })
    const role = await ctx.role({ Namespace: own })
    const headers = { [ctx.header('Namespace')]: other }
    for (const [path, body] of [
      ['/acl/token', {}],
      [`/acl/token/${record.AccessorID}`, {}],
      [`/acl/token/${record.AccessorID}/clone`, {}],
      ['/acl/policy', { Name: ctx.unique('policy') }],
      [`/acl/policy/${policy.ID}`, { Name: policy.Name }],
      ['/acl/role', { Name: ctx.unique('role') }],
      [`/acl/role/${role.ID}`, { Name: role.Name }],
    ] as const) {
      const named = { ...body, Namespace: own }
      const made = await ctx.ok('PUT', `${path}?ns=${other}`, { body: named, headers, token })
      assert.equal(made.Namespace, own)
      const refusal = '403 privilege_missing'
      await ctx.refuses('PUT', `${path}?ns=${other}`, { body, token }, refusal)
      await ctx.refuses('PUT', path, { body, headers, token }, refusal)
      await ctx.refuses('PUT', `${path}?ns=${ctx.unique('none')}`, { body, token }, refusal)
      const elsewhere = { body: { ...body, Namespace: ctx.unique('none') }, token }
      await ctx.refuses('PUT', `${path}?ns=${own}`, elsewhere, refusal)
    }
    const reader = await ctx.policy('acl = "read"', { Namespace: own })
    const { SecretID } = await ctx.token({ Namespace: own, Policies: [{ ID: reader.ID }] })
    await ctx.refuses('PUT', '/acl/token', { raw: '{', token: SecretID }, '403 privilege_missing')
  }).needing(EXTENDED),
  test('namespace/read [4.3/ns, 4.5/ns, 4.6/ns, 4.7/ns] 404 not_found: a token is read, updated, cloned and deleted only in its own namespace (AUTHZ-01)', async (ctx) => {
    const [ns, other] = [await aNamespace(ctx), await aNamespace(ctx)]
    const token = await ctx.token({ Namespace: ns })
    const path = `/acl/token/${token.AccessorID}`
    for (const query of ['', `?ns=${other}`]) {
      const missing = '404 not_found'
      await ctx.refuses('GET', path + query, {}, missing)
      await ctx.refuses('PUT', path + query, { body: {} }, missing)
      await ctx.refuses('PUT', `${path}/clone${query}`, { body: {} }, missing)
      await ctx.refuses('DELETE', path + query, {}, missing)
    }
    assert.deepEqual(await ctx.ok('GET', `${path}?ns=${ns}`), token)
    assert.equal(
      (await ctx.ok<Token>('PUT', `${path}?ns=${ns}`, { body: { Description: 'x' } })).Namespace,
      ns,
    )
    assert.equal((await ctx.ok<Token>('PUT', `${path}/clone?ns=${ns}`, { body: {} })).Namespace, ns)
    assert.equal(await ctx.ok<boolean>('DELETE', `${path}?ns=${ns}`), true)
  }).needing(EXTENDED),
  test('namespace/body-on-update [4.5.7, 4.6/Namespace] update and clone look up the token in the namespace of the body, which takes precedence over ns', async (ctx) => {
    const [ns, other] = [await aNamespace(ctx), await aNamespace(ctx)]
    const token = await ctx.token({ Namespace: ns })
    const path = `/acl/token/${token.AccessorID}`
    const body = { Namespace: ns, Description: 'found' }
    for (const query of ['', `?ns=${ns}`, `?ns=${other}`]) {
      assert.equal((await ctx.ok<Token>('PUT', path + query, { body })).Description, 'found')
      assert.equal((await ctx.ok<Token>('PUT', `${path}/clone${query}`, { body })).Namespace, ns)
    }
  }).needing(EXTENDED),
  test('namespace/list [4.8/ns] ns lists the tokens of one namespace, or of all with *', async (ctx) => {
    const [ns, other] = [await aNamespace(ctx), await aNamespace(ctx)]
    const [one, two] = [await ctx.token({ Namespace: ns }), await ctx.token({ Namespace: other })]
    const list = async (query: string, token = ctx.target.token) =>
      (await ctx.ok<TokenListEntry[]>('GET', `/acl/tokens?${query}`, { token })).map(
        ({ AccessorID }) => AccessorID,
      )
    assert.deepEqual(await list(`ns=${ns}`), [one.AccessorID])
    const all = await list('ns=*')
    for (const { AccessorID } of [one, two]) assert(all.includes(AccessorID))
    const caller = await writerIn(ctx, ns)
    assert.deepEqual(await list('ns=*', caller.SecretID), [one.AccessorID, caller.AccessorID])
    await ctx.refuses('GET', '/acl/tokens?ns=*', { token: one.SecretID }, '403 privilege_missing')
  }).needing(EXTENDED),
  test('namespace/auth-method [4.8/authmethod-ns] authmethod-ns is accepted with authmethod; 400 for an invalid name, 403 if the caller may not read there', async (ctx) => {
    const ns = await aNamespace(ctx)
    await ctx.token()
    assert.deepEqual(await ctx.ok('GET', `/acl/tokens?authmethod=none&authmethod-ns=${ns}`), [])
    for (const bad of ['a%20b', '*', 'x'.repeat(65)]) {
      await ctx.refuses(
        'GET',
        `/acl/tokens?authmethod=none&authmethod-ns=${bad}`,
        {},
        '400 query_invalid authmethod-ns',
      )
    }
    const { SecretID: token } = await writerIn(ctx, ns)
    await ctx.ok('GET', `/acl/tokens?authmethod=none&authmethod-ns=${ns}`, { token })
    await ctx.refuses(
      'GET',
      '/acl/tokens?authmethod=none&authmethod-ns=default',
      { token },
      '403 privilege_missing',
    )
  }).needing(EXTENDED),
  test('namespace/rights [4.9.4, 5.2] 403 privilege_missing: a token has its rights only in its own namespace (AUTHZ-01)', async (ctx) => {
    const [ns, other] = [await aNamespace(ctx), await aNamespace(ctx)]
    const caller = await writerIn(ctx, ns)
    const token = caller.SecretID
    await ctx.token({}, { token })
    const refusal = '403 privilege_missing'
    await ctx.refuses('GET', `/acl/tokens?ns=${other}`, { token }, refusal)
    await ctx.refuses('PUT', `/acl/token?ns=${other}`, { body: {}, token }, refusal)
    await ctx.refuses('PUT', '/acl/token', { body: { Namespace: other }, token }, refusal)
    await ctx.refuses('PUT', '/acl/token', { body: { Namespace: 'default' }, token }, refusal)
  }).needing(EXTENDED),
  test('namespace/links [4.9.1, D/status/rule-400] 400 link_unknown: a token links a policy of another namespace', async (ctx) => {
    const [ns, other] = [await aNamespace(ctx), await aNamespace(ctx)]
    const policy = await ctx.policy('', { Namespace: ns })
    for (const link of [{ ID: policy.ID }, { Name: policy.Name }]) {
      await ctx.refuses(
        'PUT',
        '/acl/token',
        { body: { Namespace: other, Policies: [link] } },
        '400 link_unknown Policies[0]',
      )
      await ctx.token({ Namespace: ns, Policies: [link] })
    }
  }).needing(EXTENDED),
  test('namespace/manage [D/namespaces/manage] namespaces are created, read, updated, listed and deleted; default always exists; a namespace with records cannot be deleted', async (ctx) => {
    const ns = await aNamespace(ctx, { Description: 'a team' })
    assert.equal((await ctx.ok('GET', `/namespace/${ns}`)).Description, 'a team')
    assert.equal((await ctx.ok('PUT', `/namespace/${ns}`, { body: { Description: 'b' } })).Description, 'b')
    const names = (await ctx.ok<{ Name: string }[]>('GET', '/namespaces')).map(({ Name }) => Name)
    assert(names.includes(ns) && names.includes('default'))
    await ctx.refuses('PUT', '/namespace', { body: { Name: 'default' } }, '409 name_in_use')
    await ctx.refuses('PUT', '/namespace', { body: { Name: ns } }, '409 name_in_use')
    for (const [Name, code] of [
      ['a b', 'name_invalid'],
      ['a/b', 'name_invalid'],
      ['*', 'name_invalid'],
      ['', 'field_required'],
      ['x'.repeat(65), 'field_too_long'],
    ] as const)
      await ctx.refuses('PUT', '/namespace', { body: { Name } }, `400 ${code}`)
    const token = await ctx.token({ Namespace: ns })
    await ctx.refuses('DELETE', `/namespace/${ns}`, {}, '400 delete_refused')
    await ctx.refuses('DELETE', '/namespace/default', {}, '400 delete_refused')
    await ctx.ok('DELETE', `/acl/token/${token.AccessorID}?ns=${ns}`)
    assert.equal(await ctx.ok<boolean>('DELETE', `/namespace/${ns}`), true)
    await ctx.refuses('GET', `/namespace/${ns}`, {}, '404 not_found')
  }).needing(EXTENDED),
  test('namespace/held [D/namespaces/manage] 400 delete_refused: a namespace that holds an auth method or a service is deleted', async (ctx) => {
    const ns = await aNamespace(ctx)
    const refused = (text: string) =>
      ctx.refuses('DELETE', `/namespace/${ns}`, {}, '400 delete_refused', text)
    const Config = {
      Host: 'https://kubernetes.example',
      CACert: CERTIFICATE,
      ServiceAccountJWT: 'cmV2aWV3.ZXI.c2VjcmV0',
    }
    const Name = ctx.unique('method')
    const method = { Name, Type: 'kubernetes', Namespace: ns, Config }
    await ctx.ok('PUT', '/acl/auth-method', { body: method })
    await refused(`The namespace "${ns}" still holds auth methods`)
    await ctx.ok('DELETE', `/acl/auth-method/${Name}?ns=${ns}`)
    const Node = ctx.unique('node')
    const Service = { Service: 'web', Namespace: ns }
    await ctx.ok('PUT', '/catalog/register', { body: { Node, Address: '10.0.0.1', Service } })
    await refused(`The namespace "${ns}" still holds services`)
    await ctx.ok('PUT', '/catalog/deregister', { body: { Node } })
    assert.equal(await ctx.ok<boolean>('DELETE', `/namespace/${ns}`), true)
  }).needing({ ...EXTENDED, from: '1.10' }),
  test('namespace/health [4.9.2] health and user interfaces show services and their checks of one namespace, or of all, plus node checks', async (ctx) => {
    const ns = await aNamespace(ctx)
    const Node = ctx.unique('node')
    const State = ctx.unique('state')
    const node = { Node, Address: '10.0.0.1' }
    for (const Namespace of ['default', ns]) {
      const Service = { Service: `web-${Namespace}`, Namespace }
      const Checks = [
        { Name: Namespace, ServiceID: Service.Service, Status: State, Namespace },
        { Name: 'node', Status: State },
      ]
      await ctx.ok('PUT', '/catalog/register', { body: { ...node, Service, Checks } })
    }
    type Named = { readonly Name: string }
    type Summary = {
      readonly Node: string
      readonly Services: readonly { readonly Service: string }[]
      readonly Checks: readonly Named[]
    }
    const inDefault = ['default', 'node']
    const inTeam = [ns, 'node']
    for (const [query, names] of Object.entries({ '': inDefault, [`?ns=${ns}`]: inTeam } as const)) {
      for (const path of [`/health/node/${Node}`, `/health/state/${State}`]) {
        const checks = await ctx.ok<readonly Named[]>('GET', path + query)
        assert.deepEqual(checks.map(({ Name }) => Name).sort(), names.toSorted(), path + query)
      }
      const one = await ctx.ok<Summary>('GET', `/internal/ui/node/${Node}${query}`)
      const all = await ctx.ok<readonly Summary[]>('GET', `/internal/ui/nodes${query}`)
      for (const shown of [one, all.find((each) => each.Node === Node)]) {
        assert.deepEqual(shown?.Checks.map(({ Name }) => Name).sort(), names.toSorted(), query)
        assert.deepEqual(
          shown?.Services.map(({ Service }) => Service),
          [`web-${query === '' ? 'default' : ns}`],
        )
      }
    }
    const everywhere = await ctx.ok<readonly Summary[]>('GET', '/internal/ui/nodes?ns=*')
    assert.equal(everywhere.find((each) => each.Node === Node)?.Services.length, 2)
    const services = await ctx.ok<readonly (Named & { readonly Namespace: string })[]>(
      'GET',
      '/internal/ui/services?ns=*',
    )
    const own = services.filter(({ Name }) => [`web-default`, `web-${ns}`].includes(Name))
    assert.deepEqual(own.map(({ Namespace }) => Namespace).sort(), ['default', ns].sort())
    await ctx.ok('PUT', '/catalog/deregister', { body: { Node } })
  }).needing(EXTENDED),
  test('namespace/session-checks [4.9.2] a session depends on the check of a service in the namespace that it names, not in default', async (ctx) => {
    const ns = await aNamespace(ctx)
    const Node = ctx.unique('node')
    const check = (Namespace: string, Status: string) => ({
      ...{ Node, Address: '10.0.0.1' },
      Service: { Service: 'web', Namespace },
      Check: { CheckID: 'c', Name: 'c', ServiceID: 'web', Namespace, Status },
    })
    await ctx.ok('PUT', '/catalog/register', { body: check('default', 'critical') })
    const body = { Node, NodeChecks: [], ServiceChecks: [{ ID: 'c', Namespace: ns }] }
    const missing = ['400 field_invalid', "Missing check 'c' registration"] as const
    await ctx.refuses('PUT', '/session/create', { body }, ...missing)
    await ctx.ok('PUT', '/catalog/register', { body: check(ns, 'passing') })
    const { ID } = await ctx.ok<{ ID: string }>('PUT', '/session/create', { body })
    await ctx.ok('PUT', '/catalog/register', { body: check('default', 'passing') })
    await ctx.ok('PUT', '/catalog/register', { body: check('default', 'critical') })
    assert.equal((await ctx.ok<object[]>('GET', `/session/info/${ID}`)).length, 1)
    await ctx.ok('PUT', '/catalog/register', { body: check(ns, 'critical') })
    assert.deepEqual(await ctx.ok('GET', `/session/info/${ID}`), [])
    await ctx.ok('PUT', '/catalog/deregister', { body: { Node } })
  }).needing({ ...EXTENDED, from: '1.7.0' }),
  test('namespace/unknown [4.9.1, D/status/target-404] 404 not_found: a token is created in a namespace that does not exist; 400 if the name is invalid', async (ctx) => {
    const ns = ctx.unique('none')
    const refusal = '404 not_found'
    await ctx.refuses('PUT', '/acl/token', { body: { Namespace: ns } }, refusal)
    // Links are resolved in that namespace; link errors do not mask the missing namespace.
    const body = { Namespace: ns, Policies: [{ Name: 'none' }] }
    await ctx.refuses('PUT', '/acl/token', { body }, refusal)
    await ctx.refuses('PUT', `/acl/token?ns=${ns}`, { body: {} }, refusal)
    for (const [Namespace, code] of [
      ['a b', 'field_invalid'],
      ['*', 'field_invalid'],
      ['x'.repeat(65), 'field_too_long'],
    ] as const)
      await ctx.refuses('PUT', '/acl/token', { body: { Namespace } }, `400 ${code}`)
    for (const bad of ['*', 'a%2Fb'])
      await ctx.refuses('PUT', `/acl/token?ns=${bad}`, { body: {} }, '400 query_invalid')
  }).needing(EXTENDED),
  test('namespace/every-route [4.9.5, D/namespaces/rights] every endpoint takes the namespace or refuses it: 400 query_invalid for a bad name, and without namespaced records for any but default; an administrator of one namespace has no right in another', async (ctx) => {
    const [ns, other] = [await aNamespace(ctx), await aNamespace(ctx)]
    const { SecretID: token } = await writerIn(ctx, ns)
    const refusal = '400 query_invalid'
    for (const [name, { method, path, right, namespaced }] of Object.entries<Endpoint>(ENDPOINTS)) {
      // Self and logout are about the presented token, which has its own namespace.
      if (right === 'self') continue
      const filled = path.replace(/:\w+/g, crypto.randomUUID())
      const plain = await ctx.call(method, `${filled}?ns=a%20b`, { token })
      // Not served in this version.
      if (plain.status === 410) continue
      assert.equal(plain.status, 400, `${name} answered ${plain.status} to a bad name`)
      if (!namespaced) {
        await ctx.refuses(method, `${filled}?ns=${other}`, { token }, `${refusal} ns`)
        const headers = { [ctx.header('Namespace')]: other }
        await ctx.refuses(method, filled, { token, headers }, refusal)
        continue
      }
      const reply = await ctx.call(method, `${filled}?ns=${other}`, { token })
      const isEmpty =
        reply.status === 200 && /^(?:\[\]|\{\}|null|\{"Node":null,"Services":null\})$/.test(reply.text)
      const isRefused = reply.status >= 400 && reply.status < 500
      assert(isEmpty || isRefused, `${name} in another namespace answered ${reply.status} ${reply.text}`)
      // A body may name another namespace, so writes are authorized when it has been read.
      if (/^(?:acl:|key)/.test(right) && method !== 'PUT') assert.equal(reply.status, 403, name)
    }
  }).needing(EXTENDED),
  test('namespace/authorize [D/namespaces/rights] authorize decides for the namespace of ns, the header or the token; rights on nodes, sessions, agents and the operator need a token of default', async (ctx) => {
    const [ns, other] = [await aNamespace(ctx), await aNamespace(ctx)]
    const rules =
      'acl = "write"\noperator = "write"\nkey_prefix "" { policy = "write" }\nnode_prefix "" { policy = "write" }'
    const policy = await ctx.policy(rules, { Namespace: ns })
    const { SecretID } = await ctx.token({ Namespace: ns, Policies: [{ ID: policy.ID }] })
    const body = [
      { Resource: 'acl', Access: 'write' },
      { Resource: 'key', Segment: 'a', Access: 'write' },
      { Resource: 'operator', Access: 'read' },
      { Resource: 'node', Segment: 'a', Access: 'read' },
    ]
    const path = '/internal/acl/authorize'
    const allowed = async (query: string, options: AskOptions = {}) =>
      (await ctx.ok<{ Allow: boolean }[]>('POST', path + query, { token: SecretID, body, ...options })).map(
        ({ Allow }) => Number(Allow),
      )
    const header = { headers: { [ctx.header('Namespace')]: other } }
    for (const [query, options, expected] of [
      ['', {}, [1, 1, 0, 0]],
      [`?ns=${ns}`, {}, [1, 1, 0, 0]],
      [`?ns=${other}`, {}, [0, 0, 0, 0]],
      [`?ns=${other}&explain`, {}, [0, 0, 0, 0]],
      ['', header, [0, 0, 0, 0]],
      ['?ns=default', {}, [0, 0, 0, 0]],
      [`?ns=${other}`, { token: ctx.target.token }, [1, 1, 1, 1]],
    ] as const) {
      // The second answer may come from a cache.
      for (let time = 1; time <= 2; time += 1)
        assert.deepEqual(await allowed(query, options), expected, `${query} ${time}`)
    }
    const who = { token: SecretID, body }
    await ctx.refuses('POST', `${path}?ns=${other}-missing`, who, '404 not_found')
    await ctx.refuses('POST', `${path}?ns=*`, who, '400 query_invalid')
    const operators = await ctx.ok<unknown[]>('POST', '/internal/acl/who-can', {
      token: SecretID,
      body: body[2],
    })
    assert.deepEqual(operators, [])
  }).needing(EXTENDED),
  test('namespace/defaults [D/namespaces/defaults, D/records/expanded] default policies and roles of a namespace apply to each of its tokens, and expanded shows them', async (ctx) => {
    const ns = await aNamespace(ctx)
    const policy = await ctx.policy('key "a" { policy = "read" }', { Namespace: ns })
    const role = await ctx.role({ Namespace: ns })
    const body = { ACLs: { PolicyDefaults: [{ ID: policy.ID }], RoleDefaults: [{ Name: role.Name }] } }
    await ctx.ok('PUT', `/namespace/${ns}`, { body })
    const token = await ctx.token({ Namespace: ns })
    assert.deepEqual(await ctx.allows(token.SecretID, 'key a read'), [true])
    const expanded = await ctx.ok('GET', `/acl/token/${token.AccessorID}?ns=${ns}&expanded`)
    assert.deepEqual(expanded.NamespaceDefaultPolicyIDs, [policy.ID])
    assert.deepEqual(expanded.NamespaceDefaultRoleIDs, [role.ID])
    const elsewhere = { body: { ACLs: { PolicyDefaults: [{ Name: 'global-management' }] } } }
    await ctx.refuses('PUT', `/namespace/${ns}`, elsewhere, '400 link_unknown')
    await ctx.ok('PUT', `/namespace/${ns}`, { body: {} })
    assert.deepEqual(await ctx.allows(token.SecretID, 'key a read'), [false])
  }).needing(EXTENDED),
]
