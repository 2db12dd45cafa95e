const RULE = { status: 400, reference: 500 } as const
const REFUSAL = { status: 403, reference: 500 } as const
const CONFLICT = { status: 409, reference: 500 } as const
const OUTAGE = { status: 503, reference: 500 } as const

/**
 * Every refusal with its HTTP statuses, its title and its source. `reference`: the status in the reference's dialect, if
 * another; routes say where they differ from it. No other file chooses a status. Decisions: dialects.
 */
export const ACL_ERRORS = {
  // 400: the request cannot be understood.
  body_malformed: { status: 400, title: 'The body is not valid JSON', source: 'spec 7; decisions: decoding' },
  body_required: { status: 400, title: 'A body is required', source: 'decisions: status codes' },
  field_unknown: { status: 400, title: 'Unknown field', source: 'spec 7, 9.3 (1.7.0)' },
  field_type: { status: 400, title: 'A field has the wrong type', source: 'spec 7; decisions: status codes' },
  query_invalid: { status: 400, title: 'A query option is not valid', source: 'decisions: blocking queries' },
  version_invalid: { status: 400, title: 'A service version is not valid', source: 'decisions: versions' },
  path_invalid: { status: 400, title: 'The path is not valid', source: 'decisions: status codes' },
  header_invalid: { status: 400, title: 'A header is not valid', source: 'decisions: namespaces' },
  namespace_unsupported: { status: 400, title: 'Namespaces need the extended edition', source: 'spec 4.9' },
  datacenter_unknown: { ...RULE, title: 'The datacenter is not known', source: 'decisions: datacenters' },
  // 400: the request breaks a rule.
  id_missing: { status: 400, title: 'An identifier is missing', source: 'spec 4.3, 4.5' },
  id_invalid: { ...RULE, title: 'An identifier is not a UUID', source: 'spec 2.1' },
  id_reserved: { ...RULE, title: 'An identifier is reserved', source: 'decisions: tokens' },
  accessor_mismatch: { status: 400, title: 'Path and body name different records', source: 'spec 4.5.1' },
  field_required: { ...RULE, title: 'A field is missing', source: 'spec 2.4, 2.5' },
  field_invalid: { ...RULE, title: 'The value of a field is not allowed', source: 'decisions: status codes' },
  field_too_long: { status: 400, title: 'A field is too long', source: 'spec 8; decisions: decoding' },
  field_immutable: { ...RULE, title: 'A field cannot be changed', source: 'spec 4.5' },
  local_mismatch: { ...RULE, title: 'Local cannot be changed', source: 'spec 4.5.4' },
  name_invalid: { ...RULE, title: 'A name breaks the name rule', source: 'spec 2.4, 2.5' },
  expiration_out_of_bounds: { ...RULE, title: 'The expiration is out of bounds', source: 'spec 4.2, 8' },
  expiration_conflict: {
    ...RULE,
    title: 'ExpirationTime and ExpirationTTL cannot be combined',
    source: 'spec 4.2',
  },
  link_unknown: { ...RULE, title: 'The target of a link does not exist', source: 'spec 2.2, 2.3' },
  selector_invalid: {
    ...RULE,
    title: 'A selector or bind name is not valid',
    source: 'decisions: auth methods',
  },
  filter_invalid: { ...RULE, title: 'A filter is not valid', source: 'decisions: filters' },
  filter_conflict: { ...RULE, title: 'Only one list filter at a time', source: 'spec 4.8' },
  rules_invalid: { ...RULE, title: 'The rules are not valid', source: 'decisions: rule language' },
  clone_refused: { ...RULE, title: 'The token cannot be cloned', source: 'spec 4.6; decisions: tokens' },
  delete_refused: { ...RULE, title: 'The record cannot be deleted', source: 'decisions: tokens' },
  builtin_immutable: {
    ...RULE,
    title: 'A built-in record cannot be changed this way',
    source: 'decisions: tokens',
  },
  legacy_token_immutable: { ...RULE, title: 'The legacy API cannot change this token', source: 'spec 9.2.4' },
  legacy_rules_missing: { ...RULE, title: 'The token has no legacy rules', source: 'spec 9.1' },
  batch_too_large: { status: 400, title: 'Too many items in one call', source: 'decisions: decoding' },
  snapshot_invalid: {
    ...RULE,
    title: 'The archive is damaged or not from this service',
    source: 'decisions: backup',
  },
  bootstrap_reset_invalid: { ...RULE, title: 'The bootstrap reset index is wrong', source: 'spec 9.2' },
  session_unknown: { ...RULE, title: 'There is no such session', source: 'decisions: sessions' },
  check_critical: { ...RULE, title: 'A check of the session is critical', source: 'decisions: sessions' },
  session_incompatible: {
    ...RULE,
    title: 'These service versions cannot exchange sessions',
    source: 'spec 9.3 (1.7.0)',
  },
  token_replication_off: {
    ...RULE,
    title: 'The datacenter does not replicate tokens',
    source: 'decisions: datacenters',
  },
  // 401, 403: the caller.
  acl_disabled: { status: 401, title: 'ACLs are switched off', source: 'spec 5' },
  privilege_missing: { status: 403, title: 'Permission denied', source: 'spec 4.1, 5' },
  caller_unknown: { status: 403, title: 'ACL not found', source: 'spec 5; decisions: status codes' },
  bootstrap_done: { status: 403, title: 'Bootstrap is no longer allowed', source: 'spec 9.2' },
  bootstrap_elsewhere: {
    status: 403,
    title: 'Bootstrap is only possible in the primary datacenter',
    source: 'decisions: bootstrap',
  },
  root_name_refused: { status: 403, title: 'A root name cannot be a secret', source: 'decisions: upgrade' },
  legacy_mode: { ...REFUSAL, title: 'The ACL system is in legacy mode', source: 'spec 7, 9.2.1' },
  auth_method_unknown: { status: 403, title: 'No such auth method', source: 'decisions: login' },
  login_refused: { ...REFUSAL, title: 'The credential was refused', source: 'decisions: login' },
  login_unbound: { status: 403, title: 'No binding rule applies to the login', source: 'decisions: login' },
  origin_foreign: {
    status: 403,
    title: 'Pages from another origin cannot write',
    source: 'decisions: hosts',
  },
  // 404 and above: the target, the method, the load.
  not_found: { status: 404, title: 'The record does not exist', source: 'decisions: status codes' },
  endpoint_unknown: { status: 404, title: 'No such endpoint', source: 'decisions: status codes' },
  method_not_allowed: { status: 405, title: 'Method not allowed', source: 'spec 9.4' },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    source: 'decisions: status codes',
  },
  id_in_use: { ...CONFLICT, title: 'An identifier is already in use', source: 'decisions: status codes' },
  name_in_use: { ...CONFLICT, title: 'A name is already in use', source: 'decisions: status codes' },
  intention_in_use: {
    ...CONFLICT,
    title: 'An intention with this source and destination exists',
    source: 'decisions: intentions',
  },
  intention_edited: {
    ...CONFLICT,
    title: 'The intentions were edited through config entries',
    source: 'spec 9.5.3; decisions: intentions',
  },
  replication_refused: {
    status: 409,
    title: 'The state of replication does not allow this',
    source: 'decisions: promotion',
  },
  primary_superseded: {
    status: 409,
    title: 'Another datacenter has replaced this one as primary',
    source: 'decisions: promotion',
  },
  snapshot_refused: { ...CONFLICT, title: 'The archive is not for this server', source: 'decisions: backup' },
  endpoint_removed: { status: 410, title: 'The endpoint was removed', source: 'spec 9.1' },
  body_too_large: { status: 413, title: 'The body is too large', source: 'decisions: status codes' },
  answer_too_large: { status: 413, title: 'The answer would be too large', source: 'decisions: bounds' },
  transaction_too_large: {
    status: 413,
    title: 'The transaction has too many operations, or shows too much',
    source: 'decisions: transactions',
  },
  url_too_long: {
    status: 414,
    title: 'The path with its query is too long',
    source: 'decisions: status codes',
  },
  host_not_allowed: { status: 421, title: 'The request is for another host', source: 'decisions: hosts' },
  too_many_connections: { status: 429, title: 'Too many connections', source: 'spec 8' },
  too_many_live_tokens: {
    status: 429,
    title: 'The auth method has reached its limit of live tokens',
    source: 'decisions: login limits',
  },
  too_many_logins: { status: 429, title: 'Too many logins', source: 'decisions: login' },
  internal: { status: 500, title: 'Internal error', source: 'decisions: status codes' },
  endpoint_not_built: {
    status: 501,
    title: 'The service does not implement this endpoint',
    source: 'spec 9.4',
  },
  provider_unavailable: {
    ...OUTAGE,
    title: 'The identity provider cannot be reached',
    source: 'decisions: login',
  },
  unavailable: { ...OUTAGE, title: 'The service cannot answer now', source: 'decisions: status codes' },
  database_full: { ...OUTAGE, title: 'The disk of the database is full', source: 'decisions: status codes' },
  database_read_only: {
    ...OUTAGE,
    title: 'The database accepts no writes',
    source: 'decisions: status codes',
  },
  database_overloaded: {
    ...OUTAGE,
    title: 'The database has too little left for another statement',
    source: 'decisions: status codes',
  },
  database_refused: {
    ...OUTAGE,
    title: 'The database refuses this server',
    source: 'decisions: status codes',
  },
  database_damaged: {
    ...OUTAGE,
    title: 'The database cannot read or write its files',
    source: 'decisions: status codes',
  },
  intentions_migrating: {
    ...OUTAGE,
    title: 'Intentions are read-only during their migration',
    source: 'spec 9.5.2; decisions: intentions',
  },
  copy_incomplete: {
    ...OUTAGE,
    title: 'Tokens of the primary datacenter are still being copied',
    source: 'decisions: datacenters',
  },
  datacenter_unreachable: {
    ...OUTAGE,
    title: 'The datacenter cannot be reached',
    source: 'decisions: datacenters',
  },
  datacenter_silent: {
    status: 504,
    reference: 500,
    title: 'The datacenter did not answer',
    source: 'decisions: datacenters',
  },
} as const satisfies Record<string, { status: number; reference?: number; title: string; source: string }>

