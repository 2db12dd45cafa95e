/** Makes the records of answers: addresses, metadata and the zone. Decisions: dns. */
import type { ServiceAddress } from '@latchkey/contract'
import { canonicalIp, isIpv4 } from '../catalog/ip-address.ts'
import type { NodeRecord } from '../records/catalog-records.ts'
import { type AddressRecord, type DnsReply, emptyReply, type TextRecord, type ZoneRecord } from './message.ts'
import { isEncodable } from './names.ts'

/** The families that a type of question takes. Every other type that has addresses takes both. */
function takes(type: string, ip: string): boolean {
  if (type === 'A') return isIpv4(ip)
  return type !== 'AAAA' || !isIpv4(ip)
}

/** Where a node or an instance is: an IP address, a name, or nowhere for this type of question. */
export type Location = { readonly ip: string } | { readonly host: string } | undefined

/**
 * Chooses among the addresses of a record. The tags `lan_ipv6` and `lan_ipv4` go before the address itself, for the types that
 * take their family.
 *
 * @param address an IP address or a name.
 */
export function locate(
  type: string,
  address: string,
  tagged: Readonly<Record<string, string | Readonly<ServiceAddress>>> | null,
): Location {
  for (const tag of ['lan_ipv6', 'lan_ipv4']) {
    const value = tagged && Object.hasOwn(tagged, tag) ? tagged[tag] : undefined
    const ip = value && canonicalIp(typeof value === 'string' ? value : value.Address)
    if (ip && takes(type, ip)) return { ip }
  }
  const ip = canonicalIp(address)
  if (ip !== undefined) return takes(type, ip) ? { ip } : undefined
  const host = address.endsWith('.') ? address.slice(0, -1) : address
  return isEncodable(host) ? { host } : undefined
}

export function addressRecord(name: string, ip: string, ttl: number): AddressRecord {
  return { name, type: isIpv4(ip) ? 'A' : 'AAAA', ttl, data: ip }
}

/** Keys with this beginning stand for their value alone. */
const PLAIN_KEY = 'rfc1035-'

/** The metadata of a node, one text for each pair. RFC 1464. */
export function metadataRecords(name: string, { Meta }: NodeRecord, ttl: number): readonly TextRecord[] {
  return Object.entries(Meta ?? {}).map(([key, value]) => ({
    name,
    type: 'TXT',
    ttl,
    data: key.toLowerCase().startsWith(PLAIN_KEY) ? value : `${quoteKey(key)}=${value.replaceAll('`', '``')}`,
  }))
}

/** Puts a backquote before those characters of a key that have a meaning, and before blanks around it. */
function quoteKey(key: string): string {
  return key.replace(/[`=]|^ +| +$/g, (found) => found.replace(/./g, '`$&'))
}

const REFRESH_SECONDS = 3_600
const RETRY_SECONDS = 600
const EXPIRE_SECONDS = 86_400

/** @param now in milliseconds. */
export function zoneRecord(domain: string, now: number): ZoneRecord {
  return {
    name: domain,
    type: 'SOA',
    ttl: 0,
    data: {
      mname: `ns.${domain}`,
      rname: `hostmaster.${domain}`,
      serial: Math.floor(now / 1_000),
      refresh: REFRESH_SECONDS,
      retry: RETRY_SECONDS,
      expire: EXPIRE_SECONDS,
      // How long clients may remember what is not there.
      minimum: 0,
    },
  }
}

/** A reply that says, by its authority section, that there is nothing of this type, or no such name. */
export function nothing(rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL', zone: ZoneRecord): DnsReply {
  return { ...emptyReply(rcode), authorities: [zone] }
}
