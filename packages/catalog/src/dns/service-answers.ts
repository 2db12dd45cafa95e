/** Answers about services: the locations of their instances. Decisions: dns. */
import type { CheckRecord, NodeRecord, ServiceRecord } from '../records/catalog-records.ts'
import { type Asked, nameOfNode, readableNode } from './context.ts'
import { type DnsRecord, type DnsReply, emptyReply } from './message.ts'
import { type DnsTarget, digitsOfIp, isEncodable } from './names.ts'
import { addressesOfRecord, metadataOfNode } from './node-answers.ts'
import { addressRecord, locate, nothing } from './records.ts'

type ServiceTarget = Extract<DnsTarget, { kind: 'service' | 'connect' }>

interface Instance {
  readonly node: NodeRecord
  readonly service: ServiceRecord
  /** Checks of the node, then of the instance. */
  readonly checks: readonly CheckRecord[]
}

export function answerService(target: ServiceTarget, asked: Asked): DnsReply {
  const { zone, question } = asked
  if (instancesOf(target, asked).next().done) return nothing('NXDOMAIN', zone)
  if (question.type === 'SRV') return locationsOf(instancesOf(target, asked), asked)
  // Existing services answer TXT with addresses.
  const isAboutAddresses = ['A', 'AAAA', 'ANY', 'TXT'].includes(question.type)
  const answers = isAboutAddresses ? addressesOf(instancesOf(target, asked), asked) : []
  if (answers.length === 0) return nothing('NOERROR', zone)
  return { ...emptyReply('NOERROR'), isOfService: true, answers }
}

/** The instances that an answer may include, in random order. No more of a large service are examined than needed. */
function* instancesOf(target: ServiceTarget, asked: Asked): Generator<Instance, void> {
  const { catalog, rights, settings, shuffle } = asked
  const { kind, service: name, tag, namespace } = target
  const services =
    kind === 'connect' ? catalog.connectInstances(name, namespace) : catalog.instances(name, namespace)
  for (const service of shuffle(services)) {
    if (tag !== '' && !service.Tags.some((own) => own.toLowerCase() === tag)) continue
    const node = rights.service(service.Service, service.Namespace) && readableNode(asked, service.Node)
    if (!node) continue
    const checks = [...catalog.nodeChecks(service.Node), ...catalog.checksOf(service)]
    const isHidden = checks.some(
      ({ Status }) => Status === 'critical' || (settings.onlyPassing && Status !== 'passing'),
    )
    if (!isHidden) yield { node, service, checks }
  }
}

/** One record per distinct address; if there are only names, the first name. */
function addressesOf(instances: Iterable<Instance>, asked: Asked): readonly DnsRecord[] {
  const addresses = new Map<string, DnsRecord>()
  let alias: Instance | undefined
  for (const instance of instances) {
    const [first] = addressesOfInstance(instance, { ...asked, follow: () => [] })
    if (first?.type === 'CNAME') alias ??= instance
    if (first?.type !== 'A' && first?.type !== 'AAAA') continue
    addresses.set(first.data, first)
    if (addresses.size > asked.recordsMax) break
  }
  if (addresses.size > 0) return [...addresses.values()]
  return alias === undefined ? [] : addressesOfInstance(alias, asked)
}

function addressesOfInstance({ node, service }: Instance, asked: Asked): readonly DnsRecord[] {
  const { name, type } = asked.question
  // Services have no TXT records: TXT is answered like ANY.
  const question = { name, type: type === 'TXT' ? 'ANY' : type }
  return addressesOfRecord(usesNode(service, asked) ? node : service, question, asked)
}

/**
 * Whether an instance uses the address of its node: it has no address of its own, or its address is the name in the
 * question.
 */
function usesNode({ Address, TaggedAddresses }: ServiceRecord, { question }: Asked): boolean {
  const own = locate('ANY', Address, TaggedAddresses)
  return own === undefined || ('host' in own && own.host.toLowerCase() === question.name.toLowerCase())
}

const PRIORITY = 1
const PORT_MAX = 65_535

function locationsOf(instances: Iterable<Instance>, asked: Asked): DnsReply {
  const { question, settings, recordsMax } = asked
  const ttl = settings.ttlSeconds
  const answers = new Map<string, DnsRecord>()
  const additionals: DnsRecord[] = []
  for (const instance of instances) {
    const { node, service } = instance
    const key = [node.Node, service.Address, service.Port].join('\n')
    const { target, addresses } = targetOf(instance, asked)
    if (answers.has(key) || !isEncodable(target) || !isPort(service.Port)) continue
    const data = { priority: PRIORITY, weight: weightOf(instance, asked), port: service.Port, target }
    answers.set(key, { name: question.name, type: 'SRV', ttl, data })
    additionals.push(...addresses)
    additionals.push(...metadataOfNode(node, nameOfNode(node, asked), asked))
    if (answers.size > recordsMax) break
  }
  if (answers.size === 0) return nothing('NOERROR', asked.zone)
  return { ...emptyReply('NOERROR'), isOfService: true, answers: [...answers.values()], additionals }
}

/** The catalog stores any integer as a port; an SRV record has 16 bits. */
function isPort(port: number): boolean {
  return port >= 0 && port <= PORT_MAX
}

function targetOf(
  { node, service }: Instance,
  asked: Asked,
): { readonly target: string; readonly addresses: readonly DnsRecord[] } {
  const { datacenter, domain, settings, follow } = asked
  const isOnNode = usesNode(service, asked)
  const { Address, TaggedAddresses } = isOnNode ? node : service
  const location = locate('ANY', Address, TaggedAddresses)
  if (location === undefined) return { target: '', addresses: [] }
  if ('host' in location) return { target: location.host, addresses: follow(location.host) }
  const { ip } = location
  const target = isOnNode ? nameOfNode(node, asked) : `${digitsOfIp(ip)}.addr.${datacenter}.${domain}`
  return { target, addresses: [addressRecord(target, ip, settings.ttlSeconds)] }
}

/** The weight for the checks of the instance and its node. For an unknown status, it is 1. */
function weightOf({ service, checks }: Instance, { profile }: Asked): number {
  const { Weights } = service
  if (!profile.has('dns.weights')) return 1
  const statuses = checks.map(({ Status }) => Status)
  if (statuses.includes('warning')) return Weights.Warning
  return statuses.every((status) => status === 'passing') ? Weights.Passing : 1
}
