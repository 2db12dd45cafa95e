/**
 * The catalog of this datacenter, in memory: nodes, services, checks, coordinates and sessions.
 *
 * A store maintains a catalog and provides it with `store.catalog()`, like the directory. Unlike the directory, it is
 * one mutable object: between two `await`s it shows one index, and returned values never change. Read everything that
 * an answer needs, and its index, in one turn.
 *
 * Names and ids of nodes and services, and ids of checks, compare case-insensitively; records keep the spelling that
 * was written. Namespaces compare exactly. Lists are in the order of the lower-case names: nodes by name; services by
 * node, then id; checks by node, then id.
 *
 * - nodes: {@link Catalog.node}, {@link Catalog.nodeById}, {@link Catalog.nodeByStartOfId}, {@link Catalog.nodes}
 * - services: {@link Catalog.service}, {@link Catalog.servicesOn} a node, {@link Catalog.instances} of a name,
 *   {@link Catalog.connectInstances}, {@link Catalog.services}
 * - checks: {@link Catalog.check}, {@link Catalog.checksOn} a node, {@link Catalog.checksOf} an instance,
 *   {@link Catalog.checks}
 * - addresses: {@link Catalog.nodesAt}, {@link Catalog.instancesAt}
 * - sessions: {@link Catalog.sessions}
 * - indexes of service names: {@link Catalog.serviceIndex}, {@link Catalog.extinctionIndex}, and of their connection
 *   endpoints: {@link Catalog.connectIndex}, {@link Catalog.connectLossIndex}; the store has the indexes of tables
 */

import { DEFAULT_NAMESPACE, nameKey } from '@latchkey/acl'
import { AddressIndex } from './address-index.ts'
import { connectNameOf } from './connect.ts'
import { Groups, OrderedMap } from './ordered-map.ts'
import type {
  CheckRecord,
  CoordinateRecord,
  NodeRecord,
  ServiceIndexRecord,
  ServiceRecord,
} from './records/catalog-records.ts'
import {
  CONNECT_LOSS,
  checkKey,
  coordinateKey,
  EXTINCTION,
  nodeKey,
  serviceKey,
} from './records/catalog-records.ts'
import type { SessionRecord } from './records/session-records.ts'
import { SessionIndex } from './sessions/session-index.ts'

/** The tables of the catalog, and their records. */
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

/** Identifies the instance of a check. */
type ServicePlace = Pick<ServiceRecord, 'Node' | 'Namespace' | 'ID'>

/** A prefix of a UUID that is long enough to look up nodes. */
const START_OF_ID = /^[0-9a-f-]{2,36}$/

export class Catalog {
  readonly sessions = new SessionIndex()
  private readonly nodeRecords = new OrderedMap<NodeRecord>()
  private readonly nodeKeysById = new Map<string, string>()
  private readonly serviceRecords = new OrderedMap<ServiceRecord>()
  private readonly servicesByNode = new Groups<ServiceRecord>()
  private readonly servicesByName = new Groups<ServiceRecord>()
  private readonly servicesByConnectName = new Groups<ServiceRecord>()
  private readonly checkRecords = new OrderedMap<CheckRecord>()
  private readonly checksByNode = new Groups<CheckRecord>()
  /** Checks of services by the key of the service, checks of nodes by the key of the node. */
  private readonly checksByOwner = new Groups<CheckRecord>()
  private readonly coordinateRecords = new OrderedMap<CoordinateRecord>()
  private readonly coordinatesByNode = new Groups<CoordinateRecord>()
  private readonly serviceIndexRecords = new Map<string, ServiceIndexRecord>()
  private addresses: AddressIndex | undefined

  node(name: string): NodeRecord | undefined {
    return this.nodeRecords.get(nodeKey(name))
  }

  /** The stored spelling of a node's name, which rights checks use; an unknown name is returned as is. */
  nodeName(name: string): string {
    return this.node(name)?.Node ?? name
  }

  /** @param id not empty. */
  nodeById(id: string): NodeRecord | undefined {
    const key = this.nodeKeysById.get(id.toLowerCase())
    return key === undefined ? undefined : this.nodeRecords.get(key)
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
    return this.nodeRecords.values()
  }

  service(node: string, id: string, namespace: string = DEFAULT_NAMESPACE): ServiceRecord | undefined {
    return this.serviceRecords.get(serviceKey({ Node: node, Namespace: namespace, ID: id }))
  }

  /** In all namespaces. */
  servicesOn(node: string): readonly ServiceRecord[] {
    return this.servicesByNode.of(nodeKey(node))
  }

