/** Versions and modes. Spec 7, 9.1, 9.2.1, 9.3; decisions: versions, status codes. */
import assert from 'node:assert/strict'
import { ENDPOINTS, type Endpoint, LEGACY_ENDPOINTS, type Token } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import type { Context } from '../../context.ts'
import { isOfLegacyApi } from './methods.ts'

/** The path of an endpoint with a value for its parameter. */
function pathOf({ path }: Endpoint): string {
  return path.replace(/:\w+/, crypto.randomUUID())
}

/** The accessor of a legacy token, which the accessor migration assigns within seconds. Spec 9.2.3. */
async function accessorOf(ctx: Context, secretId: string): Promise<string> {
  for (let i = 0; i < 100; i += 1) {
    const { AccessorID } = await ctx.ok<Token>('GET', '/acl/token/self', { token: secretId })
    if (AccessorID !== '') return AccessorID
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new assert.AssertionError({ message: 'a legacy token has no accessor after 10 seconds' })
}

export const versionCases: readonly Case[] = [
  test('versions/no-token-api [9.1/1.4.0, D/versions/gates] 404 endpoint_unknown before 1.4.0: tokens and policies', async (ctx) => {
    for (const path of ['/acl/tokens', '/acl/token/self', '/acl/policies']) {
      await ctx.refuses('GET', path, {}, '404 endpoint_unknown')
    }
    await ctx.refuses('PUT', '/acl/bootstrap', {}, '404 endpoint_unknown')
    // Tokens have no accessors yet to address them by.
    const ofToken = `/acl/rules/translate/${crypto.randomUUID()}`
    await ctx.refuses('GET', ofToken, {}, '404 endpoint_unknown')
  }).needing({ from: '0.7', before: '1.4.0', mode: 'legacy' }),
  test('versions/token-api [9.1/1.4.0] from 1.4.0 tokens are created, read and listed', async (ctx) => {
    const token = await ctx.token({ Description: 'x' })
    assert.equal((await ctx.ok('GET', `/acl/token/${token.AccessorID}`)).Description, 'x')
  }).needing({ from: '1.4.0' }),
  test('versions/before-1.5 [9.1/1.5.0, D/versions/gates] before 1.5.0 ids, Roles, ServiceIdentities and expiration of a create are ignored, and there are no roles', async (ctx) => {
    const AccessorID = crypto.randomUUID()
    const token = await ctx.token({
      AccessorID,
      SecretID: crypto.randomUUID(),
      Roles: [{ Name: 'none' }],
      ServiceIdentities: [{ ServiceName: 'Web' }],
      ExpirationTTL: '1s',
    })
    assert.notEqual(token.AccessorID, AccessorID)
    for (const field of ['Roles', 'ServiceIdentities', 'ExpirationTime']) assert(!(field in token), field)
    await ctx.refuses('GET', '/acl/roles', {}, '404 endpoint_unknown')
  }).needing({ from: '1.4.0', before: '1.5.0' }),
  test('versions/before-1.7 [9.3/1.7.0, D/versions/gates, 9.1/1.8.1] before 1.7.0 unknown fields are ignored, including NodeIdentities; 1.5.0 has ids, roles and expiration', async (ctx) => {
    const AccessorID = crypto.randomUUID()
    const role = await ctx.role()
    const token = await ctx.token({
      AccessorID,
      Foo: { Bar: 1 },
      NodeIdentities: [{ NodeName: 'NOT A NAME' }],
      Policies: [],
      Roles: [{ ID: role.ID, Foo: 1 }],
      ExpirationTTL: '1h',
    })
    assert.equal(token.AccessorID, AccessorID)
    assert.equal(token.Roles?.length, 1)
    assert(token.ExpirationTime)
    assert(!('NodeIdentities' in token))
  }).needing({ from: '1.5.0', before: '1.7.0' }),
  test('versions/before-1.8.1 [9.1/1.8.1, D/versions/gates, 9.3/1.7.0] 400 field_unknown from 1.7.0 to 1.8.0: NodeIdentities', async (ctx) => {
    const body = { NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }] }
    const refusal = '400 field_unknown NodeIdentities'
    const text = 'unknown field "NodeIdentities"'
    await ctx.refuses('PUT', '/acl/token', { body }, refusal, new RegExp(`^${text}$`))
    await ctx.refuses('PUT', '/acl/role', { body: { Name: ctx.unique('role'), ...body } }, refusal)
  }).needing({ from: '1.7.0', before: '1.8.1' }),
  test('versions/legacy-removed [D/versions/removed, 9.1/1.11, D/status/removed-410] 410 endpoint_removed from 1.11: every legacy endpoint, for any caller, with its replacement; 405 for another method', async (ctx) => {
    for (const { methods, path, replacement } of LEGACY_ENDPOINTS) {
      const filled = path.endsWith('/') ? `${path}${crypto.randomUUID()}` : path
      for (const method of methods) {
        const text = `Endpoint /v1${path} for the legacy ACL system was removed in version 1.11.`
        await ctx.refuses(method, filled, { token: null }, '410 endpoint_removed', text)
        assert((await ctx.call(method, filled)).text.endsWith(`Use ${replacement} instead.`))
      }
      await ctx.refuses('DELETE', filled, {}, '405 method_not_allowed')
    }
  }).needing({ from: '1.11' }),
  test('versions/legacy-works [9.1/1.11] before 1.11 the legacy API creates, shows, clones and destroys tokens, which the new API also shows', async (ctx) => {
    const Rules = 'key "a" { policy = "read" }'
    const { ID } = await ctx.ok('PUT', '/acl/create', { body: { Name: 'legacy', Type: 'client', Rules } })
    const [info] = await ctx.ok<Record<string, unknown>[]>('GET', `/acl/info/${ID}`)
    assert.deepEqual([info?.ID, info?.Name, info?.Type, info?.Rules], [ID, 'legacy', 'client', Rules])
    const list = await ctx.ok<{ ID: string }[]>('GET', '/acl/list')
    assert(list.some((one) => one.ID === ID))
    assert.equal((await ctx.ok<Token>('GET', '/acl/token/self', { token: String(ID) })).Rules, Rules)
    const clone = await ctx.ok('PUT', `/acl/clone/${ID}`)
    assert.notEqual(clone.ID, ID)
    for (const secret of [ID, clone.ID])
      assert.equal(await ctx.ok<boolean>('PUT', `/acl/destroy/${secret}`), true)
    assert.deepEqual(await ctx.ok('GET', `/acl/info/${ID}`), [])
  }).needing({ before: '1.11', from: '1.8.1' }),
  test('versions/legacy-update [9.1/1.11] before 1.11 legacy tokens are imported, updated and exported, and their rules translated', async (ctx) => {
    const ID = crypto.randomUUID()
    const legacy = { ID, Name: 'imported', Type: 'client', Rules: 'key "a" { policy = "read" }' }
    const imported = await ctx.ok('PUT', '/internal/acl/legacy-tokens', { body: [legacy] })
    assert.deepEqual([imported.Imported, imported.Problems], [1, []])
    await ctx.ok('PUT', '/acl/update', { body: { ...legacy, Name: 'updated' } })
    const exported = await ctx.ok<{ ID: string; Name: string }[]>('GET', '/internal/acl/legacy-tokens')
    assert.equal(exported.find((one) => one.ID === ID)?.Name, 'updated')
    const translated = 'key_prefix "a" {\n  policy = "read"\n}'
    const text = await ctx.call('POST', '/acl/rules/translate', { raw: legacy.Rules })
    assert.equal(text.text, translated)
    // Here a GET sends no body, which is read as an empty text.
    const [got, posted] = [
      await ctx.call('GET', '/acl/rules/translate'),
      await ctx.call('POST', '/acl/rules/translate'),
    ]
    assert.deepEqual([got.status, got.text], [200, posted.text])
    await ctx.refuses('GET', '/acl/rules/translate', { token: null }, '403 privilege_missing')
    const accessor = await accessorOf(ctx, ID)
    assert.equal((await ctx.call('GET', `/acl/rules/translate/${accessor}`)).text, translated)
    await ctx.ok('PUT', `/acl/destroy/${ID}`)
  }).needing({ before: '1.11', from: '1.8.1' }),
  test('versions/legacy-translation-is-stored [9.1/1.11] before 1.11 a policy stores the translation of legacy rules that repeat themselves, with their meaning', async (ctx) => {
    const ID = crypto.randomUUID()
    const Rules = `
        operator = "write"
        operator = "read"
        service "a" { policy = "read" }
        service "a" { policy = "write" intentions = "deny" note = 1 }
        key "b" { policy = "deny" policy = "read" sentinel { code = "main = rule { true }" } }`
    await ctx.ok('PUT', '/internal/acl/legacy-tokens', { body: [{ ID, Type: 'client', Rules }] })
    const { text } = await ctx.call('GET', `/acl/rules/translate/${await accessorOf(ctx, ID)}`)
    const Name = `translated-${ID.slice(0, 8)}`
    const policy = await ctx.ok('PUT', '/acl/policy', { body: { Name, Rules: text } })
    const { SecretID } = await ctx.token({ Policies: [{ ID: policy.ID }] })
    const checks = [
      ...['operator  read', 'operator  write', 'service a1 write', 'intention a1 read', 'key b1 read'],
      ...['key b1 write'],
    ]
    assert.deepEqual(await ctx.allows(ID, ...checks), [true, false, true, false, true, false])
    assert.deepEqual(await ctx.allows(SecretID, ...checks), await ctx.allows(ID, ...checks))
    await ctx.ok('PUT', `/acl/destroy/${ID}`)
  }).needing({ before: '1.11', from: '1.8.1' }),
  test('versions/legacy-clone-refused [D/tokens/clone-refused] 400 clone_refused: a token with legacy rules', async (ctx) => {
    const Rules = 'key "a" { policy = "read" }'
    const { ID } = await ctx.ok('PUT', '/acl/create', { body: { Type: 'client', Rules } })
    const accessor = await accessorOf(ctx, String(ID))
    await ctx.refuses('PUT', `/acl/token/${accessor}/clone`, { body: {} }, '400 clone_refused')
    await ctx.ok('PUT', `/acl/destroy/${ID}`)
  }).needing({ before: '1.11', from: '1.8.1' }),
  test('versions/methods-before-1.0 [9.3/1.0, D/versions/gates] before 1.0 any method reaches the endpoints of the table, but no other endpoints; agent self shows the whole configuration', async (ctx) => {
    for (const method of ['GET', 'PUT', 'POST', 'DELETE']) {
      assert.equal((await ctx.call(method, '/status/leader')).status, 200, method)
    }
    assert(!('DebugConfig' in (await ctx.ok('GET', '/agent/self'))))
    const { ID } = await ctx.ok('PUT', '/acl/create', { body: { Type: 'client' } })
    const tokens = await ctx.ok<unknown[]>('GET', '/acl/list')
    const writes = ['/acl/create', '/acl/update', `/acl/destroy/${ID}`, `/acl/clone/${ID}`]
    for (const path of writes) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        await ctx.refuses(method, path, {}, '405 method_not_allowed')
      }
    }
    await ctx.refuses('POST', `/kv/${ID}`, {}, '405 method_not_allowed')
    assert.deepEqual(await ctx.ok('GET', '/acl/list'), tokens)
    await ctx.ok('PUT', `/acl/destroy/${ID}`)
  }).needing({ from: '0.7', before: '1.0', mode: 'legacy' }),
  test('versions/agent-self [9.3/1.0] from 1.0 Config of agent self is reduced, and the rest is under DebugConfig; no secret in either (LEAK-01)', async (ctx) => {
    const reply = await ctx.call('GET', '/agent/self')
    const { Config, DebugConfig } = JSON.parse(reply.text)
    assert.deepEqual(Object.keys(Config).sort(), [
      'Datacenter',
      'NodeID',
      'NodeName',
      'Revision',
      'Server',
      'Version',
    ])
    assert.equal(typeof DebugConfig, 'object')
    assert(!reply.text.includes(ctx.target.token))
  }),
  test('modes/legacy [7/legacy-mode, D/status/legacy-403] 403 legacy_mode: bootstrap and every new ACL API, before authentication (spec 9.2.1)', async (ctx) => {
    const text = 'The ACL system is currently in legacy mode.'
    const refused = Object.values<Endpoint>(ENDPOINTS).filter(
      (endpoint) =>
        endpoint.refusedInLegacyMode && !isOfLegacyApi(endpoint) && endpoint.edition === undefined,
    )
    assert(refused.length > 20)
    for (const endpoint of refused) {
      for (const token of [null, crypto.randomUUID(), ctx.target.token]) {
        await ctx.refuses(endpoint.method, pathOf(endpoint), { token }, '403 legacy_mode', text)
      }
    }
    const reply = await ctx.call('GET', '/acl/tokens')
    assert.match(reply.text, / It (?:waits for .+|is about to end)\.$/)
  }).needing({ mode: 'legacy', from: '1.4.0' }),
  test('modes/bootstrap [D/status/bootstrap-403] bootstrap creates one management token, for the first request; 403 bootstrap_done for the second (RACE-01)', async (ctx) => {
    const tries = await Promise.all([1, 2, 3].map(() => ctx.call('PUT', '/acl/bootstrap', { token: null })))
    assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 403, 403])
    const made = JSON.parse(tries.find(({ status }) => status === 200)?.text ?? '{}')
    assert.deepEqual(Object.keys(made).slice(0, 3), ['ID', 'AccessorID', 'SecretID'])
    assert.equal(made.Local, false)
    assert.equal(made.ID, made.SecretID)
    assert.equal(made.Description, 'Bootstrap Token (Global Management)')
    assert.equal(made.Policies[0].Name, 'global-management')
    const refusal = [
      '403 bootstrap_done',
      /^Permission denied: ACL bootstrap no longer allowed \(reset index: \d+\)$/,
    ] as const
    await ctx.refuses('PUT', '/acl/bootstrap', { token: null }, ...refusal)
    await ctx.refuses('PUT', '/acl/bootstrap', { token: made.SecretID }, ...refusal)
    await ctx.ok('GET', '/acl/tokens', { token: made.SecretID })
  }).needing({ bootstrap: 'open' }),
  test('modes/bootstrap-done [D/status/bootstrap-403] 403 bootstrap_done: a service with a configured management token', async (ctx) => {
    const text = 'Permission denied: ACL bootstrap no longer allowed (reset index: '
    await ctx.refuses('PUT', '/acl/bootstrap', { token: null }, '403 bootstrap_done', text)
  }).needing({ datacenter: 'primary' }),
  test('modes/switched-off [5.2] 401 acl_disabled: every ACL endpoint of a service with ACLs off; keys are open', async (ctx) => {
    const refusal = ['401 acl_disabled', 'ACL support disabled'] as const
    for (const path of [
      ...['/acl/tokens?%', '/acl/token/self', '/acl/policies', '/acl/token/', '/acl/policy/name/'],
      ...['/acl/auth-methods', '/acl/auth-method/', '/acl/binding-rules'],
    ])
      await ctx.refuses('GET', path, { token: crypto.randomUUID() }, ...refusal)
    await ctx.refuses('PUT', '/acl/token', { raw: '{' }, ...refusal)
    await ctx.refuses('PUT', '/acl/bootstrap', {}, ...refusal)
    await ctx.refuses('POST', '/acl/login', { raw: '{' }, ...refusal)
    await ctx.refuses('POST', '/acl/logout', {}, ...refusal)
    await ctx.refuses('POST', '/internal/acl/authorize', { raw: '{' }, ...refusal)
    await ctx.refuses('POST', '/acl/token', {}, '405 method_not_allowed')
    await ctx.ok('PUT', `/kv/${ctx.unique('key')}`, { raw: 'v', token: null })
  }).needing({ acl: 'off' }),
  test('modes/switched-off-rights [5.2] a service with ACLs off gives every right, even to a caller with an unknown token', async (ctx) => {
    const token = crypto.randomUUID()
    const [Node, Service] = [ctx.unique('node'), ctx.unique('web')]
    const body = { Node, Address: '10.0.0.1', Service: { Service } }
    await ctx.ok('PUT', '/catalog/register', { token, body })
    const intention = { SourceName: ctx.unique('a'), DestinationName: Service, Action: 'allow' }
    const { ID } = await ctx.ok<{ ID: string }>('POST', '/connect/intentions', { token, body: intention })
    await ctx.ok('GET', `/connect/intentions/${ID}`, { token })
    const session = await ctx.ok<{ ID: string }>('PUT', '/session/create', {
      token,
      body: { Node, Checks: [] },
    })
    await ctx.ok('PUT', `/session/destroy/${session.ID}`, { token })
    await ctx.ok('GET', '/internal/intentions/migration', { token })
    const archive = await ctx.call('GET', '/snapshot', { token })
    if (archive.status !== 200) await ctx.refuses('GET', '/snapshot', { token }, '501 endpoint_not_built')
  }).needing({ acl: 'off' }),
  test('modes/switched-off-namespaces [5.2, 4.9.5] a service with ACLs off shows every namespace to every caller', async (ctx) => {
    const [Namespace, Node, Service] = [ctx.unique('ns'), ctx.unique('node'), ctx.unique('web')]
    await ctx.ok('PUT', '/namespace', { body: { Name: Namespace } })
    await ctx.ok('PUT', '/catalog/register', {
      body: { Node, Address: '10.0.0.1', Service: { Service, Namespace } },
    })
    const services = await ctx.ok<object>('GET', '/catalog/services?ns=*')
    assert(Object.hasOwn(services, Service), 'the service is listed')
    await ctx.ok('PUT', '/catalog/deregister', { body: { Node } })
  }).needing({ acl: 'off', edition: 'extended' }),
  test('modes/switched-off-deregister [9.4] 200: deregistering an unknown service or check before 1.11, with ACLs off', async (ctx) => {
    for (const kind of ['service', 'check'])
      assert.equal((await ctx.call('PUT', `/agent/${kind}/deregister/${ctx.unique('x')}`)).status, 200)
  }).needing({ acl: 'off', before: '1.11' }),
  test('modes/switched-off-deregister-later [9.4] 404 not_found: deregistering an unknown service or check from 1.11, with ACLs off', async (ctx) => {
    for (const kind of ['service', 'check'])
      await ctx.refuses('PUT', `/agent/${kind}/deregister/${ctx.unique('x')}`, {}, '404 not_found')
  }).needing({ acl: 'off', from: '1.11' }),
  test('modes/default-allow [5.4, 5.2] with default policy allow, keys and the catalog are open to all but unknown callers, and ACLs only to callers with a rule', async (ctx) => {
    const key = ctx.unique('key')
    const written = await ctx.call('PUT', `/kv/${key}`, { raw: 'v', token: null })
    assert.equal(written.status, 200)
    assert.equal(written.headers.get(ctx.header('Default-ACL-Policy')), 'allow')
    await ctx.ok('GET', `/kv/${key}`, { token: null })
    await ctx.refuses('GET', `/kv/${key}`, { token: crypto.randomUUID() }, '403 caller_unknown')
    await ctx.refuses('GET', '/acl/tokens', { token: null }, '403 privilege_missing')
    const Node = ctx.unique('node')
    await ctx.ok('PUT', '/catalog/register', { token: null, body: { Node, Address: '10.0.0.1' } })
    await ctx.ok('PUT', '/catalog/deregister', { token: null, body: { Node } })
    const denied = await ctx.caller(`key "${key}" { policy = "deny" }`)
    await ctx.refuses('GET', `/kv/${key}`, { token: denied.SecretID }, '403 privilege_missing')
  }).needing({ defaultPolicy: 'allow' }),
]
