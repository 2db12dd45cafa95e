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

  test('in another namespace', async () => {
    await world.manage('PUT', '/namespace', { Name: 'team' })
    await makeMethod('people', { ns: 'team' })
    const body = await signedIn(await begin({ Namespace: 'team' }))
    expect((await post('callback', { ...body, Namespace: 'team' })).json).toMatchObject({ Namespace: 'team' })
  })
})

describe('attacks', () => {
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
})

describe('refusals', () => {
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
})
