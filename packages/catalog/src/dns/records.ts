/** Builds the records of answers: addresses, metadata and the zone. Decisions: dns. */
import type { ServiceAddress } from '@latchkey/contract'
import { canonicalIp, isIpv4 } from '../ip-address.ts'
import type { NodeRecord } from '../records/catalog-records.ts'
import { type AddressRecord, type DnsReply, emptyReply, type TextRecord, type ZoneRecord } from './message.ts'
import { isEncodable } from './names.ts'

/** Whether a type of question accepts the family of an address. Types other than A and AAAA accept both. */
function takes(type: string, ip: string): boolean {
  if (type === 'A') return isIpv4(ip)
  return type !== 'AAAA' || !isIpv4(ip)
}

/** The location of a node or instance: an IP address, a name, or none for this type of question. */
export type Location = { readonly ip: string } | { readonly host: string } | undefined

/**
 * Chooses among the addresses of a record. The tags `lan_ipv6` and `lan_ipv4` take precedence over the
 * address itself, for types that accept their family. @param address an IP address or a name.
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

/** For keys with this prefix, the record contains only the value. */
const PLAIN_KEY = 'rfc1035-'

/** The metadata of a node, one text per pair. RFC 1464. */
export function metadataRecords(name: string, { Meta }: NodeRecord, ttl: number): readonly TextRecord[] {
  return Object.entries(Meta ?? {}).map(([key, value]) => ({
    name,
    type: 'TXT',
    ttl,
    data: key.toLowerCase().startsWith(PLAIN_KEY) ? value : `${quoteKey(key)}=${value.replaceAll('`', '``')}`,
  }))
}

/** Puts a backquote before special characters in a key, and before leading and trailing blanks. */
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
      // How long clients may cache a negative answer.
      minimum: 0,
    },
  }
}

/** A negative reply: its authority section shows that the type or the name does not exist. */
export function nothing(rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL', zone: ZoneRecord): DnsReply {
  return { ...emptyReply(rcode), authorities: [zone] }
}
