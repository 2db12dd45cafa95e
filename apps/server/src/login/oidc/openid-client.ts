/** Logs people in through an OpenID provider: authorization code with PKCE. Decisions: login. */
import {
  authMethodKey,
  type Claims,
  hasMappedClaims,
  loginRefused,
  type OidcCallback,
  type OidcChallenge,
  type OidcClient,
  type OidcMethod,
  providerUnavailable,
  type Verification,
} from '@latchkey/acl'
import { BoundedMap } from '@latchkey/service'
import * as client from 'openid-client'
import { type Outgoing, OutgoingError } from '../../outgoing/outgoing.ts'
import { exchangeFailure, summaryOf, userinfoFailure } from './failures.ts'

/** Maximum number of methods whose discovery document and keys are cached. Those of other methods are fetched again. */
const PROVIDERS_MAX = 1_000
const PROVIDER_MS_MAX = 600_000
const REQUEST_SECONDS_MAX = 5
const ALGORITHMS_DEFAULT: readonly string[] = ['RS256']

/** A provider's discovery document, and the keys fetched since. */
interface Provider {
  readonly metadata: client.ServerMetadata
  readonly keys: client.ExportedJWKSCache | Record<string, never>
  readonly knownAt: number
}

export class OpenIdClient implements OidcClient {
  private readonly outgoing: Outgoing
  /** Providers by method and its ModifyIndex, so that a write of one method does not affect the others. */
  private readonly providers = new BoundedMap<string, Provider>(PROVIDERS_MAX)
  /** Discoveries in flight, by the same key. Concurrent logins share one. */
  private readonly asked = new Map<string, Promise<Provider>>()

  constructor(outgoing: Outgoing) {
    this.outgoing = outgoing
  }

  async authorizationUrl(
    method: OidcMethod,
    request: OidcChallenge & { readonly state: string },
    now: number,
  ): Promise<string> {
    const { OIDCScopes = [], OIDCACRValues = [], OIDCDiscoveryURL } = method.Config
    const provider = await this.provider(method, now)
    if (provider.metadata.issuer !== OIDCDiscoveryURL) throw loginRefused('issuer_invalid')
    const endpoint = URL.parse(provider.metadata.authorization_endpoint ?? '')
    // The browser is sent to this URL, so it must be https or have the scheme of the discovery URL.
    if (endpoint?.protocol !== 'https:' && endpoint?.protocol !== URL.parse(OIDCDiscoveryURL)?.protocol) {
      throw providerUnavailable(method.Name, 'the authorization endpoint is no https URL')
    }
    const url = client.buildAuthorizationUrl(this.configuration(method, provider, { now }), {
      redirect_uri: request.redirectUri,
      scope: [...new Set(['openid', ...OIDCScopes])].join(' '),
      state: request.state,
      nonce: request.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(request.pkceVerifier),
      code_challenge_method: 'S256',
      ...(OIDCACRValues.length === 0 ? {} : { acr_values: OIDCACRValues.join(' ') }),
    })
    return url.href
  }

