/** The identity provider of a mock service: it signs in anyone whom the test names, and checks no password. */
import {
  type OidcCallback,
  type OidcChallenge,
  type OidcClient,
  type OidcMethod,
  pkceChallenge,
  type Random,
  unsignedToken,
  type Verification,
} from '@latchkey/acl'
import { refuseUnknownNames } from '@latchkey/contract'

/** The identity that logs in. */
export interface Credential {
  /** The subject: claim `sub`. */
  readonly sub?: string | undefined
  /** All other claims, as the provider would sign them. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}

/** What the provider stores about a login between its pages and the exchange of its code. */
interface Request {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly nonce: string
  readonly challenge: string
}

interface Grant extends Request {
  readonly claims: Readonly<Record<string, unknown>>
}

const CODE_BYTES = 16

export class IdentityProvider implements OidcClient {
  private readonly random: Random
  /** By state. */
  private readonly requests = new Map<string, Request>()
  /** By code. */
  private readonly grants = new Map<string, Grant>()

  constructor(random: Random) {
    this.random = random
  }

  /** @param now in milliseconds since the epoch. */
  issue(credential: Credential | undefined, now: number): string {
    return unsignedToken(claimsOf(credential), now)
  }

  signIn(authUrl: string, credential?: Credential): string {
    const { state, request } = this.requestOf(authUrl)
    const bytes = this.random.bytes(CODE_BYTES)
    const code = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const { issuer, clientId } = request
    this.grants.set(code, { ...request, claims: { iss: issuer, aud: clientId, ...claimsOf(credential) } })
    return withParameters(request.redirectUri, { code, state, iss: issuer })
  }

  decline(authUrl: string, error = 'access_denied'): string {
    const { state, request } = this.requestOf(authUrl)
    return withParameters(request.redirectUri, { error, state, iss: request.issuer })
  }

  /** Drops all logins. */
  reset(): void {
    this.requests.clear()
    this.grants.clear()
  }

  async authorizationUrl(
    { Config }: OidcMethod,
    { redirectUri, nonce, pkceVerifier, state }: OidcChallenge & { readonly state: string },
  ): Promise<string> {
    const { OIDCDiscoveryURL: issuer, OIDCClientID: clientId, OIDCScopes = [] } = Config
    const challenge = pkceChallenge(pkceVerifier)
    this.requests.set(state, { issuer, clientId, redirectUri, nonce, challenge })
    return withParameters(`${issuer.replace(/\/$/, '')}/authorize`, {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: ['openid', ...OIDCScopes].join(' '),
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
  }

  async exchange({ Config }: OidcMethod, callback: OidcCallback): Promise<Verification> {
    const { code, issuer = Config.OIDCDiscoveryURL, nonce, pkceVerifier, redirectUri } = callback
    if (issuer !== Config.OIDCDiscoveryURL) return { outcome: 'refused', reason: 'issuer_invalid' }
    const grant = this.grants.get(code)
    this.grants.delete(code)
    const isItsOwn =
      grant?.issuer === issuer &&
      grant.clientId === Config.OIDCClientID &&
      grant.redirectUri === redirectUri &&
      grant.challenge === pkceChallenge(pkceVerifier)
    if (!isItsOwn) return { outcome: 'refused', reason: 'code_refused' }
    if (grant.nonce !== nonce) return { outcome: 'refused', reason: 'nonce_invalid' }
    const { BoundAudiences = [] } = Config
    const audiences = [grant.claims.aud].flat()
    if (BoundAudiences.length > 0 && !BoundAudiences.some((each) => audiences.includes(each))) {
      return { outcome: 'refused', reason: 'audience_unmatched' }
    }
    return { outcome: 'verified', claims: grant.claims }
  }

  private requestOf(authUrl: string): { readonly state: string; readonly request: Request } {
    const state = URL.canParse(authUrl) ? new URL(authUrl).searchParams.get('state') : null
    const request = this.requests.get(state ?? '')
    if (state !== null && request) return { state, request }
    throw new TypeError('not the URL of a login that this mock service began since its last reset')
  }
}

function claimsOf(credential: Credential = {}): Readonly<Record<string, unknown>> {
  refuseUnknownNames('field of a credential', credential, ['sub', 'claims'])
  const { sub, claims = {} } = credential
  return sub === undefined ? claims : { sub, ...claims }
}

/** Keeps the URL exactly as it is, and appends to its query, if any. */
function withParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`
}
