/** The attributes that a method's selectors and bind names may use, and the claims of a login. Decisions: auth methods. */
import { attributeName } from '../filter/selector.ts'
import type { AuthMethodConfiguration } from '../records/login-records.ts'
import type { LoginRefusal } from './login-refusal.ts'
import type { Claims } from './verifier.ts'

/** The kind `map` is `value` or `list` as a whole. */
type AttributeKind = 'text' | 'list' | 'map'

export type Attributes = ReadonlyMap<string, AttributeKind>

/** Claims of a login by attribute name. Claims that the credential lacks are absent from the maps. */
export interface MappedClaims {
  readonly texts: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly string[]>
}

/** A claim that cannot be mapped. The login is refused. */
export interface ClaimFault {
  readonly reason: LoginRefusal
  readonly claim: string
}

interface Mapping {
  readonly claim: string
  readonly attribute: string
  readonly kind: 'text' | 'list'
}

const KUBERNETES_MAPPINGS: readonly Mapping[] = ['namespace', 'name', 'uid'].map((claim) => ({
  claim,
  attribute: attributeName(['serviceaccount', claim]),
  kind: 'text',
}))

function mappingsOf(method: AuthMethodConfiguration): readonly Mapping[] {
  if (method.Type === 'kubernetes') return KUBERNETES_MAPPINGS
  const { ClaimMappings = {}, ListClaimMappings = {} } = method.Config
  const read = (mappings: Readonly<Record<string, string>>, root: string, kind: Mapping['kind']) =>
    Object.entries(mappings).map(([claim, name]) => ({ claim, attribute: attributeName([root, name]), kind }))
  return [...read(ClaimMappings, 'value', 'text'), ...read(ListClaimMappings, 'list', 'list')]
}

export function attributesOf(method: AuthMethodConfiguration): Attributes {
  const attributes = new Map<string, AttributeKind>()
  for (const { attribute, kind } of mappingsOf(method)) attributes.set(attribute, kind)
  if (method.Type === 'kubernetes') return attributes
  return attributes.set('value', 'map').set('list', 'map')
}

/**
 * Lists the attributes of some kinds, for a message. @param print formats a name; by default, as in bind
 * names.
 */
export function namesOf(
  attributes: Attributes,
  kinds: readonly AttributeKind[],
  print = (name: string) => name,
): string {
  const names = [...attributes].flatMap(([name, kind]) => (kinds.includes(kind) ? [print(name)] : [])).sort()
  return names.length === 0 ? 'no claims' : names.join(', ')
}

/** Maps the claims that a method names. A null claim is treated as missing. */
export function mapClaims(
  method: AuthMethodConfiguration,
  claims: Claims,
): { readonly mapped: MappedClaims; readonly fault?: undefined } | { readonly fault: ClaimFault } {
  const texts = new Map<string, string>()
  const lists = new Map<string, readonly string[]>()
  for (const { claim, attribute, kind } of mappingsOf(method)) {
    const value = claimAt(claims, claim) ?? undefined
    if (value === undefined) continue
    const list: string[] = []
    for (const element of Array.isArray(value) && kind === 'list' ? value : [value]) {
      const read = readText(element)
      if ('text' in read) list.push(read.text)
      else if (kind === 'text' || read.reason !== 'claim_not_text') return { fault: { ...read, claim } }
      else return { fault: { reason: 'claim_not_list', claim } }
    }
    if (kind === 'text') texts.set(attribute, list.join(''))
    else
      lists.set(
        attribute,
        list.filter((text) => text !== ''),
      )
  }
  return { mapped: { texts, lists } }
}

export function hasMappedClaims(method: AuthMethodConfiguration, claims: Claims): boolean {
  return mappingsOf(method).every(({ claim }) => (claimAt(claims, claim) ?? undefined) !== undefined)
}

/**
 * Looks up a claim: by JSON pointer if its name begins with `/`, otherwise as a literal top-level name. Never reads
 * inherited properties.
 */
function claimAt(claims: Claims, claim: string): unknown {
  if (!claim.startsWith('/')) return Object.hasOwn(claims, claim) ? claims[claim] : undefined
  let value: unknown = claims
  for (const step of claim.slice(1).split('/')) {
    value = childOf(value, step.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (value === undefined) return undefined
  }
  return value
}

const LIST_INDEX = /^(?:0|[1-9]\d*)$/

function childOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value) && !LIST_INDEX.test(key)) return undefined
  return Object.hasOwn(value, key) ? (value as Claims)[key] : undefined
}

/** Refuses numbers that JSON does not represent exactly: rounding could give two callers the same identity. */
function readText(value: unknown): { readonly text: string } | { readonly reason: LoginRefusal } {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return { text: String(value) }
    case 'number':
      return Number.isSafeInteger(value) ? { text: String(value) } : { reason: 'claim_not_integer' }
    default:
      return { reason: 'claim_not_text' }
  }
}