  async exchange(method: OidcMethod, callback: OidcCallback, now: number): Promise<Verification> {
    const { BoundAudiences = [], OIDCDiscoveryURL } = method.Config
    const { issuer = OIDCDiscoveryURL, redirectUri } = callback
    if (issuer !== OIDCDiscoveryURL) return { outcome: 'refused', reason: 'issuer_invalid' }
    const provider = await this.provider(method, now)
    if (provider.metadata.issuer !== OIDCDiscoveryURL) return { outcome: 'refused', reason: 'issuer_invalid' }
    const configuration = this.configuration(method, provider, { now, redirectUri })
    const url = new URL(redirectUri)
    url.search = new URLSearchParams({ code: callback.code, iss: issuer }).toString()
    let claims: Claims | undefined
    let accessToken: string
    try {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        expectedNonce: callback.nonce,
        pkceCodeVerifier: callback.pkceVerifier,
        idTokenExpected: true,
      })
      claims = tokens.claims()
      accessToken = tokens.access_token
    } catch (error) {
      return exchangeFailure(error)
    }
    if (claims === undefined) return { outcome: 'refused', reason: 'token_malformed' }
    const audiences = [claims.aud].flat()
    if (BoundAudiences.length > 0 && !BoundAudiences.some((each) => audiences.includes(each))) {
      return { outcome: 'refused', reason: 'audience_unmatched' }
    }
    if (hasMappedClaims(method, claims) || provider.metadata.userinfo_endpoint === undefined) {
      return { outcome: 'verified', claims }
    }
    return withUserinfo(configuration, claims, accessToken)
  }

  private async provider(method: OidcMethod, now: number): Promise<Provider> {
    const key = `${authMethodKey(method)} ${method.Generation} ${method.ModifyIndex}`
    const known = this.providers.get(key)
    if (known !== undefined && now - known.knownAt < PROVIDER_MS_MAX) return known
    const asked = this.asked.get(key) ?? this.discover(method, now).finally(() => this.asked.delete(key))
    this.asked.set(key, asked)
    return this.providers.set(key, await asked, 1)
  }

  private async discover(method: OidcMethod, now: number): Promise<Provider> {
    const { OIDCDiscoveryURL, OIDCClientID, OIDCDiscoveryCACert: ca } = method.Config
    try {
      const configuration = await client.discovery(
        new URL(OIDCDiscoveryURL),
        OIDCClientID,
        undefined,
        undefined,
        {
          execute: [client.allowInsecureRequests],
          timeout: REQUEST_SECONDS_MAX,
          [client.customFetch]: providerFetch(this.outgoing, { ca }),
        },
      )
      return { metadata: configuration.serverMetadata(), keys: {}, knownAt: now }
    } catch (error) {
      // A document that names another issuer ends here too, because it is not the document of this provider.
      throw providerUnavailable(method.Name, summaryOf(error))
    }
  }

  /** The library's configuration for one login, which depends on its time and redirect URI. */
  private configuration(
    { Config }: OidcMethod,
    { metadata, keys }: Provider,
    { now, redirectUri }: { readonly now: number; readonly redirectUri?: string },
  ): client.Configuration {
    const { JWTSupportedAlgs = ALGORITHMS_DEFAULT, OIDCDiscoveryCACert: ca } = Config
    const configuration = new client.Configuration(
      // The method decides which algorithms are accepted, not the provider.
      { ...metadata, id_token_signing_alg_values_supported: [...JWTSupportedAlgs] },
      Config.OIDCClientID,
      { [client.clockSkew]: Math.round((now - Date.now()) / 1_000) },
      authentication(metadata, Config.OIDCClientSecret),
    )
    configuration.timeout = REQUEST_SECONDS_MAX
    configuration[client.customFetch] = providerFetch(this.outgoing, {
      ca,
      ...(redirectUri === undefined ? {} : { redirectUri }),
    })
    // `Outgoing` decides which URLs are allowed.
    client.allowInsecureRequests(configuration)
    // Verifies the signature although the ID token comes from the provider itself.
    client.enableNonRepudiationChecks(configuration)
    client.setJwksCache(configuration, keys as client.ExportedJWKSCache)
    return configuration
  }
}

/** How to send the secret. If the provider does not say, it goes in the header (OpenID Connect Discovery 3). */
function authentication(
  { token_endpoint_auth_methods_supported: supported }: client.ServerMetadata,
  secret: string,
): client.ClientAuth {
  return supported === undefined || supported.includes('client_secret_basic')
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret)
}

/** Adds claims that are missing from the ID token from userinfo, if it is about the same subject. Replaces none. */
async function withUserinfo(
  configuration: client.Configuration,
  claims: Claims,
  accessToken: string,
): Promise<Verification> {
  try {
    const userinfo = await client.fetchUserInfo(configuration, accessToken, String(claims.sub))
    return { outcome: 'verified', claims: { ...userinfo, ...claims } }
  } catch (error) {
    return userinfoFailure(error)
  }
}

const DISCOVERY_PATH = '/.well-known/openid-configuration'
const DISCOVERY_BYTES_MAX = 262_144
const ANSWER_BYTES_MAX = 1_048_576
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * The `fetch` of the library. Never follows redirects, because {@link Outgoing} does not. Passes its errors through.
 *
 * @param options.redirectUri sent exactly as given: the library would take it from a parsed URL, without its query.
 */
function providerFetch(
  outgoing: Outgoing,
  { ca, redirectUri }: { readonly ca: string | undefined; readonly redirectUri?: string },
): client.CustomFetch {
  return async (url, { body, headers, method }) => {
    if (body instanceof URLSearchParams && body.has('redirect_uri') && redirectUri !== undefined) {
      body.set('redirect_uri', redirectUri)
    }
    const answer = await outgoing.send({
      url,
      method,
      headers,
      ...(body === undefined || body === null ? {} : { body: textOf(body) }),
      ca,
      bytesMax: url.endsWith(DISCOVERY_PATH) ? DISCOVERY_BYTES_MAX : ANSWER_BYTES_MAX,
    })
    const { status, headers: answered } = answer
    // `Response` takes no other status.
    if (status < 200 || status > 599) throw new OutgoingError('status not 200', { status })
    const read = ['content-type', 'www-authenticate'].flatMap((name) => {
      const value = answered[name]
      return typeof value === 'string' ? [[name, value] as [string, string]] : []
    })
    return new Response(BODILESS.has(status) ? null : Buffer.from(answer.body), { status, headers: read })
  }
}

/** The library sends only these two kinds of body. */
function textOf(body: unknown): string {
  if (body instanceof URLSearchParams || typeof body === 'string') return body.toString()
  throw new TypeError('a request to an OpenID provider has a body of another kind')
}
