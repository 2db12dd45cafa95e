/** Answers about nodes. Decisions: dns. */
import type { NodeRecord, ServiceRecord } from '../records/catalog-records.ts'
import { type Asked, readableNode } from './context.ts'
import { type DnsQuestion, type DnsRecord, type DnsReply, emptyReply } from './message.ts'
import { addressRecord, locate, metadataRecords, nothing } from './records.ts'

const TYPES: ReadonlySet<string> = new Set(['A', 'AAAA', 'ANY', 'TXT'])

export function answerNode(name: string, asked: Asked): DnsReply {
  const { question, zone, profile } = asked
  const { type } = question
  // For other types, existing services do not check whether the node exists.
  if (!TYPES.has(type))
    return profile.has('dns.nodeNoData') ? nothing('NOERROR', zone) : emptyReply('NOERROR')
  const node = readableNode(asked, name)
  if (!node) return nothing('NXDOMAIN', zone)
  const addresses = type === 'TXT' ? [] : addressesOfRecord(node, question, asked)
  const isAsked = type === 'TXT' || type === 'ANY'
  const metadata = metadataOfNode(node, question.name, asked)
  const answers = isAsked ? [...addresses, ...metadata] : addresses
  return { ...emptyReply('NOERROR'), answers, additionals: isAsked ? [] : metadata }
}

/**
 * The address records of a node or service for a name. If the address is itself a name: the alias and the records that it
 * resolves to.
 */
export function addressesOfRecord(
  { Address, TaggedAddresses }: Pick<NodeRecord | ServiceRecord, 'Address' | 'TaggedAddresses'>,
  { name, type }: Pick<DnsQuestion, 'name' | 'type'>,
  { settings, follow }: Asked,
): readonly DnsRecord[] {
  const ttl = settings.ttlSeconds
  const location = locate(type, Address, TaggedAddresses)
  if (location === undefined) return []
  if ('ip' in location) return [addressRecord(name, location.ip, ttl)]
  return [{ name, type: 'CNAME', ttl, data: location.host }, ...follow(location.host)]
}

export function metadataOfNode(node: NodeRecord, name: string, asked: Asked): readonly DnsRecord[] {
  return asked.profile.has('dns.nodeText') ? metadataRecords(name, node, asked.settings.ttlSeconds) : []
}
