/**
 * The catalog of this datacenter, in memory: nodes, services, checks, coordinates and sessions. A store
 * maintains a catalog and provides it with `store.catalog()`, like the directory. Unlike the directory, it is
 * one mutable object: between two `await`s it shows one index, and returned values never change. Read
 * everything that an answer needs, and its index, in one turn. Names and ids of nodes and services, and ids
 * of checks, compare case-insensitively; records keep the spelling that was written. Namespaces compare
 * exactly. Lists are in the order of the lower-case names: nodes by name; services by node, then id; checks
 * by node, then id.
 */
import { DEFAULT_NAMESPACE, nameKey } from '@latchkey/acl'
import { connectNameOf } from './connect.ts'
import { canonicalIp } from './ip-address.ts'
import {
  type CheckRecord,
  CONNECT_LOSS,
  type CoordinateRecord,
  checkKey,
  connectKey,
  coordinateKey,
  EXTINCTION,
  type NodeRecord,
  nodeKey,
  type ServiceIndexRecord,
  type ServiceRecord,
  serviceKey,
} from './records/catalog-records.ts'
import { type SessionRecord, sessionCheckKeys } from './records/session-records.ts'

/** A map whose values are in the order of their keys. The sorted list is built on demand and cached until a change. */
class OrderedMap<T> {
  private readonly entries = new Map<string, T>()
  private sortedKeys: readonly string[] | undefined
  private list: readonly T[] | undefined

  get size(): number {
    return this.entries.size
  }

  get(key: string): T | undefined {
    return this.entries.get(key)
  }

  set(key: string, value: T): void {
    if (!this.entries.has(key)) this.sortedKeys = undefined
    this.entries.set(key, value)
    this.list = undefined
  }

  delete(key: string): void {
    if (!this.entries.delete(key)) return
    this.sortedKeys = undefined
    this.list = undefined
  }

  /** The values in UTF-16 order of the keys. The returned list never changes. */
  values(): readonly T[] {
    this.sortedKeys ??= [...this.entries.keys()].sort()
    this.list ??= this.sortedKeys.map((key) => this.entries.get(key) as T)
    return this.list
  }
}

const NONE: readonly never[] = []

/** The records of a table by key, and groups of them by other keys. Lists are in the order of the keys. */
class Table<T> {
  private readonly records = new OrderedMap<T>()
  private readonly groups = new Map<string, OrderedMap<T>>()
  private readonly groupsOf: (record: T) => readonly string[]

  /** @param groupsOf the groups of a record. The keys of all groups must differ. */
  constructor(groupsOf: (record: T) => readonly string[] = () => NONE) {
    this.groupsOf = groupsOf
  }

  get(key: string): T | undefined {
    return this.records.get(key)
  }

  values(): readonly T[] {
    return this.records.values()
  }

  in(group: string): readonly T[] {
    return this.groups.get(group)?.values() ?? NONE
  }

  set(key: string, record: T | undefined): void {
    const before = this.records.get(key)
    const groups = record === undefined ? NONE : this.groupsOf(record)
    for (const name of before === undefined ? NONE : this.groupsOf(before)) {
      const group = groups.includes(name) ? undefined : this.groups.get(name)
      group?.delete(key)
      if (group?.size === 0) this.groups.delete(name)
    }
    if (record === undefined) {
      this.records.delete(key)
      return
    }
    this.records.set(key, record)
    for (const name of groups) {
      const group = this.groups.get(name) ?? new OrderedMap<T>()
      group.set(key, record)
      this.groups.set(name, group)
    }
  }
}

export interface CatalogRecords {
  readonly nodes: NodeRecord
  readonly services: ServiceRecord
  readonly checks: CheckRecord
  readonly coordinates: CoordinateRecord
  readonly sessions: SessionRecord
  readonly serviceIndexes: ServiceIndexRecord
}
export type CatalogTable = keyof CatalogRecords

/** Ordered so that every record comes after the records that it requires. */
export const CATALOG_TABLES = [
  'nodes',
  'services',
  'checks',
  'coordinates',
  'sessions',
  'serviceIndexes',
] as const satisfies readonly CatalogTable[]

export function isCatalogTable(name: string): name is CatalogTable {
  return (CATALOG_TABLES as readonly string[]).includes(name)
}

type ServicePlace = Pick<ServiceRecord, 'Node' | 'Namespace' | 'ID'>

/** A prefix of a UUID that is long enough to look up nodes. */
const START_OF_ID = /^[0-9a-f-]{2,36}$/

