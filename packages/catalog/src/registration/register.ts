/** What a registration writes to the catalog, and the rights that it needs. Decisions: catalog. */
import { DEFAULT_NAMESPACE, invalidField, isUuid } from '@latchkey/acl'
import { AclError, type Deregistration, type Registration } from '@latchkey/contract'
import type { Catalog } from '../catalog.ts'
import { type CatalogChange, isSameContent } from '../commit-rules.ts'
import { CONNECT_PROXY } from '../connect.ts'
import { type CheckRecord, type NodeRecord, nodeKey, type ServiceRecord } from '../records/catalog-records.ts'
import { readCheck, readService } from './registered-records.ts'

export interface RegistrationRequest {
  readonly node: NodeRecord
  readonly service: ServiceRecord | undefined
  readonly checks: readonly CheckRecord[]
  readonly skipsNode: boolean
}

export type CatalogNeed = Named &
  (
    | { readonly resource: 'node'; readonly segment: string }
    | { readonly resource: 'service'; readonly segment: string; readonly namespace: string }
  )

interface Named {
  /** The name in the request; absent for a record that only the catalog names. */
  readonly given?: string
  /** The refusal of a caller that may not read the record: the same as if there were none. */
  readonly whenHidden?: AclError
}

export interface CatalogPlan {
  readonly needs: readonly CatalogNeed[]
  /** Why the catalog does not allow the registration, regardless of the caller's rights. */
  readonly fault: AclError | undefined
  readonly changes: readonly CatalogChange[]
}

const STAMPS = { CreateIndex: 0, ModifyIndex: 0 }

/**
 * Reads the body of a registration.
 * @param namespaceOf chooses the namespace of a service or check, from the field of the body.
 */
export function readRegistration(
  body: Registration,
  namespaceOf: (field: string | undefined) => string,
): RegistrationRequest {
  const { ID = '', Node = '', Address = '', SkipNodeUpdate: skipsNode = false } = body
  if (Node === '') throw new AclError('field_required', 'Must provide node', { field: 'Node' })
  if (Address === '' && !skipsNode) {
    const problem = 'Must provide address if SkipNodeUpdate is not set'
    throw new AclError('field_required', problem, { field: 'Address' })
  }
  if (ID !== '' && !isUuid(ID)) throw invalidField('ID', `Bad node ID: ${JSON.stringify(ID)} is no UUID`)
  const node: NodeRecord = {
    ID: ID.toLowerCase(),
    Node,
    Address,
    TaggedAddresses: body.TaggedAddresses ?? null,
    Meta: body.NodeMeta ?? null,
    ...STAMPS,
  }
  const service = body.Service && readService(body.Service, Node, namespaceOf(body.Service.Namespace))
  const given = [...(body.Check ? [body.Check] : []), ...(body.Checks ?? [])]
  const checks = given.map((check) => readCheck(check, Node, namespaceOf(check.Namespace)))
  return { node, service, checks, skipsNode }
}

/**
 * Plans a registration: unchanged records are not written. A known ID with a new name renames the node, which removes
 * the old node and everything on it.
 */
export function planRegistration(request: RegistrationRequest, catalog: Catalog): CatalogPlan {
  const { node, service, checks } = request
  const holder = catalog.node(node.Node)
  const renamed = renamedNode(request, holder, catalog)
  const known = holder ?? renamed
  const keepsNode = holder !== undefined && (request.skipsNode || isSameContent(request.node, holder))
  const before = service && catalog.service(node.Node, service.ID, service.Namespace)
  const ends = renamed ? endOfNode(renamed, catalog) : []
  const record = { ...node, CreateIndex: known?.CreateIndex ?? 0 }
  const puts: CatalogChange[] = [
    ...(keepsNode ? [] : [{ table: 'nodes', op: 'put', record } as const]),
    ...(service && !isSameContent(service, before)
      ? [{ table: 'services', op: 'put', record: service } as const]
      : []),
    ...checks
      .filter((check) => !isSameContent(check, catalog.check(check.Node, check.CheckID, check.Namespace)))
      .map((check) => ({ table: 'checks', op: 'put', record: check }) as const),
  ]
  const needs: CatalogNeed[] = [
    ...(keepsNode ? [] : needsOfNode(node.Node, catalog)),
    ...(renamed ? [needOfNode(renamed.Node)] : []),
    ...(service ? needsOfService(service).map(asGiven) : []),
    ...(before ? needsOfService(before) : []),
    ...checks.flatMap((check) => needOfCheck(check, service, catalog)),
  ]
  const fault =
    (keepsNode ? undefined : faultOfNode(node, holder, catalog)) ?? faultOfChecks(checks, service, catalog)
  return { needs, fault, changes: [...ends, ...puts] }
}

/**
 * The node that has the registration's ID under another name. With SkipNodeUpdate, an existing node does not receive
 * the ID.
 */
function renamedNode(
  { node, skipsNode }: RegistrationRequest,
  holder: NodeRecord | undefined,
  catalog: Catalog,
): NodeRecord | undefined {
  if (node.ID === '' || (skipsNode && holder)) return undefined
  const other = catalog.nodeById(node.ID)
  return other && nodeKey(other.Node) !== nodeKey(node.Node) ? other : undefined
}

