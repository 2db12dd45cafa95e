/** Why a login is refused. The list is fixed, so no answer reveals a token, a claim or an expected value. */
import { AclError } from '@latchkey/contract'

/** Every reason to refuse a login, with the text that follows `Permission denied: `. */
export const LOGIN_REFUSALS = {
  token_malformed: 'error parsing token',
  token_too_large: 'token is too large',
  algorithm_not_allowed: 'signature algorithm is not allowed',
  signature_unknown: 'no known key successfully validated the token signature',
  claims_malformed: 'claims of the token are malformed',
  issuer_invalid: 'invalid issuer claim (iss)',
  audience_unmatched: 'aud claim does not match any bound audience',
  audience_unbound: 'audience claim found in JWT but no audiences are bound',
  times_missing: 'no issue time, notbefore, or expiration time encoded in token',
  token_expired: 'token is expired (exp)',
  token_not_yet_valid: 'token not valid yet (nbf)',
  token_issued_in_future: 'token issued in the future (iat)',
  nonce_invalid: 'Invalid ID token nonce',
  state_invalid: 'Expired or missing OAuth state',
  client_nonce_invalid: 'Invalid client nonce',
  code_refused: 'Error exchanging oidc code',
  subject_changed: 'userinfo is about another subject',
  review_refused: 'lookup failed: service account jwt not valid',
  not_a_service_account: 'lookup failed: username returned is not a service account',
  claim_not_text: 'a claim could not be converted to a string',
  claim_not_list: 'a list claim could not be converted to a string list',
  claim_not_integer: 'a claim is a number that is not a safe integer',
  bind_name_service: 'computed "service" bind name for bind target is invalid',
  bind_name_node: 'computed "node" bind name for bind target is invalid',
  bind_name_role: 'computed "role" bind name for bind target is invalid',
  namespace_uncomputed: 'the namespace of the login could not be computed',
} as const satisfies Readonly<Record<string, string>>

export type LoginRefusal = keyof typeof LOGIN_REFUSALS

export function loginRefused(reason: LoginRefusal, cause?: unknown): AclError {
  return new AclError('login_refused', `Permission denied: ${LOGIN_REFUSALS[reason]}`, { cause })
}

const RETRY_AFTER_SECONDS = 5

export function providerUnavailable(methodName: string, cause?: unknown): AclError {
  return new AclError(
    'provider_unavailable',
    `Auth method ${JSON.stringify(methodName)}: its provider cannot be reached`,
    { cause, headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } },
  )
}