export class Catalog {
  private readonly tables: { readonly [T in CatalogTable]: Table<CatalogRecords[T]> } = {
    nodes: new Table(({ ID }) => (ID === '' ? [] : [ID.toLowerCase()])),
    services: new Table((service) => {
      const connect = connectKeyOf(service)
      const groups = [onNode(service.Node), nameKey(service.Namespace, service.Service)]
      return connect === undefined ? groups : [...groups, connectKey(connect)]
    }),
    checks: new Table((check) => [onNode(check.Node), ownerKey(check)]),
    coordinates: new Table(({ Node }) => [onNode(Node)]),
    sessions: new Table((session) => [onNode(session.Node), ...sessionCheckKeys(session)]),
    serviceIndexes: new Table(),
  }
  readonly sessions = new Sessions(this.tables.sessions)
  private nodesByIp: ReadonlyMap<string, readonly NodeRecord[]> | undefined
  private servicesByIp: ReadonlyMap<string, readonly ServiceRecord[]> | undefined

  node(name: string): NodeRecord | undefined {
    return this.tables.nodes.get(nodeKey(name))
  }

  /** The stored spelling of a node's name, which rights checks use; an unknown name is returned as is. */
  nodeName(name: string): string {
    return this.node(name)?.Node ?? name
  }

  /** @param id not empty. */
  nodeById(id: string): NodeRecord | undefined {
    return this.tables.nodes.in(id.toLowerCase())[0]
  }

  /**
   * The only node whose ID has this prefix. @param start the prefix; with fewer than two characters, nothing is found.
   */
  nodeByStartOfId(start: string): NodeRecord | undefined {
    const key = start.toLowerCase()
    if (!START_OF_ID.test(key)) return undefined
    const known = this.nodeById(key)
    if (known) return known
    const found = this.nodes().filter(({ ID }) => ID.startsWith(key))
    return found.length === 1 ? found[0] : undefined
  }

  nodes(): readonly NodeRecord[] {
    return this.tables.nodes.values()
  }

  service(node: string, id: string, namespace: string = DEFAULT_NAMESPACE): ServiceRecord | undefined {
    return this.tables.services.get(serviceKey({ Node: node, Namespace: namespace, ID: id }))
  }

  /** In all namespaces. */
  servicesOn(node: string): readonly ServiceRecord[] {
    return this.tables.services.in(onNode(node))
  }

  instances(name: string, namespace: string = DEFAULT_NAMESPACE): readonly ServiceRecord[] {
    return this.tables.services.in(nameKey(namespace, name))
  }

  /** The connection endpoints of a service: its native instances, and the proxies that represent it. */
  connectInstances(name: string, namespace: string = DEFAULT_NAMESPACE): readonly ServiceRecord[] {
    return this.tables.services.in(connectKey(nameKey(namespace, name)))
  }

  /** Every instance of every service, in all namespaces. */
  services(): readonly ServiceRecord[] {
    return this.tables.services.values()
  }

  check(node: string, checkId: string, namespace: string = DEFAULT_NAMESPACE): CheckRecord | undefined {
    return this.tables.checks.get(checkKey({ Node: node, Namespace: namespace, CheckID: checkId }))
  }

  /** Checks of a node and of its services, in all namespaces. */
  checksOn(node: string): readonly CheckRecord[] {
    return this.tables.checks.in(onNode(node))
  }

  /** Checks of a node, without the checks of its services. */
  nodeChecks(node: string): readonly CheckRecord[] {
    return this.tables.checks.in(nodeKey(node))
  }

  /** Checks of an instance, without the checks of its node. */
  checksOf(service: ServicePlace): readonly CheckRecord[] {
    return this.tables.checks.in(serviceKey(service))
  }

  /** Every check, in all namespaces. */
  checks(): readonly CheckRecord[] {
    return this.tables.checks.values()
  }

  /** The service to which a check belongs; undefined for a check of the node. */
  serviceOf(check: CheckRecord): ServiceRecord | undefined {
    return check.ServiceID === '' ? undefined : this.service(check.Node, check.ServiceID, check.Namespace)
  }

  coordinate(node: string, segment = ''): CoordinateRecord | undefined {
    return this.tables.coordinates.get(coordinateKey({ Node: node, Segment: segment }))
  }

  /** The coordinates of a node, in all segments. */
  coordinatesOf(node: string): readonly CoordinateRecord[] {
    return this.tables.coordinates.in(onNode(node))
  }

  /** By node, then segment. */
  coordinates(): readonly CoordinateRecord[] {
    return this.tables.coordinates.values()
  }

