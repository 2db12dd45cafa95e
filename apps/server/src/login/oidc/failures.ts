import type { LoginRefusal, Verification } from '@latchkey/acl'
import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'
import { OutgoingError } from '../../outgoing/outgoing.ts'

type Failure = Exclude<Verification, { readonly outcome: 'verified' }>

const CLAIM_REFUSALS: ReadonlyMap<unknown, LoginRefusal> = new Map([
  ['nonce', 'nonce_invalid'],
  ['iss', 'issuer_invalid'],
  ['aud', 'audience_unmatched'],
  ['azp', 'audience_unmatched'],
])

/** Refusals by the library's error codes. All other codes mean that the provider's answer is unusable. */
const REFUSALS: ReadonlyMap<unknown, LoginRefusal> = new Map([
  ['OAUTH_JWT_TIMESTAMP_CHECK_FAILED', 'token_expired'],
  ['OAUTH_JWT_CLAIM_COMPARISON_FAILED', 'claims_malformed'],
  ['OAUTH_KEY_SELECTION_FAILED', 'signature_unknown'],
  ['OAUTH_INVALID_RESPONSE', 'token_malformed'],
  ['OAUTH_UNSUPPORTED_OPERATION', 'token_malformed'],
])

export function exchangeFailure(error: unknown): Failure {
  const cause = summaryOf(error)
  if (outgoingErrorIn(error)) return { outcome: 'provider_unavailable', cause }
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) {
    // The provider refuses the request because of the code, the secret or the redirect URI.
    const isRefusal = error.status >= 400 && error.status < 500 && error.status !== 429
    return isRefusal
      ? { outcome: 'refused', reason: 'code_refused', cause }
      : { outcome: 'provider_unavailable', cause }
  }
  if (!(error instanceof ClientError)) throw error
  const reason = CLAIM_REFUSALS.get(claimIn(error)) ?? REFUSALS.get(error.code)
  return reason === undefined
    ? { outcome: 'provider_unavailable', cause }
    : { outcome: 'refused', reason, cause }
}

/** What a failed userinfo request means: the claims are about another subject, or the provider is unusable. */
export function userinfoFailure(error: unknown): Failure {
  const cause = summaryOf(error)
  return error instanceof ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'
    ? { outcome: 'refused', reason: 'subject_changed', cause }
    : { outcome: 'provider_unavailable', cause }
}

/** A summary for the log, without the library's causes, which contain tokens and codes. */
export function summaryOf(error: unknown): string {
  const { failure } = outgoingErrorIn(error) ?? {}
  if (failure !== undefined) return failure
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return `${String(code)}: ${String(message)}`
}

function* causesOf(error: unknown): Generator<object> {
  for (let each = error; typeof each === 'object' && each !== null; ) {
    yield each
    each = 'cause' in each ? each.cause : undefined
  }
}

function outgoingErrorIn(error: unknown): OutgoingError | undefined {
  for (const cause of causesOf(error)) if (cause instanceof OutgoingError) return cause
  return undefined
}

function claimIn(error: unknown): unknown {
  for (const cause of causesOf(error)) if ('claim' in cause) return cause.claim
  return undefined
}
