/**
 * Answers DNS questions from the catalog: a pure function of the question and the context. Records that the DNS token
 * may not read are treated as absent. Decisions: dns.
 */

import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import type { ServiceRecord } from '../records/catalog-records.ts'
import { type Asked, type DnsContext, nameOfNode, readableNode } from './context.ts'
import { type DnsQuestion, type DnsRecord, type DnsReply, emptyReply } from './message.ts'
import { type DnsTarget, isEncodable, readName } from './names.ts'
import { addressesOfRecord, answerNode } from './node-answers.ts'
import { addressRecord, nothing, zoneRecord } from './records.ts'
import { answerService } from './service-answers.ts'

/** Maximum length of a chain of names that an answer follows. */
const DEPTH_MAX = 3
/** Maximum number of names that an answer follows in total. */
const FOLLOWED_MAX = 16

/** Answers one question. For types other than those of {@link DnsRecord}, the answer has no records. */
export function answerQuestion(question: DnsQuestion, context: DnsContext): DnsReply {
  return answer(question, context, 0, { count: 0 })
}

function answer(
  question: DnsQuestion,
  context: DnsContext,
  depth: number,
  followed: { count: number },
): DnsReply {
  const { target, domain } = readName(question.name, question.type, context)
  const asked: Asked = {
    ...context,
    question,
    domain,
    zone: zoneRecord(domain, context.now),
    follow: (name) => {
      if (depth === DEPTH_MAX || followed.count === FOLLOWED_MAX) return []
      followed.count += 1
      return answer({ name, type: 'ANY' }, context, depth + 1, followed).answers.filter(
        ({ type }) => type === 'A' || type === 'AAAA' || type === 'CNAME',
      )
    },
  }
  if (target.kind === 'foreign') return emptyReply('REFUSED', { isAuthoritative: false })
  if (target.kind === 'reverse') return answerReverse(target.ip, asked)
  return answerZone(asked) ?? answerTarget(target, asked)
}

/** Answers about the domain itself, which are the same for every name in it. */
function answerZone(asked: Asked): DnsReply | undefined {
  const { question, zone, profile } = asked
  if (question.type === 'AXFR') return emptyReply('NOTIMP')
  if (question.type === 'SOA') {
    const { servers, addresses } = nameServers(asked)
    return { ...emptyReply('NOERROR'), answers: [zone], authorities: servers, additionals: addresses }
  }
  if (question.type !== 'NS' || !profile.has('dns.nsRecords')) return undefined
  const { servers, addresses } = nameServers(asked)
  return { ...emptyReply('NOERROR'), answers: servers, additionals: addresses }
}

const NAME_SERVERS_MAX = 3

function nameServers(asked: Asked): Readonly<Record<'servers' | 'addresses', readonly DnsRecord[]>> {
  const { catalog, rights, serverService, settings, domain, profile, shuffle } = asked
  if (!profile.has('dns.nsRecords') || !rights.service(serverService, DEFAULT_NAMESPACE))
    return { servers: [], addresses: [] }
  const nodes = [...shuffle(catalog.instances(serverService))]
    .flatMap(({ Node }) => readableNode(asked, Node) ?? [])
    .filter((node) => isEncodable(nameOfNode(node, asked)))
    .slice(0, NAME_SERVERS_MAX)
  const ttl = settings.ttlSeconds
  return {
    servers: nodes.map((node) => ({ name: domain, type: 'NS', ttl, data: nameOfNode(node, asked) })),
    addresses: nodes.flatMap((node) =>
      addressesOfRecord(node, { name: nameOfNode(node, asked), type: 'ANY' }, asked),
    ),
  }
}

function answerTarget(target: DnsTarget, asked: Asked): DnsReply {
  const { profile, zone } = asked
  switch (target.kind) {
    case 'node':
      return answerNode(target.node, asked)
    case 'service':
    case 'connect':
      return answerService(target, asked)
    case 'address':
      return answerAddress(target.ip, asked)
    case 'elsewhere':
      return nothing(profile.has('dns.unknownDatacenter') ? 'NXDOMAIN' : 'SERVFAIL', zone)
    default:
      return nothing('NXDOMAIN', zone)
  }
}

/** The address encoded in a name. For other types of questions, it is an additional record of an empty answer. */
function answerAddress(ip: string, { question, settings }: Asked): DnsReply {
  const { name, type } = question
  const record = addressRecord(name, ip, settings.ttlSeconds)
  if (type === record.type || type === 'ANY') return { ...emptyReply('NOERROR'), answers: [record] }
  return { ...emptyReply('NOERROR'), additionals: [record] }
}

/** Existing services would forward the question to another resolver, and fail without one. */
const UNKNOWN_ADDRESS: DnsReply = {
  ...emptyReply('SERVFAIL', { isAuthoritative: false }),
  isRecursionAvailable: true,
}

/**
 * Answers any type of question with one name: the first node with the address, otherwise the first service
 * with an instance at the address. @param ip undefined for a malformed name.
 */
function answerReverse(ip: string | undefined, asked: Asked): DnsReply {
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
