/** Auth methods. Decisions: auth methods. */
import assert from 'node:assert/strict'
import { type Answered, type AuthMethod, HEADER_PREFIX_REFERENCE } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import type { Context } from '../../context.ts'
import { aMethod, aProvider, aRule, CERTIFICATE, configOf } from './provider.ts'

type AuthMethodListEntry = Answered<'authMethods.list'>[number]

const MISSING = ['404 not_found', 'Requested auth method does not exist: ACL not found'] as const

const kubernetes = (fields: object = {}) => ({
  Type: 'kubernetes',
  Config: {
    Host: 'https://kubernetes.example',
    CACert: CERTIFICATE,
    ServiceAccountJWT: 'cmV2aWV3.ZXI.c2VjcmV0',
    ...fields,
  },
})

async function methodNames(ctx: Context): Promise<string[]> {
  return (await ctx.ok<AuthMethodListEntry[]>('GET', '/acl/auth-methods')).map(({ Name }) => Name)
}

export const authMethodCases: readonly Case[] = [
  test('auth-methods/record [D/auth-methods/record] a method is created, read in any case, replaced by an update, listed without Config, deleted; keys in order, Config as written', async (ctx) => {
    const provider = await aProvider(ctx)
    const body = {
      Name: ctx.unique('Method'),
      Type: 'jwt',
      DisplayName: 'd',
      Description: 'text',
      MaxTokenTTL: '90m',
      TokenLocality: 'global',
      Config: { ...configOf(provider), ExpirationLeeway: '2m', ClockSkewLeeway: 0 },
    }
    const method = await ctx.ok<AuthMethod>('PUT', '/acl/auth-method', { body })
    const keys = ['MaxTokenTTL', 'Name', 'Type', 'DisplayName', 'Description', 'TokenLocality', 'Config']
    assert.deepEqual(Object.keys(method), [...keys, 'CreateIndex', 'ModifyIndex'])
    assert.equal(method.MaxTokenTTL, '1h30m0s')
    assert.deepEqual(method.Config, body.Config)
    assert.deepEqual(Object.keys(method.Config), Object.keys(body.Config).sort())
    assert.deepEqual(Object.keys(method.Config.ClaimMappings ?? {}), ['ref', 'team'])
    assert.deepEqual(await ctx.ok('GET', `/acl/auth-method/${method.Name.toUpperCase()}`), method)
    const { Config: _config, MaxTokenTTL, TokenLocality, CreateIndex, ModifyIndex, ...named } = method
    const list = await ctx.ok<AuthMethodListEntry[]>('GET', '/acl/auth-methods')
    const entry = list.find(({ Name }) => Name === method.Name)
    assert.deepEqual(entry, { ...named, MaxTokenTTL, TokenLocality, CreateIndex, ModifyIndex })
    const Config = { JWTValidationPubKeys: [provider.publicKey] }
    const path = `/acl/auth-method/${method.Name}`
    const updated = await ctx.ok<AuthMethod>('PUT', path, { body: { Config } })
    assert.deepEqual(Object.keys(updated), ['Name', 'Type', 'Config', 'CreateIndex', 'ModifyIndex'])
    assert.deepEqual([updated.Config, updated.CreateIndex], [Config, CreateIndex])
    assert(updated.ModifyIndex > ModifyIndex)
    await ctx.ok('PUT', path, { body: updated })
    assert.equal(
      await ctx.ok<boolean>('DELETE', path.toUpperCase().replace('/ACL/AUTH-METHOD', '/acl/auth-method')),
      true,
    )
    for (const verb of ['GET', 'DELETE']) await ctx.refuses(verb, path, {}, ...MISSING)
    await ctx.refuses('POST', `${path}/explain`, { body: {} }, ...MISSING)
  }).needing({ datacenter: 'primary', edition: 'standard', from: '1.10' }),
  test('auth-methods/spelling [D/auth-methods/record] names in Config match without case; they are shown in our spelling, and as written to clients of the family X-Consul- that do not accept problem documents; a secret stays hidden in both', async (ctx) => {
    const { Host, CACert, ServiceAccountJWT } = kubernetes().Config
    const written = { host: Host, CaCert: CACert, serviceAccountJwt: ServiceAccountJWT, BOUNDAUDIENCES: [] }
    const ours = { BoundAudiences: [], CACert, Host, ServiceAccountJWT }
    const Name = ctx.unique('Method')
    await ctx.ok('PUT', '/acl/auth-method', { body: { Name, Type: 'kubernetes', Config: written } })
    const read = async (secret: string | undefined, headers: Readonly<Record<string, string>> = {}) => {
      const of = secret === undefined ? {} : { [`${HEADER_PREFIX_REFERENCE}Token`]: secret }
      const path = `/acl/auth-method/${Name}`
      return (await ctx.ok<AuthMethod>('GET', path, { token: null, headers: { ...of, ...headers } })).Config
    }
    const { SecretID: reader } = await ctx.caller('acl = "read"')
    const hidden = '<hidden>'
    assert.deepEqual(await read(ctx.target.token), written)
    assert.deepEqual(await read(reader), { ...written, serviceAccountJwt: hidden })
    const problems = { Accept: 'application/problem+json' }
    assert.deepEqual(await read(ctx.target.token, problems), ours)
    assert.deepEqual(await read(reader, problems), { ...ours, ServiceAccountJWT: hidden })
    await ctx.ok('PUT', `/acl/auth-method/${Name}`, { body: { Config: ours } })
    assert.deepEqual(await read(ctx.target.token), ours)
  }),
  test('auth-methods/names [D/auth-methods/names, D/status/rule-400] a write in another case updates the method, whose spelling is kept; 400: no name, an invalid one, or one that differs from the path', async (ctx) => {
    const { method } = await aMethod(ctx)
    const { Name, Type, Config, CreateIndex } = method
    const upper = Name.toUpperCase()
    const written = [
      await ctx.ok<AuthMethod>('PUT', '/acl/auth-method', { body: { Name: upper, Type, Config } }),
      await ctx.ok<AuthMethod>('PUT', `/acl/auth-method/${upper}`, { body: { Config } }),
      // The name in the body applies if the path has none. Decisions: empty ids.
      await ctx.ok<AuthMethod>('PUT', '/acl/auth-method/', { body: { Name: upper, Config } }),
    ]
    for (const one of written) assert.deepEqual([one.Name, one.CreateIndex], [Name, CreateIndex])
    const mismatch = [
      '400 accessor_mismatch Name',
      'AuthMethod Name in URL and payload do not match',
    ] as const
    await ctx.refuses('PUT', `/acl/auth-method/${Name}`, { body: { Name: upper, Config } }, ...mismatch)
    const created = ctx.unique('by-path')
    await ctx.ok('PUT', `/acl/auth-method/${created}`, { body: { Type, Config } })
    assert((await methodNames(ctx)).includes(created))
    for (const bad of ['a b', 'a/b', 'é', 'a.b', 'x'.repeat(129)]) {
      await ctx.refuses(
        'PUT',
        '/acl/auth-method',
        { body: { Name: bad, Type, Config } },
        '400 name_invalid Name',
      )
    }
    await ctx.ok('PUT', '/acl/auth-method', { body: { Name: created.padEnd(128, '_'), Type, Config } })
    for (const body of [
      { Type, Config },
      { Name: '', Type, Config },
    ]) {
      await ctx.refuses('PUT', '/acl/auth-method', { body }, '400 field_required Name')
    }
    for (const verb of ['GET', 'DELETE']) {
      const text = 'Missing auth method name'
      await ctx.refuses(verb, '/acl/auth-method/', {}, '400 id_missing', text)
    }
  }),
  test('auth-methods/checks [D/auth-methods/checks, D/status/rule-400] 400: a type, a lifetime, a locality or a configuration that breaks a rule; the error names the field', async (ctx) => {
    const { method, provider } = await aMethod(ctx)
    const { JWTValidationPubKeys, ...rest } = configOf(provider)
    const config = (fields: object) => ({ Config: { ...rest, JWTValidationPubKeys, ...fields } })
    const without = (fields: object) => ({ Config: { ...rest, ...fields } })
    const sources = `exactly one of 'JWTValidationPubKeys', 'JWKSURL', or 'OIDCDiscoveryURL' must be set`
    const url = 'https://idp.example/keys'
    const table: readonly (readonly [object, string, string, string?])[] = [
      [{ Type: 'oidc' }, 'field_invalid', 'Type', 'Type should be one of: [jwt kubernetes]'],
      [{ Type: 'JWT' }, 'field_invalid', 'Type'],
      [{ Type: '' }, 'field_required', 'Type'],
      [{ MaxTokenTTL: '59s' }, 'expiration_out_of_bounds', 'MaxTokenTTL', '59s cannot be less than 1m0s'],
      [{ MaxTokenTTL: '24h1s' }, 'expiration_out_of_bounds', 'MaxTokenTTL', 'cannot be more than 24h0m0s'],
      [{ MaxTokenTTL: '-1h' }, 'expiration_out_of_bounds', 'MaxTokenTTL'],
      [{ MaxTokenTTL: 'soon' }, 'field_type', 'MaxTokenTTL'],
      [{ MaxTokenTTL: true }, 'field_type', 'MaxTokenTTL'],
      [{ TokenLocality: 'remote' }, 'field_invalid', 'TokenLocality', `should be one of 'local' or 'global'`],
      [{ Hash: '' }, 'field_unknown', 'Hash'],
      [{ Config: {} }, 'field_invalid', 'Config', sources],
      [without({}), 'field_invalid', 'Config', sources],
      [config({ JWKSURL: url }), 'field_invalid', 'Config', sources],
      [config({ Foo: 1 }), 'field_unknown', 'Config.Foo'],
      [config({ bound_issuer: 'x' }), 'field_unknown', 'Config.bound_issuer'],
      [config({ jwtValidationPubkeys: [] }), 'body_malformed', 'Config.JWTValidationPubKeys'],
      [config({ BoundAudiences: 'one' }), 'field_type', 'Config.BoundAudiences'],
      [config({ BoundIssuer: 7 }), 'field_type', 'Config.BoundIssuer'],
      [config({ Host: 'h' }), 'field_unknown', 'Config.Host'],
      [
        config({ OIDCClientID: 'c' }),
        'field_invalid',
        'Config.OIDCClientID',
        `must not be set for type "jwt"`,
      ],
      [config({ JWKSCACert: CERTIFICATE }), 'field_invalid', 'Config.JWKSCACert', `unless 'JWKSURL' is set`],
      [config({ JWTSupportedAlgs: ['HS256'] }), 'field_invalid', 'Config.JWTSupportedAlgs', 'HS256'],
      [config({ JWTSupportedAlgs: ['none'] }), 'field_invalid', 'Config.JWTSupportedAlgs'],
      [config({ JWTSupportedAlgs: ['es256'] }), 'field_invalid', 'Config.JWTSupportedAlgs'],
      [config({ ClaimMappings: { a: 'x', b: 'x' } }), 'field_invalid', 'Config.ClaimMappings', 'multiple'],
      [config({ ListClaimMappings: { a: 'x', b: 'x' } }), 'field_invalid', 'Config.ListClaimMappings'],
      [config({ ClockSkewLeeway: 60 }), 'field_invalid', 'Config.ClockSkewLeeway', 'write "60s"'],
      [config({ NotBeforeLeeway: 'soon' }), 'field_type', 'Config.NotBeforeLeeway'],
      [without({ JWKSURL: 'ftp://idp.example' }), 'field_invalid', 'Config.JWKSURL'],
      [without({ JWKSURL: 'https://a@idp.example' }), 'field_invalid', 'Config.JWKSURL'],
      [without({ JWKSURL: `${url}#x` }), 'field_invalid', 'Config.JWKSURL'],
      [
        without({ OIDCDiscoveryURL: url, BoundIssuer: 'https://other' }),
        'field_invalid',
        'Config.BoundIssuer',
      ],
      [{ NamespaceRules: [{ BindNamespace: 'a' }] }, 'field_invalid', 'NamespaceRules'],
      [kubernetes({ Host: '' }), 'field_required', 'Config.Host', 'Config.Host is required'],
      [kubernetes({ CACert: '' }), 'field_required', 'Config.CACert', 'Config.CACert is required'],
      [kubernetes({ ServiceAccountJWT: '' }), 'field_required', 'Config.ServiceAccountJWT'],
      [kubernetes({ ServiceAccountJWT: 'a.b' }), 'field_invalid', 'Config.ServiceAccountJWT'],
      [kubernetes({ Host: 'https://a b' }), 'field_invalid', 'Config.Host'],
      [kubernetes({ JWKSURL: url }), 'field_unknown', 'Config.JWKSURL'],
      // From the extended edition.
      [kubernetes({ MapNamespaces: true }), 'field_unknown', 'Config.MapNamespaces'],
    ]
    for (const [fields, code, field, text] of table) {
      const body = { Name: ctx.unique('refused'), Type: 'jwt', Config: method.Config, ...fields }
      const refusal = `400 ${code as 'field_invalid'} ${field}` as const
      try {
        await ctx.refuses('PUT', '/acl/auth-method?check=false', { body }, refusal)
      } catch (error) {
        throw new assert.AssertionError({ message: `${JSON.stringify(fields)}: ${String(error)}` })
      }
      if (text === undefined) continue
      const reply = await ctx.call('PUT', '/acl/auth-method?check=false', { body })
      assert(reply.text.includes(text), `${reply.text} does not say ${text}`)
    }
    for (const MaxTokenTTL of ['1m', '24h', 0, 60_000_000_000]) {
      const body = { Name: ctx.unique('method'), Type: 'jwt', MaxTokenTTL, Config: method.Config }
      await ctx.ok('PUT', '/acl/auth-method', { body })
    }
    const body = { Name: method.Name, ...kubernetes() }
    await ctx.refuses('PUT', '/acl/auth-method', { body }, '400 field_immutable Type')
    await ctx.refuses('PUT', `/acl/auth-method/${method.Name}`, {}, '400 body_required')
  }).needing({ edition: 'standard' }),
  test('auth-methods/mapped-namespaces [D/auth-methods/checks] type kubernetes maps namespaces; 400 field_invalid in a namespace, and for invalid names', async (ctx) => {
    const mapping = {
      MapNamespaces: true,
      ConsulNamespacePrefix: 'k8s-',
      ConsulNamespaceOverrides: { shop: 'default' },
    }
    const write = (fields: object) => ({
      Name: ctx.unique('method'),
      ...kubernetes({ ...mapping, ...fields }),
    })
    const method = await ctx.ok<AuthMethod>('PUT', '/acl/auth-method', { body: write({}) })
    assert.deepEqual(method.Config, kubernetes(mapping).Config)
    const Name = ctx.unique('ns')
    await ctx.ok('PUT', '/namespace', { body: { Name } })
    const refuses = (path: string, fields: object, field: string) =>
      ctx.refuses('PUT', path, { body: write(fields) }, `400 field_invalid ${field}`)
    await refuses(`/acl/auth-method?ns=${Name}`, {}, 'Config.MapNamespaces')
    const overrides = { ConsulNamespaceOverrides: { shop: 'a b' } }
    await refuses('/acl/auth-method', overrides, 'Config.ConsulNamespaceOverrides')
  }).needing({ edition: 'extended' }),
  test('auth-methods/unchecked [D/auth-methods/unchecked] check=false writes a method without a request to its provider', async (ctx) => {
    const Name = ctx.unique('method')
    // A name that does not resolve.
    const Config = { JWKSURL: 'https://idp.invalid/keys' }
    const body = { Name, Type: 'jwt', Config }
    await ctx.ok('PUT', '/acl/auth-method?check=false', { body })
    const path = `/acl/auth-method/${Name}?check=false`
    assert.deepEqual((await ctx.ok('PUT', path, { body: { Config } })).Config, Config)
  }),
  test('auth-methods/fetched [D/auth-methods/unchecked] 400 field_invalid: a method whose provider cannot be reached; the error shows no address', async (ctx) => {
    const body = { Name: ctx.unique('method'), Type: 'jwt', Config: { JWKSURL: 'https://idp.invalid/keys' } }
    const reply = await ctx.call('PUT', '/acl/auth-method', { body })
    assert.equal(reply.status, 400, reply.text)
    assert.match(reply.text, /JWKSURL/)
    assert.doesNotMatch(reply.text, /\d+\.\d+\.\d+\.\d+/)
  }).needing({ signatures: true }),
  test('auth-methods/rights [5.2] 403 privilege_missing: methods are read with acl:read, and changed and explained with acl:write', async (ctx) => {
    const { method } = await aMethod(ctx)
    const path = `/acl/auth-method/${method.Name}`
    await ctx.needsRights(['/acl/auth-methods', path], '/acl/auth-method', path, method)
    const { SecretID: token } = await ctx.caller('acl = "read"')
    await ctx.refuses('POST', `${path}/explain`, { body: {}, token }, '403 privilege_missing')
  }),
  test('auth-methods/secrets [D/auth-methods/secrets, 5.3] secrets of a configuration are real for acl:write and <hidden> for acl:read; 400 if <hidden> is sent back (SEC-02, ATT-55)', async (ctx) => {
    const Name = ctx.unique('method')
    const method = await ctx.ok<AuthMethod>('PUT', '/acl/auth-method', { body: { Name, ...kubernetes() } })
    assert.deepEqual(method.Config, kubernetes().Config)
    const path = `/acl/auth-method/${Name}`
    assert.deepEqual(await ctx.ok('GET', path), method)
    const { SecretID: token } = await ctx.caller('acl = "read"')
    const seen = await ctx.ok<AuthMethod>('GET', path, { token })
    assert.deepEqual(seen.Config, { ...method.Config, ServiceAccountJWT: '<hidden>' })
    await ctx.refuses('PUT', path, { body: seen }, '400 field_invalid Config.ServiceAccountJWT')
    assert.deepEqual(await ctx.ok('GET', path), method)
  }),
  test('auth-methods/list-order [D/auth-methods/record] methods are listed by name, ignoring case', async (ctx) => {
    const tag = ctx.unique('list')
    const { method } = await aMethod(ctx, { Name: `${tag}-b` })
    for (const name of ['C', 'a']) {
      await ctx.ok('PUT', '/acl/auth-method', {
        body: { ...method, Name: `${tag}-${name}`, CreateIndex: undefined, ModifyIndex: undefined },
      })
    }
    const listed = (await methodNames(ctx)).filter((name) => name.startsWith(tag))
    assert.deepEqual(listed, [`${tag}-a`, `${tag}-b`, `${tag}-C`])
  }),
  test('auth-methods/blocking [D/auth-methods/blocking, D/blocking/wakes] reads and lists of methods and rules wait for a change', async (ctx) => {
    const { method } = await aMethod(ctx)
    const rule = await aRule(ctx, method)
    const [ofMethod, ofRule] = [`/acl/auth-method/${method.Name}`, `/acl/binding-rule/${rule.ID}`]
    const waits: Promise<void>[] = []
    for (const path of [ofMethod, '/acl/auth-methods', ofRule, '/acl/binding-rules']) {
      const before = await ctx.call('GET', path)
      const index = before.headers.get(ctx.header('Index'))
      assert.match(index ?? '', /^[1-9]\d*$/, path)
      const follow = async () => {
        for (let tries = 0; tries < 50; tries += 1) {
          const reply = await ctx.call('GET', `${path}?index=${index}&wait=60s`)
          if (reply.text !== before.text) return
        }
        throw new assert.AssertionError({ message: `GET ${path} showed nothing new` })
      }
      waits.push(follow())
    }
    for (const wait of waits) wait.catch(() => undefined)
    await ctx.ok('PUT', ofMethod, { body: { ...method, Description: 'new' } })
    await ctx.ok('PUT', ofRule, { body: { ...rule, Description: 'new' } })
    await Promise.all(waits)
  }),
  test('auth-methods/orphaned-rule [D/auth-methods/checks] 400 field_invalid: an update would leave a rule with a name that is no longer mapped', async (ctx) => {
    const { method } = await aMethod(ctx)
    const rule = await aRule(ctx, method, { Selector: 'value.team == ops' })
    const path = `/acl/auth-method/${method.Name}`
    const body = { ...method, Config: { ...method.Config, ClaimMappings: { ref: 'ref' } } }
    const refusal = ['400 field_invalid Config', new RegExp(rule.ID)] as const
    await ctx.refuses('PUT', path, { body }, ...refusal)
    await ctx.ok('DELETE', `/acl/binding-rule/${rule.ID}`)
    await ctx.ok('PUT', path, { body })
  }),
  test('auth-methods/before-1.5 [D/auth-methods/gates, D/versions/gates] 404 endpoint_unknown before 1.5.0: auth methods, binding rules, login, logout', async (ctx) => {
    const absent = '404 endpoint_unknown'
    await ctx.refuses('GET', '/acl/auth-methods', {}, absent)
    await ctx.refuses('PUT', '/acl/auth-method', { body: {} }, absent)
    await ctx.refuses('GET', '/acl/binding-rules', {}, absent)
    await ctx.refuses('POST', '/acl/login', { body: {} }, absent)
    await ctx.refuses('POST', '/acl/logout', {}, absent)
  }).needing({ from: '1.4.0', before: '1.5.0' }),
  test('auth-methods/before-1.8 [D/auth-methods/gates, D/versions/gates] before 1.8.0 kubernetes is the only type; other types are 400 field_invalid', async (ctx) => {
    const { publicKey } = await aProvider(ctx)
    const body = { Name: ctx.unique('method'), Type: 'jwt', Config: { JWTValidationPubKeys: [publicKey] } }
    const text = 'Invalid Auth Method: Type should be one of: [kubernetes]'
    await ctx.refuses('PUT', '/acl/auth-method', { body }, '400 field_invalid Type', text)
    const method = await ctx.ok<AuthMethod>('PUT', '/acl/auth-method', { body: { ...body, ...kubernetes() } })
    const shown = await ctx.ok<AuthMethodListEntry[]>('GET', '/acl/auth-methods')
    assert(shown.some(({ Name }) => Name === method.Name))
  }).needing({ from: '1.5.0', before: '1.8.0' }),
  test('auth-methods/before-1.8.1 [D/auth-methods/gates, D/versions/gates] 1.8.0 adds jwt and lifetimes, which lists show from 1.10 on; it has no rules for nodes', async (ctx) => {
    const { method } = await aMethod(ctx, { MaxTokenTTL: '1h', TokenLocality: 'local' })
    const list = await ctx.ok<AuthMethodListEntry[]>('GET', '/acl/auth-methods')
    const entry = list.find(({ Name }) => Name === method.Name)
    assert.deepEqual(Object.keys(entry ?? {}), ['Name', 'Type', 'CreateIndex', 'ModifyIndex'])
    const body = { AuthMethod: method.Name, BindType: 'node', BindName: 'n1' }
    const text = 'Invalid Binding Rule: unknown BindType "node"'
    const refusal = ['400 field_invalid BindType', text] as const
    await ctx.refuses('PUT', '/acl/binding-rule', { body }, ...refusal)
    const unknown = { AuthMethod: ctx.unique('none'), BearerToken: 'a.b.c' }
    const reply = await ctx.call('POST', '/acl/login', { body: unknown, token: null })
    assert.deepEqual([reply.status, reply.text], [403, 'ACL not found'])
  }).needing({ from: '1.8.0', before: '1.8.1' }),
]
