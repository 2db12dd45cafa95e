/** Browser logins. Decisions: login. */
import assert from 'node:assert/strict'
import type { AuthMethod, Token } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import type { Context, Refusal } from '../../context.ts'
import type { Target } from '../../target.ts'
import { aMethod, aRule, OIDC_CONFIG } from './provider.ts'

const UNKNOWN_METHOD = '403 auth_method_unknown'

/** A method whose provider never gets a request. */
function anOidcMethod(ctx: Context): Promise<AuthMethod> {
  const body = { Name: ctx.unique('people'), Type: 'oidc', MaxTokenTTL: '1h', Config: OIDC_CONFIG }
  return ctx.ok<AuthMethod>('PUT', '/acl/auth-method?check=false', { body })
}

/** A login started at a method, with the provider of the target. */
interface Begun {
  readonly method: string
  readonly state: string
  signIn(login: string): Promise<{ readonly code: string; readonly iss: string | null }>
}

/** A method that trusts the target's provider and binds everyone to the service of their team. */
async function aTeamMethod(ctx: Context): Promise<string> {
  const { issuer, clientId, clientSecret, redirectUri } = providerOf(ctx.target)
  const Config = {
    AllowedRedirectURIs: [redirectUri],
    OIDCDiscoveryURL: issuer,
    OIDCClientID: clientId,
    OIDCClientSecret: clientSecret,
    OIDCScopes: ['profile'],
    ClaimMappings: { team: 'team' },
  }
  const body = { Name: ctx.unique('people'), Type: 'oidc', MaxTokenTTL: '1h', Config }
  const method = await ctx.ok<AuthMethod>('PUT', '/acl/auth-method', { body })
  await aRule(ctx, method, { BindName: '${value.team}' })
  return method.Name
}

async function begin(ctx: Context, method: string, fields: object = {}): Promise<Begun> {
  const { redirectUri, signIn } = providerOf(ctx.target)
  const body = { AuthMethod: method, RedirectURI: redirectUri, ...fields }
  const { AuthURL } = await ctx.ok<{ AuthURL: string }>('POST', '/acl/oidc/auth-url', { body, token: null })
  const state = new URL(AuthURL).searchParams.get('state') ?? ''
  return {
    method,
    state,
    async signIn(login) {
      const back = await signIn(AuthURL, login)
      assert.equal(back.get('state'), state)
      return { code: back.get('code') ?? '', iss: back.get('iss') }
    },
  }
}

function providerOf({ provider }: Target) {
  assert(provider, 'the case says needs: { provider: true }')
  return provider
}

function callbackOf({ method, state }: Begun, { code }: { readonly code: string }, fields: object = {}) {
  return { body: { AuthMethod: method, State: state, Code: code, ...fields }, token: null }
}

/** Requires that one callback is refused, which uses up its state. */
async function refusesOnce(ctx: Context, options: ReturnType<typeof callbackOf>, text: string) {
  const headers = { Accept: 'application/problem+json' }
  const reply = await ctx.call('POST', '/acl/oidc/callback', { ...options, headers })
  const { code, detail } = JSON.parse(reply.text)
  assert.deepEqual([reply.status, code, detail], [403, 'login_refused', `Permission denied: ${text}`])
}

const STATE_REFUSED = 'Expired or missing OAuth state'
const CODE_REFUSED = 'Error exchanging oidc code'

