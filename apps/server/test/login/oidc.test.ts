import { loginStateHash } from '@latchkey/acl'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  claimsIn,
  type OpenIdProvider,
  type ProviderOptions,
  QUERY_REDIRECT_URI,
  REDIRECT_URI,
  startOpenIdProvider,
} from '@latchkey/testkit/login/openid-provider'
import { startHostileServer } from '@latchkey/testkit/process/hostile-server'
import { aLoginState } from '@latchkey/testkit/records/record-builders'
import { aWorld, type Reply, type World } from '@latchkey/testkit/service/world'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { OpenIdClient } from '../../src/login/oidc/openid-client.ts'
import { Outgoing } from '../../src/outgoing/outgoing.ts'

let provider: OpenIdProvider
let world: World

/** Providers by their options. Tests share them, because creating a key takes longer than a login. */
const providers = new Map<string, OpenIdProvider>()

async function providerWith(options: ProviderOptions): Promise<OpenIdProvider> {
  const key = JSON.stringify(options)
  const known = providers.get(key) ?? (await startOpenIdProvider(options))
  providers.set(key, known)
  for (const place of ['discovery', 'token', 'userinfo'] as const) delete known.edits[place]
  known.seen.length = 0
  return known
}

async function start(options: ProviderOptions = {}, config: object = {}): Promise<void> {
  provider = await providerWith(options)
  world = await aWorld({
    edition: 'extended',
    // The provider uses the machine's clock.
    startAt: Date.now(),
    identity: { oidc: new OpenIdClient(new Outgoing({ allowHttp: true })) },
  })
  await makeMethod('people', { config })
}

async function makeMethod(
  Name: string,
  { config = {}, ns = 'default' }: { readonly config?: object; readonly ns?: string } = {},
) {
  await world.manage('PUT', `/acl/auth-method?ns=${ns}`, {
    Name,
    Type: 'oidc',
    MaxTokenTTL: '1h',
    Config: {
      OIDCDiscoveryURL: provider.issuer,
      OIDCClientID: CLIENT_ID,
      OIDCClientSecret: CLIENT_SECRET,
      OIDCScopes: ['profile'],
      AllowedRedirectURIs: [REDIRECT_URI, QUERY_REDIRECT_URI, 'http://localhost:8550/oidc/callback'],
      ClaimMappings: { team: 'team' },
      ListClaimMappings: { groups: 'groups' },
      ...config,
    },
  })
  await world.manage('PUT', `/acl/binding-rule?ns=${ns}`, {
    AuthMethod: Name,
    Selector: 'staff in list.groups',
    BindType: 'service',
    BindName: '${value.team}',
  })
}

beforeEach(() => start())
afterAll(() => Promise.all([...providers.values()].map((each) => each.close())))

function post(path: string, body: object): Promise<Reply> {
  return world.ask('POST', `/acl/oidc/${path}`, { body })
}

interface Begun {
  readonly state: string
  readonly url: string
}

async function begin(body: object = {}): Promise<Begun> {
  const reply = await post('auth-url', { AuthMethod: 'people', RedirectURI: REDIRECT_URI, ...body })
  expect(reply.text).toContain('AuthURL')
  const { AuthURL: url } = reply.json as { AuthURL: string }
  return { url, state: new URL(url).searchParams.get('state') ?? '' }
}

/** Signs a person in, and returns what the client then sends. */
async function signedIn(begun: Begun, login = 'alice') {
  const returned = await provider.signIn(begun.url, login)
  expect(returned.get('state')).toBe(begun.state)
  return { AuthMethod: 'people', State: begun.state, Code: returned.get('code') ?? '' }
}

async function logIn(body: object = {}): Promise<Reply> {
  return post('callback', await signedIn(await begin(body)))
}

async function tokensMade(): Promise<number> {
  return world.store.countTokens({ authMethod: 'people' })
}

