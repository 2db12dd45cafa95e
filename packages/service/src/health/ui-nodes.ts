/** Nodes with everything on them, as user interfaces show them. */

import {
  type Catalog,
  NODE_FIELDS,
  type NodeRecord,
  showCheck,
  showNode,
  showNodeService,
} from '@latchkey/catalog'
import { AclError, type NodeSummary } from '@latchkey/contract'
import { RowRights } from '../catalog/rights.ts'
import { type Answer, type Call, type Context, json, missing } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { filterFor } from '../request/filter.ts'
import { isListed } from '../request/namespace.ts'
import { nodeTopic } from '../store/store.ts'
import { isCheckListed } from './checks.ts'
import { indexOfTables, watchOfTables } from './watches.ts'

export async function uiNodesHandler(call: Call<'health.uiNodes'>): Promise<Answer<'health.uiNodes'>> {
  const { store } = call.service
  const catalog = store.catalog()
  const rights = new RowRights(call)
  const watch = watchOfTables('catalog', indexOfTables(store, 'nodes', 'services', 'checks'))
  const nodes = catalog.nodes().filter(({ Node }) => rights.node(Node))
  const repeated = new RepeatedContent()
  const shown = nodes.map((node) => summaryOfNode(call, catalog, node, { rights, repeated }))
  const { Datacenter: _here, ...fields } = NODE_FIELDS
  const kept = await filterFor(call, shown, fields)
  return rights.mark(json([...kept], watch))
}

export function uiNodeHandler(call: Call<'health.uiNode'>): Answer<'health.uiNode'> {
  const { params, service } = call
  const { store } = service
  const catalog = store.catalog()
  const rights = new RowRights(call)
  const index = indexOfTables(store, 'nodes', 'services', 'checks')
  const watch = { topic: nodeTopic(params.Node), index, filtered: true } as const
  const node = catalog.node(params.Node)
  if (!node || !rights.node(node.Node)) {
    return rights.mark(missing(new AclError('not_found', 'No such node'), watch))
  }
  return rights.mark(
    json(summaryOfNode(call, catalog, node, { rights, repeated: new RepeatedContent() }), watch),
  )
}

/**
 * @param node a node that the caller may read.
 * @throws AclError `answer_too_large`.
 */
function summaryOfNode(
  call: Context,
  catalog: Catalog,
  node: NodeRecord,
  { rights, repeated }: { readonly rights: RowRights; readonly repeated: RepeatedContent },
): NodeSummary {
  const { view } = call
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
