/** Parses the names in DNS questions, and builds the names in answers. Decisions: dns. */

import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import { utf8Length } from '@latchkey/contract'
import { canonicalIp, isIpv4 } from '../ip-address.ts'
import type { DnsContext } from './context.ts'

/**
 * The target of a name. `foreign`: it is in none of the domains. `invalid`: names in the domain cannot have this form.
 */
export type DnsTarget =
  | { readonly kind: 'foreign' | 'invalid' | 'zone' | 'elsewhere' }
  | { readonly kind: 'node'; readonly node: string }
  | {
      readonly kind: 'service' | 'connect'
      readonly service: string
      /** Empty for any. */
      readonly tag: string
      readonly namespace: string
    }
  | { readonly kind: 'address'; readonly ip: string }
  /** `ip` is undefined if the name is malformed. */
  | { readonly kind: 'reverse'; readonly ip: string | undefined }

/** @param type names in `SRV` questions may omit the label `service`. */
export function readName(
  name: string,
  type: string,
  context: DnsContext,
): { readonly target: DnsTarget; readonly domain: string } {
  const lower = name.toLowerCase()
  const { domains } = context.settings
  const [usual = ''] = domains
  if (lower === 'arpa' || lower.endsWith('.arpa'))
    return { target: { kind: 'reverse', ip: reverseIp(lower) }, domain: usual }
  const domain = domains
    .filter((each) => lower === each || lower.endsWith(`.${each}`))
    .sort((a, b) => b.length - a.length)[0]
  if (domain === undefined) return { target: { kind: 'foreign' }, domain: usual }
  if (lower === domain) return { target: { kind: 'zone' }, domain }
  const labels = lower.slice(0, -domain.length - 1).split('.')
  return { target: targetOf(labels, type, context), domain }
}

const KINDS: ReadonlySet<string> = new Set(['service', 'connect', 'ingress', 'node', 'query', 'addr'])

function targetOf(labels: readonly string[], type: string, context: DnsContext): DnsTarget {
  const at = labels.findLastIndex((label) => KINDS.has(label) || (type === 'SRV' && label.startsWith('_')))
  const label = labels[at]
  if (label === undefined) return { kind: 'invalid' }
  const isShort = !KINDS.has(label)
  const parts = labels.slice(0, isShort ? at + 1 : at)
  const place = placeOf(labels.slice(at + 1), context)
  if (place === undefined || parts.length === 0) return { kind: 'invalid' }
  if (label === 'addr') return addressTarget(parts)
  if (!place.isHere) return { kind: 'elsewhere' }
  switch (isShort ? 'service' : label) {
    case 'node':
      return { kind: 'node', node: parts.join('.') }
    case 'service':
      return { kind: 'service', ...serviceOf(parts), namespace: place.namespace }
    case 'connect':
      return { kind: 'connect', service: parts.at(-1) ?? '', tag: '', namespace: place.namespace }
    default:
      // There are no gateways and no prepared queries.
      return { kind: 'invalid' }
  }
}

/** Parses the labels after the kind: none, the datacenter, or a namespace and the datacenter. */
function placeOf(
  suffixes: readonly string[],
  { datacenter, hasNamespaces, profile }: DnsContext,
): { readonly isHere: boolean; readonly namespace: string } | undefined {
  const isHere = (label: string | undefined) => label === undefined || label === datacenter.toLowerCase()
  const [first, second] = suffixes
  // Before 1.0.1, further labels after the kind were ignored.
  if (suffixes.length <= 1 || !profile.has('dns.extraLabels'))
    return { isHere: isHere(first), namespace: DEFAULT_NAMESPACE }
  if (suffixes.length > 2 || !hasNamespaces || first === undefined) return undefined
  return { isHere: isHere(second), namespace: first }
}

/** `_web._tcp`, `_web._tag`, or the service after any tag, which may contain dots. */
function serviceOf(parts: readonly string[]): { readonly service: string; readonly tag: string } {
  const [first = '', second = ''] = parts
  if (parts.length === 2 && first.startsWith('_') && second.startsWith('_'))
    return { service: first.slice(1), tag: second === '_tcp' ? '' : second.slice(1) }
  return { service: parts.at(-1) ?? '', tag: parts.slice(0, -1).join('.') }
}

function addressTarget(parts: readonly string[]): DnsTarget {
  const [digits = ''] = parts
  const ip = /^[0-9a-f]+$/.test(digits) && parts.length === 1 ? ipOfDigits(digits) : undefined
  return ip === undefined ? { kind: 'invalid' } : { kind: 'address', ip }
}

function ipOfDigits(digits: string): string | undefined {
  if (digits.length === 8) {
    return (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)).join('.')
  }
  return digits.length === 32 ? (digits.match(/..../g) ?? []).join(':') : undefined
}

/** The hex digits of an IP address as one label, as used in `<digits>.addr`. */
export function digitsOfIp(canonical: string): string {
  const octets = canonical.split('.').map((octet) => Number(octet).toString(16).padStart(2, '0'))
  const groups = canonical.split(':').map((group) => group.padStart(4, '0'))
  return (isIpv4(canonical) ? octets : groups).join('')
}

function reverseIp(name: string): string | undefined {
  const octets = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\.in-addr\.arpa$/.exec(name)
  if (octets) return canonicalIp(octets.slice(1).reverse().join('.'))
  const [, digits] = /^((?:[0-9a-f]\.){32})ip6\.arpa$/.exec(name) ?? []
  if (digits === undefined) return undefined
  return canonicalIp((digits.replaceAll('.', '').split('').reverse().join('').match(/..../g) ?? []).join(':'))
}

const LABEL_BYTES_MAX = 63
/** 255 bytes on the wire, minus the first length byte and the root label. */
const NAME_BYTES_MAX = 253

/** Whether DNS can encode a name. Nodes and addresses may be registered with any name. */
export function isEncodable(name: string): boolean {
  if (utf8Length(name) > NAME_BYTES_MAX) return false
  return name.split('.').every((label) => label !== '' && utf8Length(label) <= LABEL_BYTES_MAX)
}
