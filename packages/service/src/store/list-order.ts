/** Order and filters of lists, shared by the stores. */
import type { TokenRecord } from '@latchkey/acl'
import { hasLegacyRights } from '@latchkey/acl'
import type { ListPosition, TokenFilter } from './store.ts'

type Place = Pick<TokenRecord, 'CreateIndex' | 'AccessorID'>

/**
 * Tokens are listed in order of creation: (CreateIndex, AccessorID). Spec 4.8 is silent. The reference sorts by secret, which
 * reveals the order of secrets and cannot be paged if secrets are encrypted.
 */
export function byListOrder(a: Place, b: Place): number {
  if (a.CreateIndex !== b.CreateIndex) return a.CreateIndex - b.CreateIndex
  return a.AccessorID < b.AccessorID ? -1 : a.AccessorID > b.AccessorID ? 1 : 0
}

/** A position without a tie sorts after all positions that differ only in the tie, in either order. */
export function comparePlaces(a: ListPosition, b: ListPosition): number {
  const order = byListOrder(
    { CreateIndex: a.createIndex, AccessorID: a.accessorId },
    { CreateIndex: b.createIndex, AccessorID: b.accessorId },
  )
  if (order !== 0 || a.tie === undefined || b.tie === undefined) return order
  return a.tie < b.tie ? -1 : a.tie > b.tie ? 1 : 0
}

export function matchesFilter(token: TokenRecord, filter: TokenFilter): boolean {
  if (filter.namespace !== undefined && token.Namespace !== filter.namespace) return false
  if (filter.policyId !== undefined && !token.Policies.some((link) => link.ID === filter.policyId))
    return false
  if (filter.roleId !== undefined && !token.Roles.some((link) => link.ID === filter.roleId)) return false
  if (filter.authMethod !== undefined && token.AuthMethod !== filter.authMethod) return false
  const { authMethodNamespace = token.AuthMethodNamespace } = filter
  if (token.AuthMethodNamespace !== authMethodNamespace) return false
  if (
    filter.serviceName !== undefined &&
    !token.ServiceIdentities.some((s) => s.ServiceName === filter.serviceName)
  ) {
    return false
  }
  if (filter.local !== undefined && token.Local !== filter.local) return false
  if (filter.legacy && token.Type === '' && token.Rules === '') return false
  if (filter.management && token.Type !== 'management') return false
  if (filter.legacyRights && !hasLegacyRights(token)) return false
  return !(filter.withoutAccessor && token.AccessorID !== '')
}

/** UTF-8 byte order. UTF-16 order differs only between surrogates and the end of the basic plane. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    const xIsSurrogate = x >= 0xd800 && x <= 0xdfff
    const yIsSurrogate = y >= 0xd800 && y <= 0xdfff
    if (xIsSurrogate !== yIsSurrogate) return xIsSurrogate ? 1 : -1
    return x - y
  }
  return a.length - b.length
}
