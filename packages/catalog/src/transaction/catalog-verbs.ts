/** Transaction operations on nodes, services and checks. Rights are checked for both the stored and the sent record. */
import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import { type CheckRecord, checkKey, nodeKey, serviceKey } from '../records/catalog-records.ts'
import {
  type CatalogNeed,
  needOfNode,
  needOfService,
  needsOfService,
  planDeregistration,
  planRegistration,
  type RegistrationRequest,
} from '../registration/register.ts'
import type { CatalogWrites } from './catalog-writes.ts'
import type { CheckOperation, NodeOperation, ServiceOperation } from './operations.ts'
import { DENIED, failed, isAtIndex, type May, NOTHING, type Outcome } from './outcome.ts'

export function applyToNode(operation: NodeOperation, writes: CatalogWrites, may: May): Outcome {
  const { verb, node, index, record } = operation
  const { catalog } = writes
  const name = JSON.stringify(node)
  const existing = catalog.node(node)
  writes.expect('nodes', nodeKey(node))
  if (verb === 'get') {
    const isByName = record.ID === ''
    if (isByName && !mayRead(needOfNode(node), may)) return NOTHING
    const found = isByName ? existing : catalog.nodeById(record.ID)
    if (found) writes.expect('nodes', nodeKey(found.Node))
    const isSeen = found && mayRead(needOfNode(found.Node), may)
    return isSeen ? { shown: [{ kind: 'node', record: found }] } : failed(`node ${name} doesn't exist`)
  }
  if (verb === 'delete' || verb === 'delete-cas') {
    if (!mayWrite(needOfNode(catalog.nodeName(node)), may)) return DENIED
    if (verb === 'delete-cas' && !(existing && isAtIndex(existing, index)))
      return failed(`failed to delete node ${name}, index is stale`)
    writes.make(planDeregistration({ Node: node }, DEFAULT_NAMESPACE, catalog).changes)
    return NOTHING
  }
  const plan = planRegistration({ node: record, service: undefined, checks: [], skipsNode: false }, catalog)
  if (![needOfNode(node), ...plan.needs].every((need) => mayWrite(need, may))) return DENIED
  if (verb === 'cas' && !isAtIndex(existing, index))
    return failed(`failed to set node ${name}, index is stale`)
  if (plan.fault) return failed(plan.fault.message)
  writes.make(plan.changes)
  const put = catalog.node(node)
  return { shown: put ? [{ kind: 'node', record: put }] : [] }
}

export function applyToService(operation: ServiceOperation, writes: CatalogWrites, may: May): Outcome {
  const { verb, node, id, name, namespace, index, record } = operation
  const { catalog } = writes
  const what = `service ${JSON.stringify(id)} on node ${JSON.stringify(node)}`
  const existing = catalog.service(node, id, namespace)
  const sent: CatalogNeed = { resource: 'service', segment: name || id, namespace }
  writes.expect('services', serviceKey({ Node: node, Namespace: namespace, ID: id }))
  if (verb === 'get') {
    if (!mayRead(sent, may)) return NOTHING
    const isSeen = existing && mayRead({ ...sent, segment: existing.Service }, may)
    return isSeen ? { shown: [{ kind: 'service', record: existing }] } : failed(`${what} doesn't exist`)
  }
  const needs = [record ?? [], existing ?? []].flat().flatMap(needsOfService)
  if (![sent, ...needs].every((need) => mayWrite(need, may))) return DENIED
  if (!record) {
    if (verb === 'delete-cas' && !(existing && isAtIndex(existing, index)))
      return failed(`failed to delete ${what}, index is stale`)
    writes.make(planDeregistration({ Node: node, ServiceID: id }, namespace, catalog).changes)
    return NOTHING
  }
  if (verb === 'cas' && !isAtIndex(existing, index)) return failed(`failed to set ${what}, index is stale`)
  const problem = register(node, { service: record, checks: [] }, writes)
  if (problem) return problem
  const put = catalog.service(node, id, namespace)
  return { shown: put ? [{ kind: 'service', record: put }] : [] }
}

