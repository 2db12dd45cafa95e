import { AclError } from '@latchkey/contract'
import { RowRights } from '../catalog/rights.ts'
import { type Answer, type Call, json, missing } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { nodeTopic } from '../store/store.ts'
import { summaryOfNode } from './node-summary.ts'
import { indexOfTables } from './watches.ts'

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