  /** The instances of a service. */
  instances(name: string, namespace: string = DEFAULT_NAMESPACE): readonly ServiceRecord[] {
    return this.servicesByName.of(nameKey(namespace, name))
  }

  /** The connection endpoints of a service: its native instances, and the proxies that represent it. */
  connectInstances(name: string, namespace: string = DEFAULT_NAMESPACE): readonly ServiceRecord[] {
    return this.servicesByConnectName.of(nameKey(namespace, name))
  }

  /** Every instance of every service, in all namespaces. */
  services(): readonly ServiceRecord[] {
    return this.serviceRecords.values()
  }

  check(node: string, checkId: string, namespace: string = DEFAULT_NAMESPACE): CheckRecord | undefined {
    return this.checkRecords.get(checkKey({ Node: node, Namespace: namespace, CheckID: checkId }))
  }

  /** Checks of a node and of its services, in all namespaces. */
  checksOn(node: string): readonly CheckRecord[] {
    return this.checksByNode.of(nodeKey(node))
  }

  /** Checks of a node, without the checks of its services. */
  nodeChecks(node: string): readonly CheckRecord[] {
    return this.checksByOwner.of(nodeKey(node))
  }

  /** Checks of an instance, without the checks of its node. */
  checksOf(service: ServicePlace): readonly CheckRecord[] {
    return this.checksByOwner.of(serviceKey(service))
  }

  /** Every check, in all namespaces. */
  checks(): readonly CheckRecord[] {
    return this.checkRecords.values()
  }

  /** The service to which a check belongs; undefined for a check of the node. */
  serviceOf(check: CheckRecord): ServiceRecord | undefined {
    return check.ServiceID === '' ? undefined : this.service(check.Node, check.ServiceID, check.Namespace)
  }

  coordinate(node: string, segment = ''): CoordinateRecord | undefined {
    return this.coordinateRecords.get(coordinateKey({ Node: node, Segment: segment }))
  }

  /** The coordinates of a node, in all segments. */
  coordinatesOf(node: string): readonly CoordinateRecord[] {
    return this.coordinatesByNode.of(nodeKey(node))
  }

  /** By node, then segment. */
  coordinates(): readonly CoordinateRecord[] {
    return this.coordinateRecords.values()
  }

  /** The nodes whose Address is this IP address. @param ip in any notation; with an invalid text, nothing is found. */
  nodesAt(ip: string): readonly NodeRecord[] {
    return this.addressIndex().nodes(ip)
  }

  /**
   * The instances, in all namespaces, whose own Address is this IP address; the addresses of their nodes are not
   * considered.
   */
  instancesAt(ip: string): readonly ServiceRecord[] {
    return this.addressIndex().services(ip)
  }

  /** Index of the last change of a service, for its answers. Undefined while it has no instance. */
  serviceIndex(name: string, namespace: string = DEFAULT_NAMESPACE): number | undefined {
    return this.serviceIndexRecords.get(nameKey(namespace, name))?.ModifyIndex
  }

  /** Index at which a service most recently lost its last instance; undefined if none ever did. */
  extinctionIndex(): number | undefined {
    return this.serviceIndexRecords.get(EXTINCTION)?.ModifyIndex
  }

  /**
   * Index of the last change of {@link Catalog.connectInstances} of a service, or a later one. Undefined while there are
   * none.
   */
  connectIndex(name: string, namespace: string = DEFAULT_NAMESPACE): number | undefined {
    const names = new Set(this.connectInstances(name, namespace).map(nameKeyOf))
    if (names.size === 0) return undefined
    // An instance that left is in none of these names.
    return [...names, CONNECT_LOSS].reduce(
      (last, key) => Math.max(last, this.serviceIndexRecords.get(key)?.ModifyIndex ?? 0),
      0,
    )
  }

  /** Index at which an instance most recently stopped accepting connections for a service; undefined if none ever did. */
  connectLossIndex(): number | undefined {
    return this.serviceIndexRecords.get(CONNECT_LOSS)?.ModifyIndex
  }

  /** For stores: puts a record, replacing the record with the same key. */
  put<T extends CatalogTable>(table: T, record: CatalogRecords[T]): void {
    const change = { table, record } as CatalogPut
    switch (change.table) {
      case 'nodes':
        this.putNode(change.record)
        return
      case 'services':
        this.putService(change.record)
        return
      case 'checks':
        this.putCheck(change.record)
        return
      case 'coordinates':
        this.putCoordinate(change.record)
        return
      case 'sessions':
        this.sessions.put(change.record)
        return
      case 'serviceIndexes':
        this.serviceIndexRecords.set(change.record.Name, change.record)
    }
  }

