/** Maps the claims of a credential to the attributes of selectors and bind names. Decisions: auth methods. */
import { attributeName } from '../filter/selector.ts'
import type { AuthMethodConfiguration } from '../records/login-records.ts'
import { KUBERNETES_CLAIMS, type MappedClaims } from './attributes.ts'
import type { LoginRefusal } from './login-refusal.ts'
import type { Claims } from './verifier.ts'

/** A claim that cannot be mapped. The login is refused. */
export interface ClaimFault {
  readonly reason: LoginRefusal
  /** Name of the claim, for the log and explanations. */
  readonly claim: string
}

type Mapping = { readonly mapped: MappedClaims } | { readonly fault: ClaimFault }

/** Maps the claims that a method names. A null claim is treated as missing. */
export function mapClaims(method: AuthMethodConfiguration, claims: Claims): Mapping {
  const texts = new Map<string, string>()
  const lists = new Map<string, readonly string[]>()
  for (const [attribute, claim] of textMappings(method)) {
    const value = claimAt(claims, claim)
    if (value === undefined || value === null) continue
    const read = readText(value)
    if ('reason' in read) return { fault: { ...read, claim } }
    texts.set(attribute, read.text)
  }
  for (const [attribute, claim] of listMappings(method)) {
    const value = claimAt(claims, claim)
    if (value === undefined || value === null) continue
    const read = readList(value)
    if ('reason' in read) return { fault: { ...read, claim } }
    lists.set(attribute, read.list)
  }
  return { mapped: { texts, lists } }
}

/** Whether the claims include all claims that a method maps. */
export function hasMappedClaims(method: AuthMethodConfiguration, claims: Claims): boolean {
  return [...textMappings(method), ...listMappings(method)].every(
    ([, claim]) => (claimAt(claims, claim) ?? null) !== null,
  )
}

type AttributeAndClaim = readonly [attribute: string, claim: string]

function textMappings(method: AuthMethodConfiguration): readonly AttributeAndClaim[] {
  if (method.Type === 'kubernetes') return Object.entries(KUBERNETES_CLAIMS)
  const { ClaimMappings = {} } = method.Config
  return Object.entries(ClaimMappings).map(([claim, name]) => [attributeName(['value', name]), claim])
}

function listMappings(method: AuthMethodConfiguration): readonly AttributeAndClaim[] {
  if (method.Type === 'kubernetes') return []
  const { ListClaimMappings = {} } = method.Config
  return Object.entries(ListClaimMappings).map(([claim, name]) => [attributeName(['list', name]), claim])
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

type ReadText = { readonly text: string } | { readonly reason: LoginRefusal }

/** Refuses numbers that JSON does not represent exactly: rounding could give two callers the same identity. */
function readText(value: unknown): ReadText {
  switch (typeof value) {
    case 'string':
      return { text: value }
    case 'boolean':
      return { text: String(value) }
    case 'number':
      return Number.isSafeInteger(value) ? { text: String(value) } : { reason: 'claim_not_integer' }
    default:
      return { reason: 'claim_not_text' }
  }
}

function readList(value: unknown): { readonly list: readonly string[] } | { readonly reason: LoginRefusal } {
  const list: string[] = []
  for (const element of Array.isArray(value) ? value : [value]) {
    const read = readText(element)
    if ('reason' in read) {
      return { reason: read.reason === 'claim_not_text' ? 'claim_not_list' : read.reason }
    }
    if (read.text !== '') list.push(read.text)
  }
  return { list }
}
