import type { Catalog, ServiceRecord } from '@latchkey/catalog'
import {
  INSTANCE_FIELDS,
  NODE_FIELDS,
  SERVICE_FIELDS,
  showInstance,
  showNode,
  showNodeService,
} from '@latchkey/catalog'
import type { ServiceInstance } from '@latchkey/contract'
import { type Content, type Context, type Handler, type JsonAnswer, json, type Watch } from '../handler.ts'
import { indexOfTables, watchOfConnect, watchOfService } from '../health/watches.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { filterFor } from '../request/filter.ts'
import { isListed } from '../request/namespace.ts'
import { nodeTopic } from '../store/store.ts'
import { RowRights } from './rights.ts'
import { hasMeta, type RowOptions, selectInstances, sortNear } from './select.ts'

export const nodesHandler: Handler<'catalog.nodes'> = async (call) => {
  const { query, view, service } = call
  const catalog = service.store.catalog()
  const index = service.store.tableIndex('nodes')
  const rights = new RowRights(call)
  const visible = catalog
    .nodes()
    .filter((node) => hasMeta(node, query['node-meta']) && rights.node(node.Node))
  const sorted = sortNear(call, catalog, visible, { near: query.near, nodeOf: ({ Node }) => Node })
  const shown = sorted.map((node) => showNode(node, view))
  return rights.mark(json(await filterFor(call, shown, NODE_FIELDS), { topic: 'nodes', index }))
}

export const servicesHandler: Handler<'catalog.services'> = (call) => {
  const { query, service } = call
  const { store } = service
  const catalog = store.catalog()
  const meta = query['node-meta']
  const isByNode = meta !== undefined && meta.length > 0
  // Read before the content, so that the index is never newer than the content.
  const index = isByNode ? indexOfTables(store, 'nodes', 'services') : store.tableIndex('services')
  const rights = new RowRights(call)
  const tags = new Map<string, Set<string>>()
  for (const record of catalog.services()) {
    if (!isListed(call, record.Namespace) || !hasMeta(catalog.node(record.Node), meta)) continue
    if (!rights.service(record)) continue
    const known = tags.get(record.Service) ?? new Set()
    for (const tag of record.Tags) known.add(tag)
    tags.set(record.Service, known)
  }
  const byName = [...tags].sort(([a], [b]) => (a < b ? -1 : 1))
  const answer = Object.fromEntries(byName.map(([name, ofName]) => [name, [...ofName]]))
  return rights.mark(json(answer, { topic: isByNode ? 'catalog' : 'services', index, filtered: true }))
}

/** Spec 9.3 (1.0.7, 1.3.0). Version 1.3.0 ignores the tag, as a server of that version did for old clients. */
export const serviceHandler: Handler<'catalog.service'> = (call) => {
  const { params, namespace, service, query } = call
  const { tag: _ignored, ...withoutTag } = query
  const asked = service.profile.has('catalog.tagFilterIgnored') ? withoutTag : query
  return answerInstances({ ...call, query: asked }, params.Service, (catalog) =>
    catalog.instances(params.Service, namespace),
  )
}

export const connectHandler: Handler<'catalog.connect'> = (call) => {
  const { params, namespace } = call
  const instancesOf = (catalog: Catalog) => catalog.connectInstances(params.Service, namespace)
  return answerInstances(call, params.Service, instancesOf, watchOfConnect)
}

export const nodeHandler: Handler<'catalog.node'> = async (call) => {
  const { found, watch, rights } = await readNode(call, call.params.Node)
  if (!found) return rights.mark(json(null, watch))
  const { node, services } = found
  const byId = Object.fromEntries(services.map((one) => [one.ID, one]))
  return rights.mark(json({ Node: node, Services: byId }, watch))
}

export const nodeServicesHandler: Handler<'catalog.nodeServices'> = async (call) => {
  const { found, watch, rights } = await readNode(call, call.params.Node)
  const shown: Content<'catalog.nodeServices'> = found
    ? { Node: found.node, Services: [...found.services] }
    : { Node: null, Services: null }
  return rights.mark(json(shown, watch))
}

/** There are no gateways to configure, so they have no services. */
export const gatewayServicesHandler: Handler<'catalog.gatewayServices'> = () =>
  json([], { topic: 'nodes', index: 1, isOwn: true })

async function answerInstances(
  call: Context & { readonly query: RowOptions },
  name: string,
  instancesOf: (catalog: Catalog) => readonly ServiceRecord[],
  watchFor = watchOfService,
): Promise<JsonAnswer<ServiceInstance[]>> {
  const { query, view, service } = call
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
    repeated.add(node, () => JSON.stringify(showNode(node, view)).length)
    return showInstance(record, node, view)
  })
  return rights.mark(json(await filterFor(call, shown, INSTANCE_FIELDS), watch))
}

/** @returns `found: undefined` if there is no such node, or the caller may not read it. */
async function readNode(call: Context & { readonly query: RowOptions }, name: string) {
  const { view, service } = call
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
    const watch: Watch = { topic, index: isGone ? index : 1, isOwn: true }
    return { found: undefined, watch, rights }
  }
  const shown = catalog
    .servicesOn(node.Node)
    .filter((record) => isListed(call, record.Namespace) && rights.service(record))
    .map((record) => showNodeService(record, view))
  const services = await filterFor(call, shown, SERVICE_FIELDS)
  const watch: Watch = { topic, index, filtered: true }
  return { found: { node: showNode(node, view), services }, watch, rights }
}