  /** For stores: removes the record with this key ({@link catalogKey}), if it exists. */
  remove(table: CatalogTable, key: string): void {
    switch (table) {
      case 'nodes':
        this.removeNode(key)
        return
      case 'services':
        this.removeService(key)
        return
      case 'checks':
        this.removeCheck(key)
        return
      case 'coordinates':
        this.removeCoordinate(key)
        return
      case 'sessions':
        this.sessions.remove(key)
        return
      case 'serviceIndexes':
        this.serviceIndexRecords.delete(key)
    }
  }

  /** For stores: the record with this key. */
  get<T extends CatalogTable>(table: T, key: string): CatalogRecords[T] | undefined {
    const tables: { readonly [K in CatalogTable]: { get(key: string): CatalogRecords[K] | undefined } } = {
      nodes: this.nodeRecords,
      services: this.serviceRecords,
      checks: this.checkRecords,
      coordinates: this.coordinateRecords,
      sessions: this.sessions,
      serviceIndexes: this.serviceIndexRecords,
    }
    return tables[table].get(key)
  }

  private putNode(record: NodeRecord): void {
    const key = nodeKey(record.Node)
    this.forgetNodeId(key)
    this.nodeRecords.set(key, record)
    if (record.ID !== '') this.nodeKeysById.set(record.ID.toLowerCase(), key)
    this.addresses = undefined
  }

  private removeNode(key: string): void {
    this.forgetNodeId(key)
    this.nodeRecords.delete(key)
    this.addresses = undefined
  }

  /** The id of a renamed node may already belong to its new name. */
  private forgetNodeId(key: string): void {
    const id = this.nodeRecords.get(key)?.ID.toLowerCase()
    if (id !== undefined && this.nodeKeysById.get(id) === key) this.nodeKeysById.delete(id)
  }

  private putService(record: ServiceRecord): void {
    const key = serviceKey(record)
    const before = this.serviceRecords.get(key)
    this.serviceRecords.set(key, record)
    this.groupService(key, before, record)
  }

  private removeService(key: string): void {
    const before = this.serviceRecords.get(key)
    this.serviceRecords.delete(key)
    this.groupService(key, before, undefined)
  }

  private groupService(key: string, before?: ServiceRecord, after?: ServiceRecord): void {
    this.servicesByNode.move(key, before && nodeKey(before.Node), after && nodeKey(after.Node), after)
    this.servicesByName.move(key, before && nameKeyOf(before), after && nameKeyOf(after), after)
    this.servicesByConnectName.move(key, connectKeyOf(before), connectKeyOf(after), after)
    this.addresses = undefined
  }

  private putCheck(record: CheckRecord): void {
    const key = checkKey(record)
    const before = this.checkRecords.get(key)
    this.checkRecords.set(key, record)
    this.groupCheck(key, before, record)
  }

  private removeCheck(key: string): void {
    const before = this.checkRecords.get(key)
    this.checkRecords.delete(key)
    this.groupCheck(key, before, undefined)
  }

  private groupCheck(key: string, before?: CheckRecord, after?: CheckRecord): void {
    this.checksByNode.move(key, before && nodeKey(before.Node), after && nodeKey(after.Node), after)
    this.checksByOwner.move(key, before && ownerKey(before), after && ownerKey(after), after)
  }

  private putCoordinate(record: CoordinateRecord): void {
    const key = coordinateKey(record)
    const node = nodeKey(record.Node)
    this.coordinateRecords.set(key, record)
    this.coordinatesByNode.move(key, node, node, record)
  }

  private removeCoordinate(key: string): void {
    const before = this.coordinateRecords.get(key)
    this.coordinateRecords.delete(key)
    this.coordinatesByNode.move(key, before && nodeKey(before.Node), undefined, undefined)
  }

  private addressIndex(): AddressIndex {
    this.addresses ??= new AddressIndex(this.nodes(), this.services())
    return this.addresses
  }
}

type CatalogPut = {
  [T in CatalogTable]: { readonly table: T; readonly record: CatalogRecords[T] }
}[CatalogTable]

function nameKeyOf({ Namespace, Service }: ServiceRecord): string {
  return nameKey(Namespace, Service)
}

function connectKeyOf(record: ServiceRecord | undefined): string | undefined {
  const name = record && connectNameOf(record)
  return name === undefined ? undefined : nameKey(record?.Namespace ?? '', name)
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
