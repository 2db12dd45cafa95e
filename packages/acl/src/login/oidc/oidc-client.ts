/** The port to OpenID providers, for all that needs a network. */
import type { AuthMethodRecord } from '../../records/login-records.ts'
import type { Verification } from '../verifier.ts'

export type OidcMethod = Extract<AuthMethodRecord, { readonly Type: 'oidc' }>

/** What ties the answers of a provider to one login. */
export interface OidcChallenge {
  readonly redirectUri: string
  /** The nonce that the ID token must have. */
  readonly nonce: string
  /** The verifier whose S256 challenge the authorization URL carries (RFC 7636). */
  readonly pkceVerifier: string
}

/** What the browser brought back from the provider. */
export interface OidcCallback extends OidcChallenge {
  readonly code: string
  /** RFC 9207; a client may leave it out, since a state is for one method alone. */
  readonly issuer: string | undefined
}

/** Times are in milliseconds since the epoch. */
export interface OidcClient {
  /**
   * The URL of the provider to which the browser goes.
   *
   * @throws AclError `login_refused` for a provider that claims to be another one, `provider_unavailable`.
   */
  authorizationUrl(
    method: OidcMethod,
    request: OidcChallenge & { readonly state: string },
    now: number,
  ): Promise<string>

  /** Exchanges a code, with the secret of the method, for the claims of who logged in. */
  exchange(method: OidcMethod, callback: OidcCallback, now: number): Promise<Verification>
}
