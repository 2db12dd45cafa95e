/** What a deregistration removes from the catalog, and the rights that it needs. Decisions: catalog. */

import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import { AclError, type Deregistration } from '@latchkey/contract'
import type { Catalog } from '../catalog.ts'
import type { CatalogChange } from '../commit-rules.ts'
import type { ServiceRecord } from '../records/catalog-records.ts'
import { type CatalogNeed, endOfNode, needOfNode, needOfService } from './register.ts'

export interface DeregistrationPlan {
  /** The caller needs one of these rights. */
  readonly oneOf: readonly CatalogNeed[]
  /** Empty if there is nothing to remove. */
  readonly changes: readonly CatalogChange[]
}

/**
 * The right to the node allows removing everything on it; the right to a service allows removing the service and its
 * checks. Removing a record that does not exist requires the right to the node, and succeeds.
 *
 * @throws AclError `field_required`.
 */
export function planDeregistration(
  { Node = '', ServiceID = '', CheckID = '' }: Deregistration,
  namespace: string,
  catalog: Catalog,
): DeregistrationPlan {
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
