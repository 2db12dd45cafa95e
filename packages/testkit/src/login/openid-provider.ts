/** A real OpenID provider on loopback, and a browser that signs people in on its pages. */
import { createSign, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'

export const CLIENT_ID = 'latchkey'
export const CLIENT_SECRET = 'client-secret-of-latchkey'
export const REDIRECT_URI = 'https://ui.example/oidc/callback'
export const QUERY_REDIRECT_URI = 'https://ui.example/cb?tab=1'

type Json = Record<string, unknown>

export interface ProviderOptions {
  /** Whether the ID token contains the claims; otherwise only userinfo does. Default true. */
  readonly claimsInIdToken?: boolean
  /** Whether the discovery document announces `iss` in callbacks. Default true. */
  readonly advertisesIss?: boolean
  /** How clients send their secret. Default: in the header. */
  readonly secretIn?: 'client_secret_basic' | 'client_secret_post'
  /** Redirect URIs to accept besides the usual ones. */
  readonly redirectUris?: readonly string[]
}

export interface OpenIdProvider {
  readonly issuer: string
  /** Changes the answers of the endpoints `discovery`, `token` and `userinfo`. */
  readonly edits: Partial<Record<'discovery' | 'token' | 'userinfo', (body: Json) => Json>>
  /** Paths of the requests that it received. */
  readonly seen: string[]
  /** Signs claims with the provider's key. */
  sign(claims: Json): string
  /** Signs a person in at a login URL, and returns the parameters of the redirect back. */
  signIn(authUrl: string, login: string): Promise<URLSearchParams>
  close(): Promise<void>
}

/** The claims of a person, derived from the name: `alice` is in the team `alice-team`. */
function claimsOf(login: string): Json {
  return { sub: login, team: `${login}-team`, groups: ['staff', login] }
}

export async function startOpenIdProvider(options: ProviderOptions = {}): Promise<OpenIdProvider> {
  const {
    claimsInIdToken = true,
    advertisesIss = true,
    secretIn = 'client_secret_basic',
    redirectUris = [],
  } = options
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const configuration: Configuration = {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [REDIRECT_URI, QUERY_REDIRECT_URI, ...redirectUris],
        token_endpoint_auth_method: secretIn,
      },
    ],
    clientAuthMethods: [secretIn],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['test'] },
    pkce: { required: () => true },
    conformIdTokenClaims: !claimsInIdToken,
    claims: { openid: ['sub'], profile: ['team', 'groups'] },
    scopes: ['openid', 'profile'],
    findAccount: (_context, login) => ({
      accountId: login,
      claims: () => claimsOf(login) as { sub: string },
    }),
    features: { devInteractions: { enabled: true } },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  }
  const provider = new Provider(issuer, configuration)
  const edits: OpenIdProvider['edits'] = {}
  const seen: string[] = []
  provider.use(async (context, next) => {
    seen.push(context.path)
    await next()
    if (context.path.endsWith('/openid-configuration')) {
      context.body = {
        ...(context.body as Json),
        authorization_response_iss_parameter_supported: advertisesIss,
      }
    }
    const edit = edits[PLACES[context.path] ?? 'discovery']
    if (edit && context.path in PLACES) context.body = edit(context.body as Json)
  })
  server.on('request', provider.callback())
  return {
    issuer,
    edits,
    seen,
    sign: (claims) => {
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const text = `${encode({ alg: 'RS256', kid: 'k1' })}.${encode(claims)}`
      return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`
    },
    signIn,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

const PLACES: Readonly<Record<string, 'discovery' | 'token' | 'userinfo'>> = {
  '/.well-known/openid-configuration': 'discovery',
  '/token': 'token',
  '/me': 'userinfo',
}

/** The claims of an ID token, unverified. */
export function claimsIn(idToken: unknown): Json {
  return JSON.parse(Buffer.from(String(idToken).split('.')[1] ?? '', 'base64url').toString())
}

/** An upper bound of the pages for a login and a consent, including redirects. */
const PAGES_MAX = 20

/** Fills in the login and consent forms until the provider redirects the browser away. */
async function signIn(authUrl: string, login: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>()
  const { origin } = new URL(authUrl)
  let next: { readonly url: string; readonly form?: URLSearchParams } = { url: authUrl }
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const response = await fetch(next.url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(next.form ? { method: 'POST', body: next.form } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const text = await response.text()
    const location = response.headers.get('Location')
    if (location !== null) {
      const url = new URL(location, next.url)
      if (url.origin !== origin) return url.searchParams
      next = { url: url.href }
      continue
    }
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(text) ?? []
    if (action === undefined) throw new Error(`the provider answers ${response.status}: ${text}`)
    const form = new URLSearchParams({ login, password: 'any' })
    for (const [, name = '', value = ''] of text.matchAll(
      /<input type="hidden" name="(\w+)" value="([^"]*)"/g,
    )) {
      form.set(name, value)
    }
    next = { url: new URL(action.replaceAll('&amp;', '&'), next.url).href, form }
  }
  throw new Error('the pages of the provider do not end')
}