/** A stable error code. Codes are never reused; messages may improve. */
export type AclErrorCode = keyof typeof ACL_ERRORS

/** Every code, in the order of the table. */
export const ACL_ERROR_CODES = Object.keys(ACL_ERRORS) as readonly AclErrorCode[]

/** Details of an {@link AclError}. */
export interface AclErrorDetails {
  /** Full path of the offending field, such as `Policies[0].Foo`, or the name of a query option or header. */
  readonly field?: string
  /** Accessor of the caller that lacks a right; never its secret. */
  readonly accessorId?: string
  /** The missing right. */
  readonly missing?: { readonly resource: string; readonly segment?: string; readonly access: string }
  /** Where JSON is not valid, in the words of the reference, and the character there. `undefined`: the text ends. */
  readonly syntax?: { readonly found: string | undefined; readonly where: string }
  /** Line and column, from 1, in a rule text or a JSON body. */
  readonly line?: number
  readonly column?: number
  /** Response headers of the refusal, such as `Allow` and `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  /** For the log; never sent to the client. */
  readonly cause?: unknown
}

/** A refusal: a code from {@link ACL_ERRORS} and a message for the caller. It never contains a secret. */
export class AclError extends Error {
  override readonly name = 'AclError'
  readonly code: AclErrorCode
  readonly details: AclErrorDetails

  constructor(code: AclErrorCode, message: string, details: AclErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.details = details
  }

  get status(): number {
    return ACL_ERRORS[this.code].status
  }
}

/** Codes of a database that does not serve requests, or of a server that cannot answer now. */
export const OUTAGE_CODES = [
  'unavailable',
  'database_full',
  'database_read_only',
  'database_overloaded',
  'database_refused',
  'database_damaged',
] as const satisfies readonly AclErrorCode[]

/** Whether a refusal has one of {@link OUTAGE_CODES}: the request itself was not at fault. */
export function isOutage(error: unknown): error is AclError {
  return error instanceof AclError && (OUTAGE_CODES as readonly AclErrorCode[]).includes(error.code)
}

/** Throws if an invariant does not hold, which ends the request with 500. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`)
}