export const oidcCases: readonly Case[] = [
  test('oidc/auth-url-refused [D/login/request] 400: a browser login without method or redirect URI, with a URI that the method does not allow, or at a method of another type; 403 at an unknown method', async (ctx) => {
    const { Name } = await anOidcMethod(ctx)
    const [RedirectURI] = OIDC_CONFIG.AllowedRedirectURIs
    const good = { AuthMethod: Name, RedirectURI }
    const refuses = (fields: object, refusal: Refusal) =>
      ctx.refuses('POST', '/acl/oidc/auth-url', { body: { ...good, ...fields }, token: null }, refusal)
    for (const field of ['AuthMethod', 'RedirectURI']) {
      await refuses({ [field]: '' }, `400 field_required ${field}`)
    }
    const invalid = '400 field_invalid'
    for (const other of [
      'https://evil.example/oidc/callback',
      `${RedirectURI}/x`,
      'http://localhost.evil.example/oidc/callback',
      'http://localhost:8550@evil.example/oidc/callback',
    ]) {
      await refuses({ RedirectURI: other }, `${invalid} RedirectURI`)
    }
    const { method: jwt } = await aMethod(ctx)
    await refuses({ AuthMethod: jwt.Name }, `${invalid} AuthMethod`)
    await refuses({ AuthMethod: ctx.unique('none') }, UNKNOWN_METHOD)
  }).needing({ edition: 'extended' }),
  test('oidc/callback-refused [D/login/refused, D/login/request] 403: a callback with a state that was never issued, or for an unknown method; 400 without a field', async (ctx) => {
    const { Name } = await anOidcMethod(ctx)
    const refuses = (fields: object, refusal: Refusal, text?: string) => {
      const body = { AuthMethod: Name, State: crypto.randomUUID(), Code: 'code', ...fields }
      return ctx.refuses('POST', '/acl/oidc/callback', { body, token: null }, refusal, text)
    }
    // Existing clients send Meta, which only has an effect at the start of a login.
    for (const fields of [{}, { Meta: { a: 'b' } }])
      await refuses(fields, '403 login_refused', 'Permission denied: ')
    await refuses({ AuthMethod: ctx.unique('none') }, UNKNOWN_METHOD)
    for (const field of ['AuthMethod', 'State', 'Code']) {
      await refuses({ [field]: '' }, `400 field_required ${field}`)
    }
  }).needing({ edition: 'extended' }),
  test('oidc/login [D/login/token, D/login/request, D/login/logout] a person who signs in gets a token with what their claims bind, until MaxTokenTTL; each login creates another one, and a logout deletes it', async (ctx) => {
    const method = await aTeamMethod(ctx)
    const logIn = async (login: string, fields: object) => {
      const begun = await begin(ctx, method.toUpperCase(), fields)
      const { code, iss } = await begun.signIn(login)
      const options = callbackOf(begun, { code }, { ClientNonce: 'a nonce', ...(iss && { Iss: iss }) })
      return ctx.ok<Token>('POST', '/acl/oidc/callback', options)
    }
    const token = await logIn('alice', { ClientNonce: 'a nonce', Meta: { from: 'web' } })
    assert.equal(token.Description, 'token created via OIDC login: {"from":"web"}')
    assert.deepEqual(token.ServiceIdentities, [{ ServiceName: 'alice-team' }])
    assert.deepEqual([token.AuthMethod, token.Local], [method, true])
    assert.equal(Date.parse(token.ExpirationTime ?? '') - Date.parse(token.CreateTime), 3_600_000)
    const other = await logIn('bob', {})
    assert.deepEqual(other.ServiceIdentities, [{ ServiceName: 'bob-team' }])
    assert.equal(other.Description, 'token created via OIDC login')
    await ctx.ok('POST', '/acl/logout', { token: token.SecretID })
    await ctx.refuses('GET', '/acl/token/self', { token: token.SecretID }, '403 caller_unknown')
    await ctx.ok('GET', '/acl/token/self', { token: other.SecretID })
  }).needing({ edition: 'extended', provider: true }),
  test('oidc/state [D/login/refused] 403 login_refused: a state that a callback used up, successful or not, a state of another method, or one without its client nonce (ATTACK-45, ATTACK-46, ATTACK-47)', async (ctx) => {
    const method = await aTeamMethod(ctx)
    const another = await aTeamMethod(ctx)
    const begun = await begin(ctx, method)
    const ok = callbackOf(begun, await begun.signIn('alice'))
    await ctx.ok('POST', '/acl/oidc/callback', ok)
    await refusesOnce(ctx, ok, STATE_REFUSED)
    await refusesOnce(ctx, callbackOf(begun, await begun.signIn('alice')), STATE_REFUSED)
    const foreign = await begin(ctx, method)
    const back = await foreign.signIn('alice')
    await refusesOnce(ctx, callbackOf({ ...foreign, method: another }, back), STATE_REFUSED)
    await refusesOnce(ctx, callbackOf(foreign, back), STATE_REFUSED)
    for (const ClientNonce of ['another', '', undefined]) {
      const bound = await begin(ctx, method, { ClientNonce: 'a nonce' })
      const returned = await bound.signIn('alice')
      await refusesOnce(ctx, callbackOf(bound, returned, { ClientNonce }), 'Invalid client nonce')
      await refusesOnce(ctx, callbackOf(bound, returned, { ClientNonce: 'a nonce' }), STATE_REFUSED)
    }
    assert.equal((await ctx.ok<Token[]>('GET', `/acl/tokens?authmethod=${method}`)).length, 1)
  }).needing({ edition: 'extended', provider: true }),
  test('oidc/code [D/login/refused] 403 login_refused: a code that was never issued, that belongs to another login, or that comes from another issuer (ATTACK-50, ATTACK-52)', async (ctx) => {
    const method = await aTeamMethod(ctx)
    await refusesOnce(ctx, callbackOf(await begin(ctx, method), { code: 'invented' }), CODE_REFUSED)
    const stolen = await (await begin(ctx, method)).signIn('victim')
    await refusesOnce(ctx, callbackOf(await begin(ctx, method), stolen), CODE_REFUSED)
    const begun = await begin(ctx, method)
    const back = await begun.signIn('alice')
    const Iss = 'https://evil.example'
    await refusesOnce(ctx, callbackOf(begun, back, { Iss }), 'invalid issuer claim (iss)')
    assert.deepEqual(await ctx.ok('GET', `/acl/tokens?authmethod=${method}`), [])
  }).needing({ edition: 'extended', provider: true }),
  test('oidc/standard-edition [D/namespaces/standard] 404 endpoint_unknown: the standard edition has no browser logins', async (ctx) => {
    for (const path of ['/acl/oidc/auth-url', '/acl/oidc/callback']) {
      await ctx.refuses('POST', path, { body: {} }, '404 endpoint_unknown')
    }
  }).needing({ edition: 'standard' }),
]
