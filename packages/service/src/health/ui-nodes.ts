import { NODE_FIELDS } from '@latchkey/acl'
import { RowRights } from '../catalog/rights.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { filterFor } from '../request/filter.ts'
import { summaryOfNode } from './node-summary.ts'
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
