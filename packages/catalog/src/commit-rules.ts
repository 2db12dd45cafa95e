/**
 * The integrity rules of the catalog for a commit, and how the commit changes the indexes of services. Stores apply
 * these rules to the catalog just before the commit, so the results are the same in every process and after every
 * restart.
 */

import { isSame, nameKey } from '@latchkey/acl'
import { type Catalog, type CatalogRecords, type CatalogTable, catalogKey, connectKeyOf } from './catalog.ts'
import {
  CONNECT_LOSS,
  CRITICAL,
  checkKey,
  connectKey,
  EXTINCTION,
  nodeKey,
  SERVICE_NAMES,
  type ServiceIndexRecord,
  type ServiceRecord,
  serviceKey,
} from './records/catalog-records.ts'
import { sessionCheckKeys } from './records/session-records.ts'

/** A change of a record, as in the store. A record that equals the stored one is not a change. */
export type CatalogChange = {
  readonly [T in CatalogTable]: {
    readonly table: T
    readonly op: 'put' | 'delete'
    readonly record: CatalogRecords[T]
  }
}[CatalogTable]

type ServiceName = Pick<ServiceRecord, 'Namespace' | 'Service'>

type IndexChange = Extract<CatalogChange, { readonly table: 'serviceIndexes' }>

/**
 * The changes of service indexes in a commit. Each service whose answers the commit changes gets its index: a change
 * affects an instance, one of its checks, its node, or a check of its node. If an instance changes its service name, both
 * services are affected; likewise the services for which it accepts connections. A service without instances has no
 * index; the extinction index changes instead. Connection endpoints have no index of their own: see `connectKey`.
 *
 * @param before contains the changed records, the services on nodes that change or whose checks change, the services of
 * changed checks, and for each affected service its index, its changed instances, and at least one other instance, if
 * there is one.
 * @returns changes for the same commit.
 */
export function serviceIndexChanges(
  changes: readonly CatalogChange[],
  before: Catalog,
): readonly IndexChange[] {
  const after = new After(changes, before)
  const services = new Map<string, ServiceName>()
  const connects = new Set<string>()
  let losesConnect = false
  const note = (service: ServiceRecord | undefined) => {
    if (!service) return
    services.set(nameKey(service.Namespace, service.Service), service)
    const connect = connectKeyOf(service)
    if (connect !== undefined) connects.add(connect)
  }
  for (const change of changes) {
    const { table, record } = change
    if (table === 'nodes') for (const service of before.servicesOn(record.Node)) note(service)
    else if (table === 'services') {
      const stored = before.get('services', serviceKey(record))
      note(stored)
      if (change.op === 'put') note(record)
      const connect = stored && connectKeyOf(stored)
      losesConnect ||= connect !== undefined && (change.op === 'delete' || connectKeyOf(record) !== connect)
    } else if (table === 'checks') {
      const stored = before.get('checks', checkKey(record))
      for (const check of [stored, change.op === 'put' ? record : undefined]) {
        if (!check) continue
        const { Node, Namespace, ServiceID } = check
        if (ServiceID === '') for (const service of before.servicesOn(Node)) note(service)
        else note(after.get('services', serviceKey({ Node, Namespace, ID: ServiceID })))
      }
    }
  }
  const moved: IndexChange[] = []
  let isNew = false
  let isExtinct = false
  for (const [key, { Namespace, Service }] of services) {
    const wasThere = before.get('serviceIndexes', key) !== undefined
    const isThere = after.hasInstance(key, before.instances(Service, Namespace))
    if (wasThere || isThere) moved.push(indexChange(isThere ? 'put' : 'delete', key))
    isNew ||= !wasThere && isThere
    isExtinct ||= wasThere && !isThere
  }
  if (isExtinct) moved.push(indexChange('put', EXTINCTION))
  if (isNew || isExtinct) moved.push(indexChange('put', SERVICE_NAMES))
  for (const key of connects) moved.push(indexChange('delete', connectKey(key)))
  if (losesConnect) moved.push(indexChange('put', CONNECT_LOSS))
  return moved
}

function indexChange(op: 'put' | 'delete', key: string): IndexChange {
  const record: ServiceIndexRecord = { Name: key, CreateIndex: 0, ModifyIndex: 0 }
  return { table: 'serviceIndexes', op, record }
}

