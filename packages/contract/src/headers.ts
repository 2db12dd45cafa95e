/**
 * Header names. Each is `<family prefix><suffix>`; a server accepts several families (design 7), and a response
 * carries the family that the request used, or all where it used none.
 */
export const HEADER = {
  token: 'Token',
  namespace: 'Namespace',
  index: 'Index',
  knownLeader: 'KnownLeader',
  lastContact: 'LastContact',
  translateAddresses: 'Translate-Addresses',
  defaultPolicy: 'Default-ACL-Policy',
  resultsFiltered: 'Results-Filtered-By-ACLs',
  nextCursor: 'Next-Cursor',
} as const

/** The first family of the spec. */
export const HEADER_PREFIX_DEFAULT = 'X-Service-'

/** Families that a server accepts where nothing else is configured. */
export const HEADER_PREFIXES_DEFAULT: readonly string[] = [HEADER_PREFIX_DEFAULT, 'X-Consul-']

export const REQUEST_ID_HEADER = 'X-Request-Id'
export const PROBLEM_JSON = 'application/problem+json'

/** A redacted SecretID. Can never be stored, and never authenticates. Decisions: record shapes. */
export const REDACTED_SECRET_ID = '<hidden>'