  /** The nodes whose Address is this IP address. @param ip in any notation; with an invalid text, nothing is found. */
  nodesAt(ip: string): readonly NodeRecord[] {
    this.nodesByIp ??= Map.groupBy(this.nodes(), ({ Address }) => canonicalIp(Address) ?? '')
    const key = canonicalIp(ip)
    return (key && this.nodesByIp.get(key)) || []
  }

  /**
   * The instances, in all namespaces, whose own Address is this IP address; the addresses of their nodes are not
   * considered.
   */
  instancesAt(ip: string): readonly ServiceRecord[] {
    this.servicesByIp ??= Map.groupBy(this.services(), ({ Address }) => canonicalIp(Address) ?? '')
    const key = canonicalIp(ip)
    return (key && this.servicesByIp.get(key)) || []
  }

  /** Index of the last change of a service, for its answers. Undefined while it has no instance. */
  serviceIndex(name: string, namespace: string = DEFAULT_NAMESPACE): number | undefined {
    return this.tables.serviceIndexes.get(nameKey(namespace, name))?.ModifyIndex
  }

  /** Index at which a service most recently lost its last instance; undefined if none ever did. */
  extinctionIndex(): number | undefined {
    return this.tables.serviceIndexes.get(EXTINCTION)?.ModifyIndex
  }

  /**
   * Index of the last change of {@link Catalog.connectInstances} of a service, or a later one. Undefined while there are
   * none.
   */
  connectIndex(name: string, namespace: string = DEFAULT_NAMESPACE): number | undefined {
    const names = new Set(
      this.connectInstances(name, namespace).map(({ Namespace, Service }) => nameKey(Namespace, Service)),
    )
    if (names.size === 0) return undefined
    // An instance that left is in none of these names.
    return [...names, CONNECT_LOSS].reduce(
      (last, key) => Math.max(last, this.tables.serviceIndexes.get(key)?.ModifyIndex ?? 0),
      0,
    )
  }

  /** Index at which an instance most recently stopped accepting connections for a service; undefined if none ever did. */
  connectLossIndex(): number | undefined {
    return this.tables.serviceIndexes.get(CONNECT_LOSS)?.ModifyIndex
  }

  /** For stores: puts a record, replacing the record with the same key. */
  put<T extends CatalogTable>(table: T, record: CatalogRecords[T]): void {
    this.set(table, catalogKey(table, record), record)
  }

  remove(table: CatalogTable, key: string): void {
    this.set(table, key, undefined)
  }

  get<T extends CatalogTable>(table: T, key: string): CatalogRecords[T] | undefined {
    return this.tables[table].get(key)
  }

  private set<T extends CatalogTable>(table: T, key: string, record: CatalogRecords[T] | undefined): void {
    this.tables[table].set(key, record)
    if (table === 'nodes') this.nodesByIp = undefined
    if (table === 'services') this.servicesByIp = undefined
  }
}

class Sessions {
  private readonly table: Table<SessionRecord>

  constructor(table: Table<SessionRecord>) {
    this.table = table
  }

  /** @param id in any case. */
  get(id: string): SessionRecord | undefined {
    return this.table.get(id.toLowerCase())
  }

  /** All sessions, in order of ID. */
  values(): readonly SessionRecord[] {
    return this.table.values()
  }

  /** Sessions of a node, in order of ID. */
  on(node: string): readonly SessionRecord[] {
    return this.table.in(onNode(node))
  }

  /** Sessions that depend on a check. @param key `checkKey` */
  withCheck(key: string): readonly SessionRecord[] {
    return this.table.in(key)
  }
}

/** The group of what is on a node. No key of a node, service or check begins with NUL. */
function onNode(node: string): string {
  return `\0${nodeKey(node)}`
}

/** `nameKey` of the service for which an instance accepts connections. */
export function connectKeyOf(service: ServiceRecord): string | undefined {
  const name = connectNameOf(service)
  return name === undefined ? undefined : nameKey(service.Namespace, name)
}

function ownerKey({ Node, Namespace, ServiceID }: CheckRecord): string {
  return ServiceID === '' ? nodeKey(Node) : serviceKey({ Node, Namespace, ID: ServiceID })
}

const KEYS: { readonly [T in CatalogTable]: (record: CatalogRecords[T]) => string } = {
  nodes: ({ Node }) => nodeKey(Node),
  services: serviceKey,
  checks: checkKey,
  coordinates: coordinateKey,
  sessions: ({ ID }) => ID,
  serviceIndexes: ({ Name }) => Name,
}

/** The key of a record in its table: equal keys are the same record. */
export function catalogKey<T extends CatalogTable>(table: T, record: CatalogRecords[T]): string {
  return KEYS[table](record)
}