export function applyToCheck(operation: CheckOperation, writes: CatalogWrites, may: May): Outcome {
  const { verb, node, id, namespace, index, record } = operation
  const { catalog } = writes
  const what = `check ${JSON.stringify(id)} on node ${JSON.stringify(node)}`
  // A check of the node is in the default namespace, regardless of the request's namespace.
  const found = record ? undefined : catalog.check(node, id, DEFAULT_NAMESPACE)
  const existing = catalog.check(node, id, namespace) ?? found
  for (const Namespace of [namespace, DEFAULT_NAMESPACE])
    writes.expect('checks', checkKey({ Node: node, Namespace, CheckID: id }))
  const service = record && catalog.serviceOf(record)
  const seen = service && mayRead(needOfService(service), may) ? service : undefined
  const needs = [
    // The caller learns no more about a service that it may not read than about a missing one.
    ...(record ? [seen || !service ? needOf(record, writes) : needOfNode(catalog.nodeName(node))] : []),
    ...(existing ? [needOf(existing, writes)] : []),
  ]
  if (verb === 'get') {
    if (existing && needs.every((need) => mayRead(need, may)))
      return { shown: [{ kind: 'check', record: existing, service: catalog.serviceOf(existing) }] }
    return mayRead(needOfNode(node), may) ? failed(`${what} doesn't exist`) : NOTHING
  }
  if (!record) {
    if (![needOfNode(catalog.nodeName(node)), ...needs].some((need) => mayWrite(need, may))) return DENIED
    if (verb === 'delete-cas' && !(existing && isAtIndex(existing, index)))
      return failed(`failed to delete ${what}, index is stale`)
    if (existing) writes.make([{ table: 'checks', op: 'delete', record: existing }])
    return NOTHING
  }
  if (!needs.every((need) => mayWrite(need, may))) return DENIED
  if (verb === 'cas' && !isAtIndex(existing, index)) return failed(`failed to set ${what}, index is stale`)
  if (catalog.node(node) && record.ServiceID !== '' && !seen) return failed('Missing service registration')
  const problem = register(node, { service: undefined, checks: [record] }, writes)
  if (problem) return problem
  const put = catalog.check(node, id, namespace)
  return { shown: put ? [{ kind: 'check', record: put, service: catalog.serviceOf(put) }] : [] }
}

/** Registers on a node, which must exist. @returns why it is not possible. */
function register(
  name: string,
  what: Pick<RegistrationRequest, 'service' | 'checks'>,
  writes: CatalogWrites,
): Outcome | undefined {
  const node = writes.catalog.node(name)
  if (!node) return failed('Missing node registration')
  const { fault, changes } = planRegistration({ node, ...what, skipsNode: true }, writes.catalog)
  if (fault) return failed(fault.message)
  writes.make(changes)
  return undefined
}

/** The right to a check, which is the right to its service or to its node. */
function needOf(check: CheckRecord, writes: CatalogWrites): CatalogNeed {
  const { Node, Namespace, ServiceID } = check
  const service = writes.catalog.serviceOf(check)
  if (ServiceID !== '') writes.expect('services', serviceKey({ Node, Namespace, ID: ServiceID }))
  // A check of a missing service cannot be put. Only a caller that may write the node is told so.
  return service
    ? { resource: 'service', segment: service.Service, namespace: service.Namespace }
    : needOfNode(writes.catalog.nodeName(Node))
}

function mayWrite(need: CatalogNeed, may: May): boolean {
  return has(need, 'write', may)
}

function mayRead(need: CatalogNeed, may: May): boolean {
  return has(need, 'read', may)
}

function has(need: CatalogNeed, access: 'read' | 'write', may: May): boolean {
  const { resource, segment } = need
  const namespace = need.resource === 'service' ? need.namespace : DEFAULT_NAMESPACE
  return may({ resource, segment, access }, namespace)
}
