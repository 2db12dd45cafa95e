/**
 * Header names without the prefix of their family. A server accepts several families; a response uses the family of its
 * request, or all families if the request used none.
 */
export const HEADER = {
  token: 'Token',
  namespace: 'Namespace',
  index: 'Index',
  knownLeader: 'KnownLeader',
  lastContact: 'LastContact',
  effectiveConsistency: 'Effective-Consistency',
  queryBackend: 'Query-Backend',
  translateAddresses: 'Translate-Addresses',
  defaultPolicy: 'Default-ACL-Policy',
  resultsFiltered: 'Results-Filtered-By-ACLs',
  nextCursor: 'Next-Cursor',
  contentHash: 'ContentHash',
  reason: 'Reason',
  forwarded: 'Forwarded',
  replicationLag: 'Replication-Lag',
} as const

/** The first family of the spec. */
export const HEADER_PREFIX_DEFAULT = 'X-Service-'

/** The family of another implementation of this API, whose clients work unmodified. */
export const HEADER_PREFIX_REFERENCE = 'X-Consul-'

/** Whether a header prefix, in any case, is that of the clients of the reference. */
export function isReferenceFamily(prefix: string): boolean {
  return prefix.toLowerCase() === HEADER_PREFIX_REFERENCE.toLowerCase()
}

/** Header families that a server accepts by default. */
export const HEADER_PREFIXES_DEFAULT: readonly string[] = [HEADER_PREFIX_DEFAULT, HEADER_PREFIX_REFERENCE]

export const REQUEST_ID_HEADER = 'X-Request-Id'

const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** Whether the service adopts a client's request id: 1 to 64 letters, digits, `.`, `_` or `-`. */
export function isClientRequestId(id: string): boolean {
  return CLIENT_REQUEST_ID.test(id)
}

export const PROBLEM_JSON = 'application/problem+json'

/** A redacted SecretID. The service neither stores nor accepts it. Decisions: record shapes. */
export const REDACTED_SECRET_ID = '<hidden>'
