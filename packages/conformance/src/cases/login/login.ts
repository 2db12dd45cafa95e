/** Login and logout. Decisions: login, what a login gives, selectors. */
import assert from 'node:assert/strict'
import type { AuthMethod, BindingRule, Token, TokenListEntry } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import { aMethod, aProvider, aRule, configOf, login, loginBody, OIDC_CONFIG } from './provider.ts'

const UNBOUND = ['403 login_unbound', 'Permission denied'] as const
const REFUSED = ['403 login_refused', 'Permission denied: '] as const
const UNKNOWN = '403 caller_unknown'

export const loginCases: readonly Case[] = [
  test('login/token [D/login/token, 2.1/AuthMethod, 4.8/authmethod] a login creates a local token with Meta in its description, the method as stored, and an ExpirationTime MaxTokenTTL after CreateTime; it is read, listed and used', async (ctx) => {
    const { method, provider } = await aMethod(ctx, { MaxTokenTTL: '1h' })
    await aRule(ctx, method)
    const role = await ctx.role()
    await aRule(ctx, method, { BindType: 'role', BindName: role.Name.toUpperCase() })
    await aRule(ctx, method, { BindType: 'node', BindName: 'n1' })
    const asked = { method: { Name: method.Name.toLowerCase() }, provider }
    const token = await login(ctx, asked, { Meta: { z: '2', a: '<1>' } })
    assert.equal(token.Description, 'token created via login: {"a":"\\u003c1\\u003e","z":"2"}')
    assert.deepEqual(token.ServiceIdentities, [{ ServiceName: 'web' }])
    assert.deepEqual(token.Roles, [{ ID: role.ID, Name: role.Name }])
    assert.deepEqual(token.NodeIdentities, [{ NodeName: 'n1', Datacenter: 'dc1' }])
    assert.deepEqual([token.Local, token.AuthMethod], [true, method.Name])
    assert.equal(Date.parse(token.ExpirationTime ?? '') - Date.parse(token.CreateTime), 3_600_000)
    const { SecretID } = token
    assert.deepEqual(await ctx.ok('GET', '/acl/token/self', { token: SecretID }), token)
    const list = (name: string) => ctx.ok<TokenListEntry[]>('GET', `/acl/tokens?authmethod=${name}`)
    assert.deepEqual(await list(method.Name), [token])
    assert.deepEqual(await ctx.allows(SecretID, 'service web write'), [true])
    const again = await login(ctx, { method, provider })
    assert.notEqual(again.AccessorID, token.AccessorID)
    assert.equal(again.Description, 'token created via login')
  }).needing({ datacenter: 'primary', edition: 'standard' }),
  test('login/presented-token [D/login/token, D/status/order] a token that a login presents is ignored, even an unknown one', async (ctx) => {
    const { method, provider } = await aMethod(ctx)
    await aRule(ctx, method)
    const body = { AuthMethod: method.Name, BearerToken: await provider.issue({}) }
    await ctx.ok('POST', '/acl/login', { body, token: crypto.randomUUID() })
    await ctx.ok('POST', `/acl/login?token=${crypto.randomUUID()}`, { body, token: null })
  }),
  test('login/locality [D/auth-methods/locality] tokens of a global method are global; without MaxTokenTTL they do not expire; a change of TokenLocality ends them', async (ctx) => {
    const { method, provider } = await aMethod(ctx, { TokenLocality: 'global' })
    await aRule(ctx, method)
    const token = await login(ctx, { method, provider })
    assert.deepEqual([token.Local, token.ExpirationTime], [false, undefined])
    const path = `/acl/auth-method/${method.Name}`
    await ctx.ok('PUT', path, { body: { ...method, Description: 'unrelated' } })
    await ctx.ok('GET', '/acl/token/self', { token: token.SecretID })
    await ctx.ok('PUT', path, { body: { ...method, TokenLocality: 'local' } })
    await ctx.refuses('GET', '/acl/token/self', { token: token.SecretID }, UNKNOWN)
    assert.equal((await login(ctx, { method, provider })).Local, true)
  }).needing({ datacenter: 'primary' }),
  test('login/bindings [D/login/bindings, D/selectors/language] all matching rules apply, and names are lower-cased; a rule whose claim or role is missing does not apply; nothing bound is 403 login_unbound', async (ctx) => {
    const { method, provider } = await aMethod(ctx)
    const there = { method, provider }
    await aRule(ctx, method, { Selector: 'value.team == Ops', BindName: 'by-${value.team}' })
    await aRule(ctx, method, { Selector: 'deploy in list.groups', BindName: 'deploy' })
    await aRule(ctx, method, { Selector: 'value.team matches "^Ops$"', BindName: 'matched' })
    await aRule(ctx, method, { BindName: 'ref-${value.ref}' })
    await aRule(ctx, method, { BindType: 'role', BindName: 'absent-${value.team}' })
    const services = async (claims: object) =>
      (await login(ctx, there, { claims: { ...claims } })).ServiceIdentities?.map(
        ({ ServiceName }) => ServiceName,
      )
    assert.deepEqual(await services({ team: 'Ops', groups: ['deploy', 'x'] }), [
      'by-ops',
      'deploy',
      'matched',
    ])
    assert.deepEqual(await services({ groups: 'deploy' }), ['deploy'])
    assert.deepEqual(await services({ ref: 'Main', team: 'ops' }), ['ref-main'])
    assert.deepEqual(await services({ ref: 7 }), ['ref-7'])
    for (const claims of [{}, { team: 'ops' }, { ref: null }, { ref: '' }, { groups: [] }]) {
      await ctx.refuses('POST', '/acl/login', await loginBody(there, claims), ...UNBOUND)
    }
    assert.deepEqual(await ctx.ok('GET', `/acl/tokens?authmethod=${ctx.unique('none')}`), [])
  }).needing({ edition: 'standard' }),
  test('login/claims-refused [D/login/refused, D/status/caller-403] 403 login_refused: a claim that is not a text or an integer, or an invalid name; no token is created (ATT-35, ATT-36, ATT-38)', async (ctx) => {
    const { method, provider } = await aMethod(ctx)
    await aRule(ctx, method, { BindName: 'web-${value.team}' })
    for (const claims of [
      { team: ['a'] },
      { team: { a: 1 } },
      { team: 1.5 },
      { team: 9_007_199_254_740_992 },
      { team: 'ok', groups: { length: 1, 0: 'deploy' } },
      { team: 'ok', groups: [['deploy']] },
      { team: '../x' },
      { team: 'a b' },
      { team: '\u212a' },
      { team: '${value.ref}' },
      { team: 'a\n' },
      { team: 'x'.repeat(257) },
    ]) {
      await ctx.refuses('POST', '/acl/login', await loginBody({ method, provider }, claims), ...REFUSED)
    }
    assert.deepEqual(await ctx.ok('GET', `/acl/tokens?authmethod=${method.Name}`), [])
  }),
  test('login/request-refused [D/login/request, D/status/malformed-400, D/status/large-413] 400: a login without method or credential, with too much Meta or another field; 403 an unknown method or a malformed credential; 413 a huge one (ATT-42)', async (ctx) => {
    const { method, provider } = await aMethod(ctx)
    const BearerToken = await provider.issue({})
    const good = { AuthMethod: method.Name, BearerToken }
    const refuse = (body: object, code: 'field_required', field: string) =>
      ctx.refuses('POST', '/acl/login', { body, token: null }, `400 ${code} ${field}`)
    for (const field of ['AuthMethod', 'BearerToken']) {
      await refuse({ ...good, [field]: '' }, 'field_required', field)
      await refuse({ ...good, [field]: undefined }, 'field_required', field)
    }
    const asked = async (fields: object) => {
      const reply = await ctx.call('POST', '/acl/login', { body: { ...good, ...fields }, token: null })
      return reply.status
    }
    const entries = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, '']))
    assert.equal(await asked({ Meta: entries(65) }), 400)
    assert.equal(await asked({ Meta: { a: 'x'.repeat(2_048) } }), 400)
    assert.equal(await asked({ Meta: { a: 1 } }), 400)
    assert.equal(await asked({ Foo: 1 }), 400)
    assert.equal(await asked({ BearerToken: 'x'.repeat(32_769) }), 413)
    assert.equal(await asked({ BearerToken: 'x'.repeat(100_000) }), 413)
    assert.equal(await asked({ Meta: entries(10_000) }), 413)
    assert.equal(await asked({ Meta: { a: 'x'.repeat(100_000) } }), 413)
    await aRule(ctx, method)
    assert.equal(await asked({ Meta: entries(64) }), 200)
    const none = ctx.unique('none')
    const text = `ACL not found: auth method "${none}" not found`
    const unknown = ['403 auth_method_unknown', text] as const
    await ctx.refuses('POST', '/acl/login', { body: { ...good, AuthMethod: none }, token: null }, ...unknown)
    const [header, payload, signature] = BearerToken.split('.')
    for (const bearer of ['x', 'a.b.c', `${header}.${payload}`, `${BearerToken}.${signature}`, '..']) {
      await ctx.refuses(
        'POST',
        '/acl/login',
        { body: { ...good, BearerToken: bearer }, token: null },
        ...REFUSED,
      )
    }
    await ctx.refuses('POST', '/acl/login', { token: null }, '400 body_required')
    await ctx.refuses('GET', '/acl/login', {}, '405 method_not_allowed')
  }).needing({ from: '1.10' }),
  test('login/signature [D/login/refused] 403 login_refused: another key, no signature, changed claims', async (ctx) => {
    const { method, provider } = await aMethod(ctx)
    await aRule(ctx, method)
    const there = { method, provider }
    await login(ctx, there)
    const good = await provider.issue({ team: 'a' })
    const [header = '', payload = '', signature = ''] = good.split('.')
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const others = [
      await (await aProvider(ctx)).issue({}),
      `${header}.${payload}.`,
      `${encoded({ alg: 'none' })}.${payload}.`,
      `${encoded({ alg: 'HS256' })}.${payload}.${signature}`,
      `${header}.${(await provider.issue({ team: 'b' })).split('.')[1]}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
    ]
    for (const BearerToken of others) {
      const body = { AuthMethod: method.Name, BearerToken }
      await ctx.refuses('POST', '/acl/login', { body, token: null }, ...REFUSED)
    }
    assert.equal((await ctx.ok<unknown[]>('GET', `/acl/tokens?authmethod=${method.Name}`)).length, 1)
  }).needing({ signatures: true }),
  test('login/registered-claims [D/login/refused] 403 login_refused: another issuer or audience, times that are missing, past or in the future', async (ctx) => {
    const { method, provider } = await aMethod(ctx)
    await aRule(ctx, method)
    const there = { method, provider }
    await login(ctx, there)
    const now = Math.floor(ctx.now() / 1_000)
    for (const claims of [
      { iss: 'https://idp.example/' },
      { iss: undefined },
      { aud: 'other' },
      { aud: ['other'] },
      { aud: undefined },
      { exp: now - 3_600 },
      { exp: 'later' },
      { nbf: now + 3_600 },
      { iat: now + 3_600 },
      { iat: undefined, exp: undefined },
    ]) {
      await ctx.refuses('POST', '/acl/login', await loginBody(there, claims), ...REFUSED)
    }
    assert.equal((await ctx.ok<unknown[]>('GET', `/acl/tokens?authmethod=${method.Name}`)).length, 1)
  }),
  test('login/life [D/login/life, D/tokens/clone-refused, 4.5.5] a login token can be updated, except its method; cloning it is 400 clone_refused; it keeps its links when binding rules and roles change', async (ctx) => {
    const { method, provider } = await aMethod(ctx)
    const role = await ctx.role()
    await aRule(ctx, method, { BindType: 'role', BindName: role.Name })
    const rule = await aRule(ctx, method)
    const token = await login(ctx, { method, provider })
    const path = `/acl/token/${token.AccessorID}`
    const clone = ['400 clone_refused', 'Cannot clone a token created from an auth method'] as const
    await ctx.refuses('PUT', `${path}/clone`, { body: {} }, ...clone)
    const upper = { ...token, AuthMethod: method.Name.toUpperCase() }
    await ctx.refuses('PUT', path, { body: upper }, '400 field_immutable AuthMethod')
    const updated = await ctx.ok<Token>('PUT', path, { body: { ...token, Description: 'new' } })
    assert.deepEqual([updated.Description, updated.AuthMethod], ['new', method.Name])
    await ctx.ok('DELETE', `/acl/binding-rule/${rule.ID}`)
    await ctx.ok('DELETE', `/acl/role/${role.ID}`)
    const kept = await ctx.ok<Token>('GET', '/acl/token/self', { token: token.SecretID })
    assert.deepEqual([kept.Roles, kept.ServiceIdentities], [undefined, [{ ServiceName: 'web' }]])
    await ctx.refuses('POST', '/acl/login', await loginBody({ method, provider }), ...UNBOUND)
  }),
  test('login/method-deleted [D/auth-methods/delete, D/login/life] the tokens of a deleted method stop working at once, which wakes their watchers; those of a new method with its name work (ATT-43)', async (ctx) => {
    const { method, provider } = await aMethod(ctx)
    await aRule(ctx, method)
    const tokens = [await login(ctx, { method, provider }), await login(ctx, { method, provider })]
    const paths = tokens.map(({ AccessorID }) => `/acl/token/${AccessorID}`)
    const seen = await Promise.all(paths.map((path) => ctx.call('GET', path)))
    const news = seen.map(async ({ headers }, i) => {
      const index = headers.get(ctx.header('Index'))
      return (await ctx.call('GET', `${paths[i]}?index=${index}&wait=60s`)).status
    })
    const deletedAt = performance.now()
    await ctx.ok('DELETE', `/acl/auth-method/${method.Name}`)
    assert.deepEqual(await Promise.all(news), [404, 404])
    assert(performance.now() - deletedAt < 30_000, 'only the end of the wait showed the removal')
    for (const { SecretID, AccessorID } of tokens) {
      await ctx.refuses('GET', '/acl/token/self', { token: SecretID }, UNKNOWN)
      await ctx.refuses('POST', '/acl/logout', { token: SecretID }, UNKNOWN)
      await ctx.refuses('GET', `/acl/token/${AccessorID}`, {}, '404 not_found')
    }
    assert.deepEqual(await ctx.ok('GET', `/acl/tokens?authmethod=${method.Name}`), [])
    await ctx.refuses('POST', '/acl/login', await loginBody({ method, provider }), '403 auth_method_unknown')
    const { Name, Type, Config } = method
    await ctx.ok('PUT', '/acl/auth-method', { body: { Name, Type, Config } })
    await aRule(ctx, method)
    const later = await login(ctx, { method, provider })
    await ctx.ok('GET', '/acl/token/self', { token: later.SecretID })
    for (const { SecretID } of tokens)
      await ctx.refuses('GET', '/acl/token/self', { token: SecretID }, UNKNOWN)
  }),
  test('login/logout [D/login/logout] a logout deletes only the presented token; 403 for a token that no login created, an unknown one, an accessor, or none (ATT-56)', async (ctx) => {
    const { method, provider } = await aMethod(ctx)
    await aRule(ctx, method)
    const [token, other] = [await login(ctx, { method, provider }), await login(ctx, { method, provider })]
    assert.equal(await ctx.ok<boolean>('POST', '/acl/logout', { token: token.SecretID }), true)
    await ctx.refuses('POST', '/acl/logout', { token: token.SecretID }, UNKNOWN)
    await ctx.ok('GET', '/acl/token/self', { token: other.SecretID })
    await ctx.refuses('POST', '/acl/logout', { token: other.AccessorID }, UNKNOWN)
    await ctx.ok('GET', '/acl/token/self', { token: other.SecretID })
    const made = await ctx.token()
    const refusal = ['403 privilege_missing', 'Permission denied'] as const
    await ctx.refuses('POST', '/acl/logout', { token: null }, UNKNOWN)
    for (const secret of [made.SecretID, ctx.target.token, 'anonymous']) {
      await ctx.refuses('POST', '/acl/logout', { token: secret }, ...refusal)
    }
    await ctx.ok('GET', '/acl/token/self', { token: made.SecretID })
  }),
  test('login/expired [D/login/life, 3] a login token ends after MaxTokenTTL, whatever its credential says', async (ctx) => {
    const { method, provider } = await aMethod(ctx, { MaxTokenTTL: '1m' })
    await aRule(ctx, method)
    const { SecretID } = await login(ctx, { method, provider })
    ctx.clock.advance(59_999)
    await ctx.ok('GET', '/acl/token/self', { token: SecretID })
    ctx.clock.advance(1)
    await ctx.refuses('GET', '/acl/token/self', { token: SecretID }, UNKNOWN)
    await ctx.refuses('POST', '/acl/logout', { token: SecretID }, UNKNOWN)
  }).needing({ clock: true }),
  test('login/explain [D/login/explain] an explanation shows the mapped values, which rules apply, why others do not, and the rights; no token is created', async (ctx) => {
    const { method } = await aMethod(ctx)
    const rules = [
      await aRule(ctx, method, { Selector: 'value.team == ops', BindName: 'by-${value.team}' }),
      await aRule(ctx, method, { Selector: 'value.team == dev' }),
      await aRule(ctx, method, { BindName: 'ref-${value.ref}' }),
      await aRule(ctx, method, { BindType: 'role', BindName: 'absent' }),
    ]
    const name = method.Name.toUpperCase()
    const explain = (Claims: object) =>
      ctx.ok<{ Rules: (BindingRule & { Applies: boolean; Reason?: string })[] } & Record<string, unknown>>(
        'POST',
        `/acl/auth-method/${name}/explain`,
        { body: { Claims } },
      )
    const explained = await explain({ team: 'ops', groups: ['a'] })
    assert.deepEqual(explained.Values, { 'value.team': 'ops' })
    assert.deepEqual(explained.Lists, { 'list.groups': ['a'] })
    assert.equal(explained.Refused, undefined)
    assert.deepEqual(explained.ServiceIdentities, [{ ServiceName: 'by-ops' }])
    const said = Object.fromEntries(explained.Rules.map(({ ID, Applies, Reason }) => [ID, [Applies, Reason]]))
    assert.deepEqual(
      rules.map(({ ID }) => said[ID]?.[0]),
      [true, false, false, false],
    )
    const [applies, ...reasons] = rules.map(({ ID }) => said[ID]?.[1])
    assert.equal(applies, undefined)
    for (const reason of reasons) assert.equal(typeof reason, 'string')
    assert.match(String(reasons[1]), /value\.ref/)
    assert.match(String(reasons[2]), /absent/)
    assert(Array.isArray(explained.Rights) && explained.Rights.length > 0)
    assert.equal(typeof (await explain({})).Refused, 'string')
    assert.equal(typeof (await explain({ team: ['a'] })).Refused, 'string')
    assert.deepEqual(await ctx.ok('GET', `/acl/tokens?authmethod=${method.Name}`), [])
    await ctx.refuses(
      'POST',
      `/acl/auth-method/${name}/explain`,
      { body: { Foo: 1 } },
      '400 field_unknown Foo',
    )
  }).needing({ edition: 'standard' }),
  test('login/namespaces [D/login/namespaces, 4.8/authmethod-ns, 4.9.1] methods and rules live in namespaces, and a login finds only methods of its namespace (ATT-44); the first matching namespace rule decides where the token is created', async (ctx) => {
    const [ns, other] = [ctx.unique('ns'), ctx.unique('ns')]
    for (const Name of [ns, other]) await ctx.ok('PUT', '/namespace', { body: { Name } })
    const { method, provider } = await aMethod(ctx, { Namespace: ns })
    assert.equal(method.Namespace, ns)
    const path = `/acl/auth-method/${method.Name}`
    const rule = await aRule(ctx, method, { Namespace: ns })
    assert.equal(rule.Namespace, ns)
    for (const query of ['', `?ns=${other}`]) {
      const missing = '404 not_found'
      await ctx.refuses('GET', path + query, {}, missing)
      await ctx.refuses('GET', `/acl/binding-rule/${rule.ID}${query}`, {}, missing)
      await ctx.refuses('DELETE', path + query, {}, missing)
      await ctx.refuses(
        'POST',
        `/acl/login${query}`,
        await loginBody({ method, provider }),
        '403 auth_method_unknown',
      )
    }
    assert.deepEqual(await ctx.ok('GET', `/acl/binding-rules?ns=${ns}`), [rule])
    const token = await login(ctx, { method, provider }, { Namespace: ns })
    assert.deepEqual([token.Namespace, token.AuthMethod], [ns, method.Name])
    const list = async (query: string) =>
      (await ctx.ok<TokenListEntry[]>('GET', `/acl/tokens?authmethod=${method.Name}&${query}`)).map(
        ({ AccessorID }) => AccessorID,
      )
    // Without authmethod-ns, the method is looked up in the namespace of the list.
    for (const query of [`authmethod-ns=${ns}&ns=*`, `authmethod-ns=${ns}&ns=${ns}`, `ns=${ns}`, 'ns=*']) {
      assert.deepEqual(await list(query), [token.AccessorID], query)
    }
    for (const query of [`authmethod-ns=${other}&ns=${ns}`, 'authmethod-ns=default&ns=*']) {
      assert.deepEqual(await list(query), [], query)
    }
    const NamespaceRules = [{ Selector: 'value.team == ops', BindNamespace: other }]
    await ctx.refuses(
      'PUT',
      `${path}?ns=${ns}`,
      { body: { ...method, NamespaceRules } },
      '400 field_invalid NamespaceRules',
    )
    const { publicKey, issue } = provider
    const body = {
      Name: ctx.unique('method'),
      Type: 'jwt',
      Config: configOf({ publicKey, issue }),
      NamespaceRules,
    }
    const wide = await ctx.ok<AuthMethod>('PUT', '/acl/auth-method', { body })
    assert.deepEqual(wide.NamespaceRules, NamespaceRules)
    await aRule(ctx, wide)
    const namespaceOf = async (claims: Readonly<Record<string, unknown>>) =>
      (await login(ctx, { method: wide, provider }, { claims })).Namespace
    assert.deepEqual([await namespaceOf({ team: 'ops' }), await namespaceOf({})], [other, 'default'])
    await ctx.ok('DELETE', `${path}?ns=${ns}`)
    await ctx.refuses('GET', '/acl/token/self', { token: token.SecretID }, UNKNOWN)
    await ctx.ok('DELETE', `/acl/auth-method/${wide.Name}`)
  }).needing({ edition: 'extended' }),
  test('login/oidc-type [D/auth-methods/checks] the extended edition has type oidc, which needs MaxTokenTTL, a client and redirect URIs; <hidden> is not accepted as client secret (ATT-55)', async (ctx) => {
    const Config = OIDC_CONFIG
    const body = { Name: ctx.unique('method'), Type: 'oidc', MaxTokenTTL: '1h', Config }
    const write = '/acl/auth-method?check=false'
    const required = '400 field_required'
    await ctx.refuses('PUT', write, { body: { ...body, MaxTokenTTL: 0 } }, `${required} MaxTokenTTL`)
    for (const field of Object.keys(Config)) {
      const without = { ...body, Config: { ...Config, [field]: undefined } }
      await ctx.refuses('PUT', write, { body: without }, `${required} Config.${field}`)
    }
    const method = await ctx.ok<AuthMethod>('PUT', write, { body })
    assert.deepEqual(method.Config, Config)
    const incompatible = [
      '400 field_invalid AuthMethod',
      'ClaimsFromJWT is incompatible with type "oidc"',
    ] as const
    const provider = await aProvider(ctx)
    await ctx.refuses('POST', '/acl/login', await loginBody({ method, provider }), ...incompatible)
    const { SecretID: token } = await ctx.caller('acl = "read"')
    const seen = await ctx.ok<AuthMethod>('GET', `/acl/auth-method/${method.Name}`, { token })
    assert.equal(seen.Config.OIDCClientSecret, '<hidden>')
    const refusal = '400 field_invalid Config.OIDCClientSecret'
    await ctx.refuses('PUT', write, { body: seen }, refusal)
  }).needing({ edition: 'extended' }),
]
