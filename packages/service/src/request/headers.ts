/** Header families (decisions: header families) and the credential (spec 5). */
import { HEADER, HEADER_PREFIX_DEFAULT, HEADER_PREFIXES_DEFAULT } from '@latchkey/contract'

export const ANSWER_HEADERS = [
  ...(['index', 'knownLeader', 'lastContact', 'effectiveConsistency', 'queryBackend'] as const),
  ...(['resultsFiltered', 'defaultPolicy', 'nextCursor', 'contentHash', 'reason'] as const),
  ...(['translateAddresses', 'replicationLag'] as const),
] as const

export type AnswerHeader = (typeof ANSWER_HEADERS)[number]

/** Names of headers. Those of requests are in lower case, for look-ups. */
export interface HeaderFamily extends Readonly<Record<AnswerHeader, string>> {
  /** As configured, such as `X-Service-`. */
  readonly prefix: string
  readonly token: string
  readonly namespace: string
}

/** @param configured if empty, the first family of the contract. */
export function headerFamilies(
  configured: readonly string[] = HEADER_PREFIXES_DEFAULT,
): readonly HeaderFamily[] {
  const prefixes = configured.length > 0 ? configured : [HEADER_PREFIX_DEFAULT]
  return prefixes.map(familyOf)
}

function familyOf(prefix: string): HeaderFamily {
  const answers = Object.fromEntries(ANSWER_HEADERS.map((name) => [name, `${prefix}${HEADER[name]}`]))
  return {
    ...(answers as Record<AnswerHeader, string>),
    prefix,
    token: `${prefix}${HEADER.token}`.toLowerCase(),
    namespace: `${prefix}${HEADER.namespace}`.toLowerCase(),
  }
}

/**
 * The family that datacenters use among themselves, because each may configure others for its clients.
 * Decisions: header families.
 */
export const DATACENTER_FAMILY: HeaderFamily = familyOf(HEADER_PREFIX_DEFAULT)
const FORWARDED_HEADER = `${HEADER_PREFIX_DEFAULT}${HEADER.forwarded}`

/** How a request indicates that another datacenter sent it. */
export interface Forwarding {
  readonly from: string
  /** The primary for which a write is meant. Absent: the request names its datacenter in `dc`. */
  readonly primary?: string | undefined
}

/** `undefined` if a client sent the request. */
export function forwardingOf(request: HeaderSource): Forwarding | undefined {
  const text = request.header(FORWARDED_HEADER.toLowerCase())
  if (text === undefined) return undefined
  const [from = '', primary] = text.split(';')
  return { from, primary }
}

export function forwardedHeader({ from, primary }: Forwarding): Readonly<Record<string, string>> {
  return { [FORWARDED_HEADER]: primary === undefined ? from : `${from};${primary}` }
}

export type HeaderSource = { header(name: string): string | undefined }

/** The families of a reply: the one that the request uses, or all if it uses none. Decisions: header families. */
export function familiesOf(
  request: HeaderSource,
  families: readonly HeaderFamily[],
): readonly HeaderFamily[] {
  const used = families.find(
    ({ token, namespace }) => request.header(token) !== undefined || request.header(namespace) !== undefined,
  )
  return used ? [used] : families
}

interface Credential {
  readonly secretId: string | undefined
  /** Whether the secret was in the query string, which gets a warning. Decisions: authentication. */
  readonly inQuery: boolean
}

/**
 * The secret that a request presents: the first non-empty of `token` query parameter, token header of any family,
 * `Authorization: Bearer`. A wrong value never falls through to the next source. Spec 5.1; decisions: credentials.
 */
export function credentialOf(
  request: HeaderSource,
  query: URLSearchParams,
  families: readonly HeaderFamily[],
): Credential {
  const inQuery = query.get('token')
  if (inQuery) return { secretId: inQuery, inQuery: true }
  for (const family of families) {
    const value = request.header(family.token)?.trim()
    if (value) return { secretId: value, inQuery: false }
  }
  return { secretId: bearerOf(request.header('authorization')), inQuery: false }
}

/** The scheme in any case, at least one space, and the first word after it. */
function bearerOf(authorization: string | undefined): string | undefined {
  const [scheme = '', word] = authorization?.trim().split(/\s+/, 2) ?? []
  return scheme.toLowerCase() === 'bearer' ? word || undefined : undefined
}

/** The first non-empty namespace header of any family. */
export function namespaceHeaderOf(
  request: HeaderSource,
  families: readonly HeaderFamily[],
): { readonly name: string; readonly value: string } | undefined {
  for (const family of families) {
    const value = request.header(family.namespace)?.trim()
    if (value) return { name: `${family.prefix}${HEADER.namespace}`, value }
  }
  return undefined
}
