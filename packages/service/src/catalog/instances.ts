/** Instances of a service with their nodes: the elements of `catalog/service`. */
import { type Catalog, INSTANCE_FIELDS, type ServiceRecord, showInstance } from '@latchkey/acl'
import type { ServiceInstance } from '@latchkey/contract'
import { type Context, type JsonAnswer, json } from '../handler.ts'
import { watchOfService } from '../health/watches.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { filterFor } from '../request/filter.ts'
import { RowRights } from './rights.ts'
import { selectInstances, sortNear } from './select.ts'

interface InstanceQuery {
  readonly near?: string | undefined
  readonly 'node-meta'?: readonly string[] | undefined
  readonly tag?: readonly string[] | undefined
  readonly filter?: string | undefined
}

/** Answers the given instances of a service that the caller may read and the options select. */
export async function answerInstances(
  call: Context & { readonly query: InstanceQuery },
  name: string,
  instancesOf: (catalog: Catalog) => readonly ServiceRecord[],
  watchFor = watchOfService,
): Promise<JsonAnswer<ServiceInstance[]>> {
  const { query, records, service } = call
  const catalog = service.store.catalog()
  const watch = watchFor(call, catalog, name, 'nodes', 'services')
  const rights = new RowRights(call)
  const selected = selectInstances(call, catalog, instancesOf(catalog), query)
  const visible = selected.filter((record) => rights.instance(record))
  const sorted = sortNear(call, catalog, visible, { near: query.near, nodeOf: ({ Node }) => Node })
  const repeated = new RepeatedContent()
  const shown = sorted.flatMap((record) => {
    const node = catalog.node(record.Node)
    if (!node) return []
    repeated.add(node, () => records.node(node).length)
    return showInstance(record, node, records.view)
  })
  const kept = await filterFor(call, shown, INSTANCE_FIELDS)
  return rights.mark(json([...kept], watch))
}
