import { type Catalog, CHECK_FIELDS, type CheckRecord, showCheck } from '@latchkey/catalog'
import type { HealthCheck } from '@latchkey/contract'
import { RowRights } from '../catalog/rights.ts'
import { hasMeta, type RowOptions, sortNear } from '../catalog/select.ts'
import { type Context, type Handler, type JsonAnswer, json, type Watch } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { selectRecords } from '../request/filter.ts'
import { isListed } from '../request/namespace.ts'
import { nodeTopic } from '../store/store.ts'
import { indexOfTables, watchOfService, watchOfTables } from './watches.ts'

export const nodeHealthHandler: Handler<'health.node'> = (call) => {
  const { params, service } = call
  const catalog = service.store.catalog()
  // Checks show the name and the tags of their service.
  const index = indexOfTables(service.store, 'services', 'checks')
  const watch = watchOfTables(nodeTopic(params.Node), index)
  return answerChecks(call, catalog, catalog.checksOn(params.Node), watch)
}

export const serviceChecksHandler: Handler<'health.checks'> = (call) => {
  const { params, query, namespace, service } = call
  const catalog = service.store.catalog()
  const own = watchOfService(call, catalog, params.Service, 'nodes', 'services', 'checks')
  const index = query['node-meta'] ? own.index : Math.max(own.index, indexOfTables(service.store, 'checks'))
  const watch = { ...own, index, filtered: true } as const
  const checks = catalog.instances(params.Service, namespace).flatMap((record) => catalog.checksOf(record))
  return answerChecks(call, catalog, checks, watch)
}

export const stateHandler: Handler<'health.state'> = (call) => {
  const { params, query, service } = call
  const { store } = service
  const catalog = store.catalog()
  const index = indexOfTables(store, 'services', 'checks')
  const newest = query['node-meta'] ? Math.max(index, store.tableIndex('nodes')) : index
  const checks = catalog.checks().filter(({ Status }) => params.State === 'any' || Status === params.State)
  return answerChecks(call, catalog, checks, watchOfTables('catalog', newest))
}

/** Whether a list includes a check: a check of a service only in its namespace, a check of a node in any. */
export function isCheckListed(call: Context, { ServiceID, Namespace }: CheckRecord): boolean {
  return ServiceID === '' || isListed(call, Namespace)
}

function answerChecks(
  call: Context & { readonly query: RowOptions },
  catalog: Catalog,
  checks: Iterable<CheckRecord>,
  watch: Watch,
): JsonAnswer<HealthCheck[]> | Promise<JsonAnswer<HealthCheck[]>> {
  const { query, view } = call
  const rights = new RowRights(call)
  const visible: CheckRecord[] = []
  for (const check of checks) {
    if (!isCheckListed(call, check) || !hasMeta(catalog.node(check.Node), query['node-meta'])) continue
    if (rights.check(check, catalog.serviceOf(check))) visible.push(check)
  }
  const repeated = new RepeatedContent()
  for (const check of visible) repeated.addTags(catalog.serviceOf(check))
  const sorted = sortNear(call, catalog, visible, { near: query.near, nodeOf: ({ Node }) => Node })
  const shown = sorted.map((check) => showCheck(check, catalog.serviceOf(check), view))
  if (!query.filter) return rights.mark(json(shown, watch))
  return selectRecords(call, shown, CHECK_FIELDS).then((found) => rights.mark(json(found, watch)))
}