async function refused(reply: Reply | Promise<Reply>, text: string): Promise<void> {
  const { status, text: answered } = await reply
  expect({ status, answered }).toEqual({ status: 403, answered: expect.stringContaining(text) })
  expect(await tokensMade()).toBe(0)
}

describe('a login', () => {
  test('gives the token that the claims of the ID token bind', async () => {
    const reply = await logIn({ AuthMethod: 'PEOPLE', Meta: { from: 'cli' } })
    expect(reply.json).toMatchObject({
      Description: 'token created via OIDC login: {"from":"cli"}',
      ServiceIdentities: [{ ServiceName: 'alice-team' }],
      AuthMethod: 'people',
      Local: true,
      Namespace: 'default',
      ExpirationTime: expect.any(String),
    })
    // Userinfo is not requested for claims that the ID token has.
    expect(provider.seen).not.toContain('/me')
  })

  test('asks userinfo for claims that the ID token lacks', async () => {
    await start({ claimsInIdToken: false })
    expect((await logIn()).json).toMatchObject({ ServiceIdentities: [{ ServiceName: 'alice-team' }] })
    expect(provider.seen.filter((path) => path === '/me')).toHaveLength(1)
  })

  test('sends PKCE by S256, state, nonce and scopes; discovery is requested once', async () => {
    const [{ url }] = [await begin(), await begin()]
    const sent = Object.fromEntries(new URL(url).searchParams)
    expect(sent).toEqual({
      client_id: CLIENT_ID,
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'openid profile',
      state: expect.stringMatching(/^[0-9a-f]{64}$/),
      nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(provider.seen).toEqual(['/.well-known/openid-configuration'])
  })

  test('concurrent logins share one discovery', async () => {
    await Promise.all([begin(), begin(), begin()])
    expect(provider.seen).toEqual(['/.well-known/openid-configuration'])
  })

  test('requests an authentication context class', async () => {
    await start({}, { OIDCACRValues: ['high', 'low'] })
    expect(new URL((await begin()).url).searchParams.get('acr_values')).toBe('high low')
  })

  test.each<ProviderOptions>([{ advertisesIss: false }, { secretIn: 'client_secret_post' }])(
    'at a provider with %j',
    async (options) => {
      await start(options)
      expect((await logIn()).status).toBe(200)
    },
  )

  test('with a redirect URI that has a query, which the provider gets unchanged', async () => {
    expect((await logIn({ RedirectURI: QUERY_REDIRECT_URI })).status).toBe(200)
  })

  test('with the right Iss and ClientNonce', async () => {
    const body = await signedIn(await begin({ ClientNonce: 'n' }))
    const reply = await post('callback', { ...body, ClientNonce: 'n', Iss: provider.issuer })
    expect(reply.status).toBe(200)
  })

  test('in another namespace', async () => {
    await world.manage('PUT', '/namespace', { Name: 'team' })
    await makeMethod('people', { ns: 'team' })
    const body = await signedIn(await begin({ Namespace: 'team' }))
    expect((await post('callback', { ...body, Namespace: 'team' })).json).toMatchObject({ Namespace: 'team' })
  })
})

describe('attacks', () => {
  test('ATT-44: login at a method of another namespace, with the namespace left out', async () => {
    await world.manage('PUT', '/namespace', { Name: 'team' })
    await makeMethod('others', { ns: 'team' })
    await refused(post('auth-url', { AuthMethod: 'others', RedirectURI: REDIRECT_URI }), 'ACL not found')
    await refused(post('callback', { AuthMethod: 'others', State: 's', Code: 'c' }), 'ACL not found')
  })

  test('RACE-01: ATT-45: state used fifty times at once', async () => {
    const body = await signedIn(await begin())
    const replies = await Promise.all(Array.from({ length: 50 }, () => post('callback', body)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(403)])
    expect(replies.filter(({ text }) => text.includes('Expired or missing OAuth state'))).toHaveLength(49)
    expect(provider.seen.filter((path) => path === '/token')).toHaveLength(1)
    expect(await tokensMade()).toBe(1)
  })

  test('ATT-46: state older than ten minutes', async () => {
    const begun = await begin()
    const body = await signedIn(begun)
    const inTime = await signedIn(await begin())
    const began = world.clock.now()
    world.clock.set(began + 600_000)
    await refused(post('callback', body), 'Expired or missing OAuth state')
    world.clock.set(began + 599_999)
    // The provider's tokens live for at least ten minutes by its own clock.
    expect((await post('callback', inTime)).status).toBe(200)
  })

  test('ATT-46: state of another method, of another namespace, of a deleted method, invented', async () => {
    await world.manage('PUT', '/namespace', { Name: 'team' })
    await makeMethod('people', { ns: 'team' })
    await makeMethod('others')
    for (const wrong of [{ AuthMethod: 'others' }, { Namespace: 'team' }, { State: 'invented' }]) {
      const body = await signedIn(await begin())
      await refused(post('callback', { ...body, ...wrong }), 'Expired or missing OAuth state')
    }
    const body = await signedIn(await begin())
    await world.manage('DELETE', '/acl/auth-method/people')
    await makeMethod('people')
    await refused(post('callback', body), 'Expired or missing OAuth state')
  })

  test('ATT-47: callback without or with another ClientNonce', async () => {
    for (const wrong of [{}, { ClientNonce: '' }, { ClientNonce: 'other' }]) {
      const body = await signedIn(await begin({ ClientNonce: 'n' }))
      await refused(post('callback', { ...body, ...wrong }), 'Invalid client nonce')
      const again = post('callback', { ...body, ClientNonce: 'n' })
      await refused(again, 'Expired or missing OAuth state')
    }
  })

  test.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>, string]>([
    ['with another nonce', (claims) => ({ ...claims, nonce: 'other' }), 'Invalid ID token nonce'],
    ['without a nonce', ({ nonce: _, ...claims }) => claims, 'Permission denied'],
    ['for another client', (claims) => ({ ...claims, aud: 'other' }), 'aud claim'],
    [
      'for several clients, issued to another',
      (claims) => ({ ...claims, aud: [CLIENT_ID, 'other'], azp: 'other' }),
      'aud claim',
    ],
    ['from another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' }), 'invalid issuer'],
    ['that has expired', (claims) => ({ ...claims, exp: 1_000 }), 'token is expired'],
  ])('ATT-48: ID token %s', async (_title, change, text) => {
    provider.edits.token = (body) => ({ ...body, id_token: provider.sign(change(claimsIn(body.id_token))) })
    await refused(logIn(), text)
    // The control: the same token unchanged.
    provider.edits.token = (body) => ({ ...body, id_token: provider.sign(claimsIn(body.id_token)) })
    expect((await logIn()).status).toBe(200)
  })

  test('ATT-48: ID token signed with another key, without a signature, or missing', async () => {
    const stranger = await providerWith({ advertisesIss: false })
    const signedBy = (header: string, signature: string) => (body: Record<string, unknown>) => ({
      ...body,
      id_token: `${header}.${String(body.id_token).split('.')[1]}.${signature}`,
    })
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const edits = [
      (body: Record<string, unknown>) => ({ ...body, id_token: stranger.sign(claimsIn(body.id_token)) }),
      signedBy(none, ''),
      ({ id_token: _, ...body }: Record<string, unknown>) => body,
    ]
    for (const edit of edits) {
      provider.edits.token = edit
      await refused(logIn(), 'Permission denied: ')
    }
  })

  test('ATT-48: ID token with an algorithm or audience that the method does not list', async () => {
    await start({}, { JWTSupportedAlgs: ['ES256'] })
    await refused(logIn(), 'error parsing token')
    await start({}, { BoundAudiences: ['other'] })
    await refused(logIn(), 'aud claim does not match')
    await start({}, { BoundAudiences: ['other', CLIENT_ID], JWTSupportedAlgs: ['ES256', 'RS256'] })
    expect((await logIn()).status).toBe(200)
  })

  test.each([
    `${REDIRECT_URI}/`,
    `${REDIRECT_URI}?x=1`,
    'https://ui.example.evil/oidc/callback',
    'http://localhost.evil:8550/oidc/callback',
    'http://localhost:8550@evil/oidc/callback',
    'javascript:alert(1)',
  ])('ATT-49: redirect URI %s', async (RedirectURI) => {
    const reply = await post('auth-url', { AuthMethod: 'people', RedirectURI })
    expect([reply.status, reply.code]).toEqual([400, 'field_invalid'])
    expect(provider.seen).toEqual([])
  })

  test("ATT-50: code of another user's session with one's own state", async () => {
    const victim = await signedIn(await begin(), 'victim')
    const { state } = await begin()
    await refused(post('callback', { ...victim, State: state }), 'Error exchanging oidc code')
  })

  test('ATT-51: userinfo about another subject', async () => {
    await start({ claimsInIdToken: false })
    provider.edits.userinfo = (body) => ({ ...body, sub: 'mallory' })
    await refused(logIn(), 'userinfo is about another subject')
  })

  test('ATT-51: userinfo that overrides claims of the ID token', async () => {
    provider.edits.token = (body) => {
      const { team: _, ...claims } = claimsIn(body.id_token)
      return { ...body, id_token: provider.sign({ ...claims, groups: ['guests'] }) }
    }
    provider.edits.userinfo = (body) => ({ ...body, groups: ['staff'] })
    await refused(logIn(), 'Permission denied')
    expect(provider.seen).toContain('/me')
  })

  test('ATT-52: Iss of another issuer', async () => {
    for (const Iss of ['https://evil.example', `${provider.issuer}/`, '']) {
      const body = await signedIn(await begin())
      await refused(post('callback', { ...body, Iss }), 'invalid issuer')
    }
    expect(provider.seen).not.toContain('/token')
  })
})