export function endOfNode(node: NodeRecord, catalog: Catalog): readonly CatalogChange[] {
  const of = <T extends CatalogChange['table']>(table: T, records: readonly object[]) =>
    // Each table receives records of its own type.
    records.map((record) => ({ table, op: 'delete', record }) as unknown as CatalogChange)
  return [
    ...of('checks', catalog.checksOn(node.Node)),
    ...of('services', catalog.servicesOn(node.Node)),
    ...of('coordinates', catalog.coordinatesOf(node.Node)),
    ...of('nodes', [node]),
  ]
}

/** ID of the check that shows whether the process of a node is alive. */
export const ALIVE_CHECK = 'serfHealth'

/** The name of a node can be reused with another ID unless the node is known to be alive. */
function faultOfNode(
  node: NodeRecord,
  holder: NodeRecord | undefined,
  catalog: Catalog,
): AclError | undefined {
  if (!holder || holder.ID === '' || node.ID === '' || holder.ID === node.ID) return undefined
  if (catalog.check(holder.Node, ALIVE_CHECK)?.Status !== 'passing') return undefined
  const message = `failed inserting node: Error while renaming Node ID: "${node.ID}": Node name ${node.Node} is reserved by node ${holder.ID} with name ${holder.Node} (${holder.Address})`
  return new AclError('name_in_use', message, { field: 'Node' })
}

function faultOfChecks(
  checks: readonly CheckRecord[],
  service: ServiceRecord | undefined,
  catalog: Catalog,
): AclError | undefined {
  const orphan = checks.find((check) => check.ServiceID !== '' && !serviceOf(check, service, catalog))
  if (!orphan) return undefined
  return unknownService(orphan)
}

function unknownService({ ServiceID, CheckID }: CheckRecord): AclError {
  return invalidField('ServiceID', `Unknown service '${ServiceID}' for check '${CheckID}'`)
}

function serviceOf(
  check: CheckRecord,
  service: ServiceRecord | undefined,
  catalog: Catalog,
): ServiceRecord | undefined {
  const { Node, Namespace, ServiceID } = check
  const isRegistered =
    service?.ID.toLowerCase() === ServiceID.toLowerCase() && service.Namespace === Namespace
  return isRegistered ? service : catalog.service(Node, ServiceID, Namespace)
}

function needOfCheck(
  check: CheckRecord,
  service: ServiceRecord | undefined,
  catalog: Catalog,
): readonly CatalogNeed[] {
  const before = catalog.check(check.Node, check.CheckID, check.Namespace)
  return [check, ...(before ? [before] : [])].flatMap((one) => {
    if (one.ServiceID === '') return needsOfNode(check.Node, catalog)
    const of = serviceOf(one, service, catalog)
    if (!of) return []
    if (of === service) return asGiven(needOfService(of))
    return one === check ? { ...needOfService(of), whenHidden: unknownService(check) } : needOfService(of)
  })
}

/** Rules are case-sensitive: if the stored name differs in case, the caller needs the right to both spellings. */
function needsOfNode(node: string, catalog: Catalog): readonly CatalogNeed[] {
  return [...new Set([node, catalog.nodeName(node)])].map((name) => needOfNode(name, node))
}

export function needOfNode(node: string, given?: string): CatalogNeed {
  return { resource: 'node', segment: node, ...(given === undefined ? {} : { given }) }
}

export function asGiven(need: CatalogNeed): CatalogNeed {
  return { ...need, given: need.segment }
}

export function needOfService({
  Service,
  Namespace,
}: Pick<ServiceRecord, 'Service' | 'Namespace'>): CatalogNeed {
  return { resource: 'service', segment: Service, namespace: Namespace }
}

/** A proxy also needs the right to the service that it represents. */
export function needsOfService(service: ServiceRecord): readonly CatalogNeed[] {
  const { DestinationServiceName: destination } = service.Proxy
  if (service.Kind !== CONNECT_PROXY || typeof destination !== 'string') return [needOfService(service)]
  return [needOfService(service), needOfService({ ...service, Service: destination })]
}

/**
 * The right to the node allows removing everything on it; the right to a service allows removing the service
 * and its checks. Removing a record that does not exist requires the right to the node, and succeeds.
 */
export function planDeregistration(
  { Node = '', ServiceID = '', CheckID = '' }: Deregistration,
  namespace: string,
  catalog: Catalog,
): { readonly oneOf: readonly CatalogNeed[]; readonly changes: readonly CatalogChange[] } {
  if (Node === '') throw new AclError('field_required', 'Must provide node', { field: 'Node' })
  const node = needOfNode(catalog.nodeName(Node), Node)
  if (ServiceID !== '') {
    const service = catalog.service(Node, ServiceID, namespace)
    return service
      ? { oneOf: [node, needOfService(service)], changes: endOfService(service, catalog) }
      : { oneOf: [node], changes: [] }
  }
  if (CheckID !== '') {
    const check = catalog.check(Node, CheckID, namespace) ?? catalog.check(Node, CheckID, DEFAULT_NAMESPACE)
    const service = check && catalog.serviceOf(check)
    return {
      oneOf: [node, ...(service ? [needOfService(service)] : [])],
      changes: check ? [{ table: 'checks', op: 'delete', record: check }] : [],
    }
  }
  const record = catalog.node(Node)
  return { oneOf: [node], changes: record ? endOfNode(record, catalog) : [] }
}

function endOfService(service: ServiceRecord, catalog: Catalog): readonly CatalogChange[] {
  return [
    ...catalog.checksOf(service).map((record) => ({ table: 'checks', op: 'delete', record }) as const),
    { table: 'services', op: 'delete', record: service },
  ]
}