/**
 * Whether a commit preserves integrity: every service, check, coordinate and session that it touches has its
 * node, every check of a service has its service, and every new session has its checks, none of them
 * critical. The sessions of a removed node end with it. @param before contains the nodes of all changes, the
 * services of changed checks, the checks of deleted services and of new sessions, and everything on deleted
 * nodes.
 */
export function keepsCatalogWhole(changes: readonly CatalogChange[], before: Catalog): boolean {
  const after = new After(changes, before)
  return changes.every((change) => {
    const { table, op, record } = change
    if (table === 'serviceIndexes') return true
    if (table === 'nodes') return op === 'put' || after.isEmpty(record.Node)
    if (op === 'delete') return table !== 'services' || after.checksOf(record).length === 0
    if (after.get('nodes', nodeKey(record.Node)) === undefined) return false
    if (table === 'sessions') return sessionCheckKeys(record).every((key) => after.isHealthy(key))
    if (table !== 'checks' || record.ServiceID === '') return true
    const { Node, Namespace, ServiceID } = record
    return after.get('services', serviceKey({ Node, Namespace, ID: ServiceID })) !== undefined
  })
}

class After {
  private readonly before: Catalog
  private readonly changed = new Map<string, CatalogChange>()

  constructor(changes: readonly CatalogChange[], before: Catalog) {
    this.before = before
    for (const change of changes)
      this.changed.set(idOf(change.table, catalogKey(change.table, change.record)), change)
  }

  isHealthy(key: string): boolean {
    const check = this.get('checks', key)
    return check !== undefined && check.Status !== CRITICAL
  }

  get<T extends 'nodes' | 'services' | 'checks'>(table: T, key: string): CatalogRecords[T] | undefined {
    const change = this.changed.get(idOf(table, key))
    if (!change) return this.before.get(table, key)
    // The id identifies the table.
    return change.op === 'put' ? (change.record as CatalogRecords[T]) : undefined
  }

  /** @param instances some instances of the service before the commit: see {@link serviceIndexChanges}. */
  hasInstance(key: string, instances: readonly ServiceRecord[]): boolean {
    const isInstance = (service: ServiceRecord | undefined) =>
      service !== undefined && nameKey(service.Namespace, service.Service) === key
    if (instances.some((service) => isInstance(this.get('services', serviceKey(service))))) return true
    return this.puts('services').some(isInstance)
  }

  isEmpty(node: string): boolean {
    const isHere = ({ Node }: { readonly Node: string }) => nodeKey(Node) === nodeKey(node)
    const { before } = this
    return !(
      before.servicesOn(node).some((record) => !this.isGone('services', record)) ||
      before.checksOn(node).some((record) => !this.isGone('checks', record)) ||
      before.coordinatesOf(node).some((record) => !this.isGone('coordinates', record)) ||
      [...this.puts('services'), ...this.puts('checks'), ...this.puts('coordinates')].some(isHere)
    )
  }

  checksOf(service: ServiceRecord): readonly CatalogRecords['checks'][] {
    const key = serviceKey(service)
    const left = this.before
      .checksOf(service)
      .filter((record) => !this.changed.has(idOfRecord('checks', record)))
    const put = this.puts('checks').filter(
      ({ Node, Namespace, ServiceID }) => serviceKey({ Node, Namespace, ID: ServiceID }) === key,
    )
    return [...left, ...put]
  }

  private isGone<T extends CatalogTable>(table: T, record: CatalogRecords[T]): boolean {
    return this.changed.get(idOfRecord(table, record))?.op === 'delete'
  }

  private puts<T extends CatalogTable>(table: T): readonly CatalogRecords[T][] {
    const records: CatalogRecords[T][] = []
    for (const change of this.changed.values()) {
      if (change.table === table && change.op === 'put') records.push(change.record as CatalogRecords[T])
    }
    return records
  }
}

function idOfRecord<T extends CatalogTable>(table: T, record: CatalogRecords[T]): string {
  return idOf(table, catalogKey(table, record))
}

function idOf(table: CatalogTable, key: string): string {
  return `${table} ${key}`
}

/** Whether two records have the same content, apart from their indexes. */
export function isSameContent(record: object, other: object | undefined): boolean {
  return other !== undefined && isSame({ ...record, ...INDEXES }, { ...other, ...INDEXES })
}

const INDEXES = { CreateIndex: 0, ModifyIndex: 0 }
