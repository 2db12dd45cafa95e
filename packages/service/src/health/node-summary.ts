/** Nodes with everything on them, as user interfaces show them. */
import { type Catalog, type NodeRecord, showCheck, showNode, showNodeService } from '@latchkey/acl'
import type { NodeSummary } from '@latchkey/contract'
import type { RowRights } from '../catalog/rights.ts'
import type { Context } from '../handler.ts'

/** @param node that the caller may read. */
export function summaryOfNode(
  { records: { view } }: Context,
  catalog: Catalog,
  node: NodeRecord,
  rights: RowRights,
): NodeSummary {
  const { CreateIndex: _created, ModifyIndex: _modified, Datacenter: _here, ...shown } = showNode(node, view)
  const services = catalog.servicesOn(node.Node).filter((record) => rights.service(record))
  const checks = catalog.checksOn(node.Node).filter((check) => rights.check(check, catalog.serviceOf(check)))
  return {
    ...shown,
    Services: services.map((record) => showNodeService(record, view)),
    Checks: checks.map((check) => showCheck(check, catalog.serviceOf(check), view)),
  }
}
