/** The port to identity providers, for everything that needs keys or a network. */
import type { AuthMethodConfiguration, AuthMethodRecord } from '../records/login-records.ts'
import { type LoginRefusal, loginRefused, providerUnavailable } from './login-refusal.ts'

/** Claims by name, as JSON. Names may be any text, so look them up only with `Object.hasOwn`. */
export type Claims = Readonly<Record<string, unknown>>

export type Verification =
  /** For a method of type kubernetes the claims are `namespace`, `name` and `uid` of the service account. */
  | { readonly outcome: 'verified'; readonly claims: Claims }
  | { readonly outcome: 'refused'; readonly reason: LoginRefusal; readonly cause?: unknown }
  /** The provider is unreachable, slow or sends invalid answers, and no known key matches. */
  | { readonly outcome: 'provider_unavailable'; readonly cause?: unknown }

export interface Verifier {
  /**
   * Verifies a credential: signature, issuer, audience and times. @param now in milliseconds since the epoch.
   */
  verify(method: AuthMethodRecord, bearer: string, now: number): Promise<Verification>

  /** Checks the keys and certificates of a method at its write and, with `fetch`, the answers of its URLs. */
  check(method: AuthMethodConfiguration, options: { readonly fetch: boolean }): Promise<void>
}

/** The claims of a verified credential. */
export function claimsOf(verification: Verification, methodName: string): Claims {
  switch (verification.outcome) {
    case 'verified':
      return verification.claims
    case 'refused':
      throw loginRefused(verification.reason, verification.cause)
    case 'provider_unavailable':
      throw providerUnavailable(methodName, verification.cause)
  }
}
