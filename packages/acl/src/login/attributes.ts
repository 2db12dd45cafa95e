/** The attributes that a method's selectors and bind names may use. Decisions: auth methods. */
import { attributeName } from '../filter/selector.ts'
import type { AuthMethodConfiguration } from '../records/login-records.ts'

/** The kind `map` is `value` or `list` as a whole. */
type AttributeKind = 'text' | 'list' | 'map'

/** Attributes by their names, such as `value.team`. */
export type Attributes = ReadonlyMap<string, AttributeKind>

/** Claims of a login by attribute name. Claims that the credential lacks are absent from the maps. */
export interface MappedClaims {
  readonly texts: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly string[]>
}

/** Attributes of a service account, and the claims of its token review from which they come. */
export const KUBERNETES_CLAIMS: Readonly<Record<string, string>> = {
  'serviceaccount.namespace': 'namespace',
  'serviceaccount.name': 'name',
  'serviceaccount.uid': 'uid',
}

export function attributesOf(method: AuthMethodConfiguration): Attributes {
  const attributes = new Map<string, AttributeKind>()
  if (method.Type === 'kubernetes') {
    for (const name of Object.keys(KUBERNETES_CLAIMS)) attributes.set(name, 'text')
    return attributes
  }
  const { ClaimMappings = {}, ListClaimMappings = {} } = method.Config
  for (const name of Object.values(ClaimMappings)) attributes.set(attributeName(['value', name]), 'text')
  for (const name of Object.values(ListClaimMappings)) attributes.set(attributeName(['list', name]), 'list')
  attributes.set('value', 'map')
  attributes.set('list', 'map')
  return attributes
}

/**
 * Lists the attributes of some kinds, for a message.
 *
 * @param print formats a name; by default, as in bind names.
 */
export function namesOf(
  attributes: Attributes,
  kinds: readonly AttributeKind[],
  print = (name: string) => name,
): string {
  const names = [...attributes].flatMap(([name, kind]) => (kinds.includes(kind) ? [print(name)] : [])).sort()
  return names.length === 0 ? 'no claims' : names.join(', ')
}