describe('refusals', () => {
  test('a code that the provider does not know', async () => {
    const { state } = await begin()
    await refused(
      post('callback', { AuthMethod: 'people', State: state, Code: 'x' }),
      'Error exchanging oidc code',
    )
  })

  test.each(['AuthMethod', 'RedirectURI'])('auth-url without %s', async (field) => {
    const body = { AuthMethod: 'people', RedirectURI: REDIRECT_URI, [field]: '' }
    expect((await post('auth-url', body)).code).toBe('field_required')
  })

  test.each(['AuthMethod', 'State', 'Code'])('callback without %s', async (field) => {
    const body = { AuthMethod: 'people', State: 's', Code: 'c', [field]: '' }
    expect((await post('callback', body)).code).toBe('field_required')
  })

  test('a method of another type', async () => {
    const Config = { JWKSURL: 'https://idp.example/keys' }
    await world.manage('PUT', '/acl/auth-method', { Name: 'ci', Type: 'jwt', Config })
    const reply = await post('auth-url', { AuthMethod: 'ci', RedirectURI: REDIRECT_URI })
    expect([reply.code, reply.text]).toEqual([
      'field_invalid',
      expect.stringContaining('GetAuthCodeURL is incompatible with type "jwt"'),
    ])
  })

  test('Meta too long for the description: before the person signs in', async () => {
    const Meta = { text: '<'.repeat(1_000) }
    const reply = await post('auth-url', { AuthMethod: 'people', RedirectURI: REDIRECT_URI, Meta })
    expect(reply.code).toBe('field_too_long')
  })

  test('10,000 logins of one method that wait for a browser', async () => {
    const generation = world.store.directory().authMethod('default', 'people')?.Generation ?? 0
    const now = world.clock.now()
    const bound = { openMax: Number.POSITIVE_INFINITY, now }
    const states = Array.from({ length: 9_999 }, (_, i) =>
      aLoginState({ generation, expiresAt: now + 1, stateHash: loginStateHash(String(i)) }),
    )
    for (const state of states) await world.store.loginStates.put(state, bound)
    await begin()
    const reply = await post('auth-url', { AuthMethod: 'people', RedirectURI: REDIRECT_URI })
    expect([reply.status, reply.code, reply.headers['Retry-After']]).toEqual([429, 'too_many_logins', '60'])
    await world.clock.advance(1)
    await begin()
  })

  test('a provider that is unreachable, answers nonsense, or names another issuer', async () => {
    const outcome = async (reply: Reply | Promise<Reply>) => {
      const { status, code, text } = await reply
      expect(text).not.toContain(provider.issuer)
      return [status, code]
    }
    const away = [503, 'provider_unavailable']
    const body = await signedIn(await begin())
    provider.edits.token = () => ({ nonsense: true })
    expect((await post('callback', body)).status).not.toBe(500)
    provider.edits.discovery = (document) => ({ ...document, issuer: 'https://other.example' })
    await makeMethod('people', { config: { OIDCScopes: [] } })
    const ask = () => outcome(post('auth-url', { AuthMethod: 'people', RedirectURI: REDIRECT_URI }))
    expect(await ask()).toEqual(away)
    provider.edits.discovery = (document) => ({ ...document, issuer: `${provider.issuer}/` })
    expect(await ask()).toEqual([403, 'login_refused'])
    await makeMethod('people')
    provider.edits.discovery = (document) => ({ ...document, authorization_endpoint: 'javascript:alert(1)' })
    expect(await ask()).toEqual(away)
    delete provider.edits.discovery
    const [port, closed] = ['http://127.0.0.1:1', 'closed']
    await makeMethod(closed, { config: { OIDCDiscoveryURL: port } })
    expect(await outcome(post('auth-url', { AuthMethod: closed, RedirectURI: REDIRECT_URI }))).toEqual(away)
    for (const status of ['101 Switching Protocols', '999 X']) {
      const head = `HTTP/1.1 ${status}\r\nUpgrade: x\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n`
      const hostile = await startHostileServer((socket) => socket.write(head))
      onTestFinished(() => hostile.close())
      await makeMethod('odd', { config: { OIDCDiscoveryURL: `http://127.0.0.1:${hostile.port}` } })
      expect(await outcome(post('auth-url', { AuthMethod: 'odd', RedirectURI: REDIRECT_URI }))).toEqual(away)
    }
  })

  test('without the development flag, no provider is requested over plain HTTP', async () => {
    const identity = { oidc: new OpenIdClient(new Outgoing({ allowHttp: false })) }
    const strict = await aWorld({ edition: 'extended', twinOf: world, identity })
    const body = { AuthMethod: 'people', RedirectURI: REDIRECT_URI }
    const reply = await strict.ask('POST', '/acl/oidc/auth-url', { body })
    expect([reply.status, provider.seen]).toEqual([503, []])
  })

  test('the standard edition, versions before 1.8.0, and servers without access to providers', async () => {
    const asked = async (options: Parameters<typeof aWorld>[0]) => {
      const other = await aWorld({ ...options, twinOf: world })
      return (await other.ask('POST', '/acl/oidc/auth-url', { body: {} })).status
    }
    expect(await asked({ edition: 'standard' })).toBe(404)
    expect(await asked({ edition: 'extended', version: '1.7.4' })).toBe(404)
    const without = await aWorld({ edition: 'extended', twinOf: world })
    const body = { AuthMethod: 'people', RedirectURI: REDIRECT_URI }
    expect((await without.ask('POST', '/acl/oidc/auth-url', { body })).code).toBe('endpoint_not_built')
  })
})
