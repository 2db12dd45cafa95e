import type { OidcMethod } from '@latchkey/acl'
import { createClient, LoginFailed } from '@latchkey/sdk'
import { beginLogin, completeLogin } from '@latchkey/sdk/browser'
import { SeededRandom } from '@latchkey/testkit/random'
import { aMethod } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { IdentityProvider } from './identity-provider.ts'
import { createMockService } from './index.ts'

const REDIRECT_URI = 'https://ui.example/back?tab=1'
const CONFIG = {
  AllowedRedirectURIs: [REDIRECT_URI],
  OIDCDiscoveryURL: 'https://idp.example',
  OIDCClientID: 'client',
  OIDCClientSecret: 'a client secret',
  ListClaimMappings: { groups: 'groups' },
}

/** A mock service with a method, and a client that visits the provider as the test specifies. */
function aLogin() {
  const service = createMockService({
    edition: 'extended',
    seed: {
      authMethods: [{ Name: 'people', Type: 'oidc', MaxTokenTTL: '1h', Config: CONFIG }],
      bindingRules: [
        { AuthMethod: 'people', BindType: 'service', BindName: 'web', Selector: 'staff in list.groups' },
      ],
    },
  })
  const client = createClient({ address: service.baseUrl, fetch: service.fetch, env: false })
  const entries = new Map<string, string>()
  const store = {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => entries.set(key, value),
    removeItem: (key: string) => entries.delete(key),
  }
  return {
    service,
    async begin() {
      let authUrl = ''
      const navigate = (url: string) => {
        authUrl = url
      }
      await beginLogin(client, { method: 'people', redirectUri: REDIRECT_URI, store, navigate })
      return authUrl
    },
    complete: (url: string) => completeLogin(client, { store, url }),
  }
}

test('a test says who signs in, and the helpers of the SDK log that person in', async () => {
  const { service, begin, complete } = aLogin()
  const authUrl = await begin()
  expect(Object.fromEntries(new URL(authUrl).searchParams)).toMatchObject({
    response_type: 'code',
    client_id: 'client',
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  })
  const url = service.identityProvider.signIn(authUrl, { sub: 'alice', claims: { groups: ['staff'] } })
  expect(url).toMatch(/^https:\/\/ui\.example\/back\?tab=1&code=/)
  const session = await complete(url)
  expect(await session?.tokens.self()).toMatchObject({
    AuthMethod: 'people',
    ServiceIdentities: [{ ServiceName: 'web' }],
  })
  await expect(complete(url)).rejects.toThrow(LoginFailed)
})

test('a person whom no rule binds, and one who declines, get no token', async () => {
  const { service, begin, complete } = aLogin()
  const stranger = service.identityProvider.signIn(await begin(), { sub: 'mallory' })
  await expect(complete(stranger)).rejects.toMatchObject({ code: 'login_unbound' })
  const declined = service.identityProvider.decline(await begin())
  await expect(complete(declined)).rejects.toMatchObject({
    reason: 'provider_refused',
    providerError: 'access_denied',
  })
})

test('a URL of another provider, or of a login before a reset, is misuse', async () => {
  const { service, begin } = aLogin()
  const authUrl = await begin()
  service.reset()
  for (const url of [authUrl, 'https://idp.example/authorize?state=x', 'nonsense']) {
    expect(() => service.identityProvider.signIn(url)).toThrow(TypeError)
  }
})

test('a method that binds an audience takes codes for it alone', async () => {
  const provider = new IdentityProvider(new SeededRandom(1))
  const challenge = { redirectUri: REDIRECT_URI, nonce: 'nonce', pkceVerifier: 'verifier' }
  const outcomeFor = async (BoundAudiences: readonly string[], aud: string | string[]) => {
    const method: OidcMethod = { ...aMethod(), Type: 'oidc', Config: { ...CONFIG, BoundAudiences } }
    const authUrl = await provider.authorizationUrl(method, { ...challenge, state: 'state' })
    const url = new URL(provider.signIn(authUrl, { claims: { aud } }))
    const code = url.searchParams.get('code') ?? ''
    return (await provider.exchange(method, { ...challenge, issuer: undefined, code })).outcome
  }
  expect(await outcomeFor(['latchkey'], ['client', 'latchkey'])).toBe('verified')
  expect(await outcomeFor(['latchkey'], 'client')).toBe('refused')
  expect(await outcomeFor([], 'client')).toBe('verified')
})

test.each([
  ['code', 'x', 'code_refused'],
  ['redirectUri', `${REDIRECT_URI}&x`, 'code_refused'],
  ['pkceVerifier', 'x', 'code_refused'],
  ['nonce', 'x', 'nonce_invalid'],
  ['issuer', 'https://other.example', 'issuer_invalid'],
])('an exchange with another %s is refused; a refused code is used up', async (field, value, reason) => {
  const provider = new IdentityProvider(new SeededRandom(1))
  const method: OidcMethod = { ...aMethod(), Type: 'oidc', Config: CONFIG }
  const challenge = { redirectUri: REDIRECT_URI, nonce: 'nonce', pkceVerifier: 'verifier' }
  const signIn = async () => {
    const authUrl = await provider.authorizationUrl(method, { ...challenge, state: 'state' })
    return new URL(provider.signIn(authUrl, { sub: 'alice' })).searchParams.get('code') ?? ''
  }
  const good = { ...challenge, issuer: undefined, code: await signIn() }
  expect(await provider.exchange(method, { ...good, [field]: value })).toEqual({ outcome: 'refused', reason })
  const other = { ...method, Config: { ...CONFIG, OIDCClientID: 'other' } }
  const forOther = { ...good, code: await signIn() }
  expect(await provider.exchange(other, forOther)).toMatchObject({ reason: 'code_refused' })
  expect(await provider.exchange(method, forOther)).toMatchObject({ reason: 'code_refused' })
  expect(await provider.exchange(method, { ...good, code: await signIn() })).toMatchObject({
    outcome: 'verified',
    claims: { sub: 'alice', iss: CONFIG.OIDCDiscoveryURL, aud: CONFIG.OIDCClientID },
  })
})

test('refuses a misspelt field of a credential, such as a claim beside `claims`', () => {
  const credential: object = { sub: 'alice', claim: { groups: ['staff'] } }
  expect(() => createMockService().identityProvider.issue(credential)).toThrow('did you mean claims?')
})
