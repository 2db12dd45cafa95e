import { NODE_FIELDS, showNode } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { filterFor } from '../request/filter.ts'
import { RowRights } from './rights.ts'
import { hasMeta, sortNear } from './select.ts'

/** Nodes that the caller may read, by name. */
export async function nodesHandler(call: Call<'catalog.nodes'>): Promise<Answer<'catalog.nodes'>> {
  const { query, records, service } = call
  const catalog = service.store.catalog()
  const index = service.store.tableIndex('nodes')
  const rights = new RowRights(call)
  const visible = catalog
    .nodes()
    .filter((node) => hasMeta(node, query['node-meta']) && rights.node(node.Node))
  const sorted = sortNear(call, catalog, visible, { near: query.near, nodeOf: ({ Node }) => Node })
  const shown = sorted.map((node) => showNode(node, records.view))
  const filtered = await filterFor(call, shown, NODE_FIELDS)
  return rights.mark(json([...filtered], { topic: 'nodes', index }))
}
