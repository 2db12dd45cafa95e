/** The catalog entries of the servers themselves: nodes, service and checks. Decisions: agent. */

import { DEFAULT_NAMESPACE, type Member } from '@latchkey/acl'
import { isReferenceFamily } from '@latchkey/contract'
import type { Catalog } from '../catalog.ts'
import type { CatalogChange } from '../commit-rules.ts'
import { type CheckRecord, CRITICAL, type NodeRecord, nodeKey } from '../records/catalog-records.ts'
import { ALIVE_CHECK, endOfNode, planRegistration } from '../registration/register.ts'

/** Clients of the family `X-Consul-` look for the second. */
const SERVER_SERVICES = ['latchkey', 'consul'] as const

/** The name of the service of the servers: the configured one, or the default of the first header prefix. */
export function serverServiceOf(options: {
  readonly ownService?: string | undefined
  readonly headerPrefixes: readonly string[]
}): string {
  const [first = ''] = options.headerPrefixes
  return options.ownService ?? SERVER_SERVICES[isReferenceFamily(first) ? 1 : 0]
}

/** What existing clients expect in the metadata of an agent: the network has no segments. */
export const SEGMENT_META: Readonly<Record<string, string>> = { 'consul-network-segment': '' }

/** A server process. `address`: host and port on which it listens; empty until then. */
export interface ServerMember extends Pick<Member, 'id' | 'node' | 'status'> {
  readonly address: string
}

const STAMPS = { CreateIndex: 0, ModifyIndex: 0 }

/** The node of a server, without further registrations. */
export function serverNode({ id, node, address }: ServerMember): NodeRecord {
  const { host } = placeOf(address)
  return {
    ID: id,
    Node: node,
    Address: host,
    TaggedAddresses: taggedAddresses(host),
    Meta: SEGMENT_META,
    ...STAMPS,
  }
}

/** Whether a node has its address and metadata from a server, and not from a client. */
function isAsRegistered({ Address, TaggedAddresses, Meta }: NodeRecord): boolean {
  return hasSame(TaggedAddresses ?? {}, taggedAddresses(Address)) && hasSame(Meta ?? {}, SEGMENT_META)
}

type Texts = Readonly<Record<string, string>>

function hasSame(one: Texts, other: Texts): boolean {
  const names = Object.keys({ ...one, ...other })
  return names.every((name) => one[name] === other[name])
}

export function taggedAddresses(host: string): Readonly<Record<string, string>> {
  const family = host.includes(':') ? 'ipv6' : /^[\d.]+$/.test(host) ? 'ipv4' : undefined
  const ofFamily = family === undefined ? {} : { [`lan_${family}`]: host, [`wan_${family}`]: host }
  return { lan: host, wan: host, ...ofFamily }
}

/**
 * The changes that make the catalog show the servers. A node with a live process has the server service and a passing
 * check. If all its processes failed, the check is critical. If all of them left, service and check are removed, and
 * the node too if nothing else is on it. A stopped process that may return causes no change, and unchanged records are
 * not written.
 */
export function planServers(
  members: readonly ServerMember[],
  catalog: Catalog,
  serverService: string,
): readonly CatalogChange[] {
  const byNode = Map.groupBy(members, ({ node }) => nodeKey(node))
  return [...byNode.values()].flatMap((processes) => planNode(processes, catalog, serverService))
}

function planNode(
  processes: readonly ServerMember[],
  catalog: Catalog,
  serverService: string,
): readonly CatalogChange[] {
  const alive = processes.filter(({ status, address }) => status === 'alive' && address !== '')
  const [first] = alive.toSorted((a, b) => (a.address < b.address ? -1 : 1))
  if (first) return planAlive(first, alive, catalog, serverService)
  if (processes.some(({ status }) => status === 'alive' || status === 'stopped')) return []
  const [{ node } = { node: '' }] = processes
  return processes.some(({ status }) => status === 'failed')
    ? planFailed(node, catalog)
    : planLeft(node, catalog, serverService)
}

function planAlive(
  first: ServerMember,
  alive: readonly ServerMember[],
  catalog: Catalog,
  serverService: string,
): readonly CatalogChange[] {
  const known = catalog.node(first.node)
  const node = known?.Node ?? first.node
  const registered = catalog.service(node, serverService)
  // Several processes may share a node. The port of any of them is fine, and is kept while that process lives.
  const isOfAlive = (port: number | undefined) => alive.some(({ address }) => placeOf(address).port === port)
  const isStill = isOfAlive(registered?.Port)
  // The name may have been another one when a process registered itself here.
  const renamed = SERVER_SERVICES.flatMap((name) => {
    const former = name === serverService ? undefined : catalog.service(node, name)
    if (!former || !isOfAlive(former.Port)) return []
    return [{ table: 'services', op: 'delete', record: former } as const]
  })
  const service = {
    Node: node,
    ID: serverService,
    Service: serverService,
    Kind: '',
    Tags: [],
    Address: '',
    TaggedAddresses: {},
    Meta: null,
    Port: isStill && registered ? registered.Port : placeOf(first.address).port,
    SocketPath: '',
    Weights: { Passing: 1, Warning: 1 },
    EnableTagOverride: false,
    Proxy: {},
    Connect: {},
    ...STAMPS,
    Namespace: DEFAULT_NAMESPACE,
  }
  const checks = [aliveCheck(node, 'passing')]
  const isAtKnown = alive.some(({ address }) => placeOf(address).host === known?.Address)
  const keepsNode = known !== undefined && (isAtKnown || !isAsRegistered(known))
  const moved = { ...serverNode(first), ID: known?.ID || first.id, Node: node }
  const request = { node: keepsNode ? known : moved, service, checks, skipsNode: keepsNode }
  return [...renamed, ...planRegistration(request, catalog).changes]
}

function planFailed(node: string, catalog: Catalog): readonly CatalogChange[] {
  const check = catalog.check(node, ALIVE_CHECK)
  if (!check || check.Status === CRITICAL) return []
  return [{ table: 'checks', op: 'put', record: aliveCheck(check.Node, CRITICAL) }]
}

function planLeft(node: string, catalog: Catalog, serverService: string): readonly CatalogChange[] {
  const record = catalog.node(node)
  const service = catalog.service(node, serverService)
  const check = catalog.check(node, ALIVE_CHECK)
  if (!record || !(service && check)) return []
  const own = [
    ...[check, ...catalog.checksOf(service)].map(
      (one) => ({ table: 'checks', op: 'delete', record: one }) as const,
    ),
    { table: 'services', op: 'delete', record: service } as const,
  ]
  const isAll = catalog.servicesOn(node).length + catalog.checksOn(node).length === own.length
  return isAll ? endOfNode(record, catalog) : own
}

function aliveCheck(node: string, status: 'passing' | 'critical'): CheckRecord {
  return {
    Node: node,
    CheckID: ALIVE_CHECK,
    Name: 'Serf Health Status',
    Status: status,
    Notes: '',
    Output: status === 'passing' ? 'Agent alive and reachable' : 'Agent not live or unreachable',
    ServiceID: '',
    Type: '',
    Interval: '',
    Timeout: '',
    ExposedPort: 0,
    Definition: {},
    ...STAMPS,
    Namespace: DEFAULT_NAMESPACE,
  }
}

function placeOf(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':')
  const host = address.slice(0, Math.max(0, colon)).replace(/^\[|\]$/g, '') || '127.0.0.1'
  return { host, port: Number(address.slice(colon + 1)) || 0 }
}
