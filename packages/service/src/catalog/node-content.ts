/** A node with those of its services that the caller may read. */
import { SERVICE_FIELDS, showNode, showNodeService } from '@latchkey/acl'
import type { Node, NodeService } from '@latchkey/contract'
import type { Context, Watch } from '../handler.ts'
import { indexOfTables } from '../health/watches.ts'
import { filterFor } from '../request/filter.ts'
import { isListed } from '../request/namespace.ts'
import { nodeTopic } from '../store/store.ts'
import { RowRights } from './rights.ts'

interface NodeContent {
  readonly found: { readonly node: Node; readonly services: readonly NodeService[] } | undefined
  readonly watch: Watch
  readonly rights: RowRights
}

/** @returns `found: undefined` if there is no such node, or the caller may not read it. */
export async function readNode(
  call: Context & { readonly query: { readonly filter?: string | undefined } },
  name: string,
): Promise<NodeContent> {
  const { records, service } = call
  const index = indexOfTables(service.store, 'nodes', 'services')
  const catalog = service.store.catalog()
  const rights = new RowRights(call)
  const named = catalog.node(name) ?? catalog.nodeByStartOfId(name)
  const node = named && rights.node(named.Node) ? named : undefined
  const topic = nodeTopic(named?.Node ?? name)
  if (!node) {
    // The index is 1 as in existing services, but a waiter's index must not decrease: it is told that the node was deleted.
    // Hidden nodes never wake a waiter.
    const isGone = call.isBlocking && new RowRights(call).node(name)
    return { found: undefined, watch: { topic, index: isGone ? index : 1, isOwn: true }, rights }
  }
  const shown = catalog
    .servicesOn(node.Node)
    .filter((record) => isListed(call, record.Namespace) && rights.service(record))
    .map((record) => showNodeService(record, records.view))
  const services = await filterFor(call, shown, SERVICE_FIELDS)
  const watch: Watch = { topic, index, filtered: true }
  return { found: { node: showNode(node, records.view), services }, watch, rights }
}
