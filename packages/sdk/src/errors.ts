/** The errors of calls. Misuse is a `TypeError` instead, and an abort rejects with the reason of your signal. */
import type { AclErrorCode, EndpointName } from './contract.ts'
import { type AnswerMeta, NO_META } from './meta.ts'

/** Names the class of an error; unlike `instanceof` it also works across two copies of this package. */
export type ErrorKind =
  | 'permission_denied'
  | 'not_found'
  | 'conflict'
  | 'invalid'
  | 'legacy_mode'
  | 'unavailable'
  | 'timeout'
  | 'contract_broken'
  | 'login_failed'

/** A stable error code of the service. A newer service may send codes that this version of the SDK does not list. */
export type ErrorCode = AclErrorCode | (string & {})

/** A right that the caller lacked. */
export interface MissingRight {
  readonly resource: string
  readonly segment?: string
  readonly access: string
}

/** The contents of an error, without secrets. */
export interface ErrorFacts {
  readonly message: string
  readonly endpoint: EndpointName
  readonly status?: number | undefined
  readonly code?: ErrorCode | undefined
  readonly field?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly missing?: MissingRight | undefined
  readonly accessorId?: string | undefined
  readonly meta?: AnswerMeta | undefined
  readonly retryAfterMs?: number | undefined
  readonly maybeApplied?: boolean | undefined
  readonly recordId?: string | undefined
  readonly cause?: unknown
}

/** Base class of all SDK errors. Narrow by class, by `kind` or by `code`; messages may improve. */
export abstract class LatchkeyError extends Error {
  abstract readonly kind: ErrorKind
  /** The method that failed, such as `tokens.create`. */
  readonly endpoint: EndpointName
  /** HTTP status; `undefined` if no answer arrived. */
  readonly status: number | undefined
  /** The stable code; `undefined` if the service sent none, or no answer arrived. */
  readonly code: ErrorCode | undefined
  /** Identifies the request in the logs of the service. */
  readonly requestId: string | undefined
  /**
   * Whether a failed write may have been applied: no answer arrived, or the answer leaves it open. False for reads, and
   * for a refusal unless the outcome of an earlier attempt is unknown.
   */
  readonly maybeApplied: boolean
  /** With `maybeApplied`: the AccessorID that the token has if it was created. */
  readonly recordId: string | undefined

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.endpoint = facts.endpoint
    this.status = facts.status
    this.code = facts.code
    this.requestId = facts.meta?.requestId
    this.maybeApplied = facts.maybeApplied ?? false
    this.recordId = this.maybeApplied ? facts.recordId : undefined
  }

  /** Returns the fields of the error for a log, without stack and cause. */
  toJSON(): Record<string, unknown> {
    return { ...Object.fromEntries(Object.entries(this)), message: this.message }
  }
}

/** 401, 403: the token is absent, unknown or expired, or lacks the right. */
export class PermissionDenied extends LatchkeyError {
  override readonly name = 'PermissionDenied'
  readonly kind = 'permission_denied' as const
  /** The missing right; `undefined` if the secret itself was not accepted. */
  readonly missing: MissingRight | undefined
  /** The AccessorID of the token that lacked the right. */
  readonly accessorId: string | undefined

  constructor(facts: ErrorFacts) {
    super(facts)
    this.missing = facts.missing
    this.accessorId = facts.accessorId
  }
}

/** 404: the record does not exist. For an unknown path, the error is {@link Invalid}. */
export class NotFound extends LatchkeyError {
  override readonly name = 'NotFound'
  readonly kind = 'not_found' as const
  /** The index at which the record was absent. Pass it to a blocking query to wait for the record's creation. */
  readonly index: number | undefined
  readonly #meta: AnswerMeta

  constructor(facts: ErrorFacts) {
    super(facts)
    this.#meta = { ...NO_META, ...facts.meta }
    this.index = this.#meta.index
  }

  /** The facts from the headers of the answer. */
  get meta(): AnswerMeta {
    return this.#meta
  }
}

/** 409: an identifier or a name is already in use. */
export class Conflict extends LatchkeyError {
  override readonly name = 'Conflict'
  readonly kind = 'conflict' as const
  /** The field whose value is in use. */
  readonly field: string | undefined

  constructor(facts: ErrorFacts) {
    super(facts)
    this.field = facts.field
  }
}

/** 400 and similar: the request breaks a rule, or this version of the service does not support it. */
export class Invalid extends LatchkeyError {
  override readonly name = 'Invalid'
  readonly kind = 'invalid' as const
  /** Full path of the offending field, such as `Policies[0].ID`, or the name of a query option. */
  readonly field: string | undefined
  /** Line and column, from 1, in a rule text. */
  readonly line: number | undefined
  readonly column: number | undefined

  constructor(facts: ErrorFacts) {
    super(facts)
    this.field = facts.field
    this.line = facts.line
    this.column = facts.column
  }
}

/** 403: the service is still in legacy mode, in which the new ACL APIs do not work. Spec 9.2.1. */
export class LegacyMode extends LatchkeyError {
  override readonly name = 'LegacyMode'
  readonly kind = 'legacy_mode' as const
}

/** The service could not be reached (no status), or failed: 429 and 5xx. */
export class Unavailable extends LatchkeyError {
  override readonly name = 'Unavailable'
  readonly kind = 'unavailable' as const
  /** `Retry-After` in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(facts: ErrorFacts) {
    super(facts)
    this.retryAfterMs = facts.retryAfterMs
  }
}

/** No full answer arrived within `attemptTimeout` or `timeout`. */
export class Timeout extends LatchkeyError {
  override readonly name = 'Timeout'
  readonly kind = 'timeout' as const
}

/** The answer does not follow this API: a redirect, a web page, or a body of the wrong shape. */
export class ContractBroken extends LatchkeyError {
  override readonly name = 'ContractBroken'
  readonly kind = 'contract_broken' as const
}

/** Why a browser login failed before the SDK requested a token. */
export type LoginFailure =
  /** The user or the provider declined; see `providerError`. */
  | 'provider_refused'
  /** The browser returned from a login that did not begin here, or that is already over. */
  | 'state_unknown'
  /** The browser did not return in time. */
  | 'timed_out'
  /** Other programs listen on the ports of all redirect URIs. */
  | 'port_in_use'

/** A browser login ended without an authorization code. */
export class LoginFailed extends LatchkeyError {
  override readonly name = 'LoginFailed'
  readonly kind = 'login_failed' as const
  readonly reason: LoginFailure
  /** With `provider_refused`: the error code of the provider (RFC 6749 4.1.2.1), such as `access_denied`. */
  readonly providerError: string | undefined
  /** With `provider_refused`: the provider's description of the error, in any language. Plain text, not HTML. */
  readonly providerDescription: string | undefined

  constructor(
    reason: LoginFailure,
    message: string,
    provider: { readonly error?: string | undefined; readonly description?: string | undefined } = {},
  ) {
    super({ message, endpoint: 'login.callback' })
    this.reason = reason
    this.providerError = provider.error
    this.providerDescription = provider.description
  }
}
