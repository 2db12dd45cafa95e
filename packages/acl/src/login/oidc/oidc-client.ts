/** The port to OpenID providers, for everything that needs a network. */
import type { AuthMethodRecord } from '../../records/login-records.ts'
import type { Verification } from '../verifier.ts'

export type OidcMethod = Extract<AuthMethodRecord, { readonly Type: 'oidc' }>

/** The values that bind a provider's answers to one login. */
export interface OidcChallenge {
  readonly redirectUri: string
  /** The nonce that the ID token must have. */
  readonly nonce: string
  /** The verifier; the authorization URL contains its S256 challenge (RFC 7636). */
  readonly pkceVerifier: string
}

/** The parameters with which the browser returned from the provider. */
export interface OidcCallback extends OidcChallenge {
  readonly code: string
  /** RFC 9207; optional, because a state belongs to one method. */
  readonly issuer: string | undefined
}

/** Times are in milliseconds since the epoch. */
export interface OidcClient {
  /**
   * Builds the provider's URL for the browser.
   *
   * @throws AclError `login_refused` if the provider claims to be a different one, `provider_unavailable`.
   */
  authorizationUrl(
    method: OidcMethod,
    request: OidcChallenge & { readonly state: string },
    now: number,
  ): Promise<string>

  /** Exchanges a code, with the secret of the method, for the user's claims. */
  exchange(method: OidcMethod, callback: OidcCallback, now: number): Promise<Verification>
}
