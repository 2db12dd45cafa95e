/** Nodes with everything on them, as user interfaces show them. */
import { type Catalog, type NodeRecord, showCheck, showNode, showNodeService } from '@latchkey/acl'
import type { NodeSummary } from '@latchkey/contract'
import type { RowRights } from '../catalog/rights.ts'
import type { Context } from '../handler.ts'
import type { RepeatedContent } from '../reply/repeated-content.ts'
import { isListed } from '../request/namespace.ts'
import { isCheckListed } from './check-list.ts'

/**
 * @param node a node that the caller may read.
 * @throws AclError `answer_too_large`.
 */
export function summaryOfNode(
  call: Context,
  catalog: Catalog,
  node: NodeRecord,
  { rights, repeated }: { readonly rights: RowRights; readonly repeated: RepeatedContent },
): NodeSummary {
  const { view } = call.records
  const { CreateIndex: _created, ModifyIndex: _modified, Datacenter: _here, ...shown } = showNode(node, view)
  const services = catalog
    .servicesOn(node.Node)
    .filter((record) => isListed(call, record.Namespace) && rights.service(record))
  const checks = catalog
    .checksOn(node.Node)
    .filter((check) => isCheckListed(call, check) && rights.check(check, catalog.serviceOf(check)))
  for (const check of checks) repeated.addTags(catalog.serviceOf(check))
  return {
    ...shown,
    Services: services.map((record) => showNodeService(record, view)),
    Checks: checks.map((check) => showCheck(check, catalog.serviceOf(check), view)),
  }
}
