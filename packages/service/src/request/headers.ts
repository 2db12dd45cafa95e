/** Header families (design 7) and the credential (spec 5). */
import { HEADER, HEADER_PREFIXES_DEFAULT } from '@latchkey/contract'

export interface HeaderFamily {
  /** As configured, such as `X-Service-`. */
  readonly prefix: string
  /** Names in lower case, for look-ups. */
  readonly token: string
  readonly namespace: string
  /** Names for answers. */
  readonly index: string
  readonly knownLeader: string
  readonly lastContact: string
  readonly defaultPolicy: string
  readonly nextCursor: string
  readonly translateAddresses: string
}

export function headerFamilies(
  prefixes: readonly string[] = HEADER_PREFIXES_DEFAULT,
): readonly HeaderFamily[] {
  return prefixes.map((prefix) => ({
    prefix,
    token: `${prefix}${HEADER.token}`.toLowerCase(),
    namespace: `${prefix}${HEADER.namespace}`.toLowerCase(),
    index: `${prefix}${HEADER.index}`,
    knownLeader: `${prefix}${HEADER.knownLeader}`,
    lastContact: `${prefix}${HEADER.lastContact}`,
    defaultPolicy: `${prefix}${HEADER.defaultPolicy}`,
    nextCursor: `${prefix}${HEADER.nextCursor}`,
    translateAddresses: `${prefix}${HEADER.translateAddresses}`,
  }))
}

type HeaderSource = { header(name: string): string | undefined }

/** The family that the request uses; the first one where it uses none. */
export function familyOf(request: HeaderSource, families: readonly HeaderFamily[]): HeaderFamily {
  for (const family of families) {
    if (request.header(family.token) !== undefined || request.header(family.namespace) !== undefined)
      return family
  }
  return families[0] ?? headerFamilies()[0] ?? neverEmpty()
}

function neverEmpty(): never {
  throw new TypeError('at least one header family is needed')
}

export interface Credential {
  /** `undefined`: the request presents no token. */
  readonly secretId: string | undefined
  /** Whether it came in the query string, which is answered with a warning. Decisions: authentication. */
  readonly inQuery: boolean
}

/**
 * The secret that a request presents: the first non-empty of `token` query parameter, token header of any family,
 * `Authorization: Bearer`. A wrong value never falls through to the next source. Spec 5.1; reference 3.
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

/** The scheme in any case, at least one blank, and only the first word after it. */
function bearerOf(authorization: string | undefined): string | undefined {
  const [scheme = '', word] = authorization?.trim().split(/\s+/, 2) ?? []
  return scheme.toLowerCase() === 'bearer' ? word || undefined : undefined
}

/** The namespace header of any family, where it has a value. */
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
