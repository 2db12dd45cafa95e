/** Reverse lookups: the name at an address. Spec 9.3 (1.7.0); decisions: dns. */
import type { ServiceRecord } from '../records/catalog-records.ts'
import { type Asked, nameOfNode, readableNode } from './context.ts'
import { type DnsReply, emptyReply } from './message.ts'
import { isEncodable } from './names.ts'

/** Existing services would forward the question to another resolver, and fail without one. */
const UNKNOWN_ADDRESS: DnsReply = {
  ...emptyReply('SERVFAIL', { isAuthoritative: false }),
  isRecursionAvailable: true,
}

/**
 * Answers any type of question with one name: the first node with the address, otherwise the first service with an
 * instance at the address.
 *
 * @param ip undefined for a malformed name.
 */
export function answerReverse(ip: string | undefined, asked: Asked): DnsReply {
  const { question, zone } = asked
  const data = ip === undefined ? undefined : nameAt(ip, asked)
  if (data === undefined || !isEncodable(data)) return UNKNOWN_ADDRESS
  const answers = [{ name: question.name, type: 'PTR', ttl: 0, data }] as const
  const authorities = question.type === 'SOA' ? [zone] : []
  return { ...emptyReply('NOERROR'), answers, authorities }
}

function nameAt(ip: string, asked: Asked): string | undefined {
  const { catalog, rights, profile } = asked
  const node = catalog.nodesAt(ip).find(({ Node }) => rights.node(Node))
  if (node) return nameOfNode(node, asked)
  if (!profile.has('dns.servicePtr')) return undefined
  const instance = catalog
    .instancesAt(ip)
    .find(({ Node, Service, Namespace }) => rights.service(Service, Namespace) && readableNode(asked, Node))
  return instance && nameOfService(instance, asked)
}

/** The name of a service: before 1.7.0 without the datacenter; in the extended edition with the namespace. */
function nameOfService(
  { Service, Namespace }: ServiceRecord,
  { profile, datacenter, domain, hasNamespaces }: Asked,
): string {
  if (!profile.has('dns.ptrCanonicalName')) return `${Service}.service.${domain}`
  return `${Service}.service.${hasNamespaces ? `${Namespace}.` : ''}${datacenter}.${domain}`
}
