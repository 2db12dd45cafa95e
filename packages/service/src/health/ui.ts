/** Nodes and services with everything on them, as user interfaces show them. */
import type { Catalog, NodeRecord, RecordView, ServiceRecord } from '@latchkey/catalog'
import {
  CONNECT_PROXY,
  HEALTH_FIELDS,
  NODE_FIELDS,
  showCheck,
  showNode,
  showNodeService,
} from '@latchkey/catalog'
import type { HealthCheck, NodeSummary, ServiceHealth, ServiceSummary } from '@latchkey/contract'
import { AclError } from '@latchkey/contract'
import { RowRights } from '../catalog/rights.ts'
import { type Context, type Handler, json, missing } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { filterFor, selectRecords } from '../request/filter.ts'
import { isListed } from '../request/namespace.ts'
import { nodeTopic } from '../store/store.ts'
import { isCheckListed } from './checks.ts'
import { indexOfTables, watchOfTables } from './watches.ts'

export const uiNodesHandler: Handler<'health.uiNodes'> = async (call) => {
  const { store } = call.service
  const catalog = store.catalog()
  const rights = new RowRights(call)
  const watch = watchOfTables('catalog', indexOfTables(store, 'nodes', 'services', 'checks'))
  const nodes = catalog.nodes().filter(({ Node }) => rights.node(Node))
  const repeated = new RepeatedContent()
  const shown = nodes.map((node) => summaryOfNode(call, catalog, node, { rights, repeated }))
  const { Datacenter: _here, ...fields } = NODE_FIELDS
  return rights.mark(json(await filterFor(call, shown, fields), watch))
}

export const uiNodeHandler: Handler<'health.uiNode'> = (call) => {
  const { params, service } = call
  const { store } = service
  const catalog = store.catalog()
  const rights = new RowRights(call)
  const index = indexOfTables(store, 'nodes', 'services', 'checks')
  const watch = { topic: nodeTopic(params.Node), index, filtered: true } as const
  const node = catalog.node(params.Node)
  if (!node || !rights.node(node.Node))
    return rights.mark(missing(new AclError('not_found', 'No such node'), watch))
  const repeated = new RepeatedContent()
  return rights.mark(json(summaryOfNode(call, catalog, node, { rights, repeated }), watch))
}

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

export const uiServicesHandler: Handler<'health.uiServices'> = async (call) => {
  const { store } = call.service
  const catalog = store.catalog()
  const rights = new RowRights(call)
  const watch = watchOfTables('catalog', indexOfTables(store, 'nodes', 'services', 'checks'))
  const visible = catalog
    .services()
    .filter((record) => isListed(call, record.Namespace) && rights.instance(record))
  const shown = shownInstances(call, catalog, visible)
  const kept = await selectRecords(call, shown, HEALTH_FIELDS)
  return rights.mark(json(summariesOf(kept, call.view), watch))
}

/** Instances on one node share the checks of the node: a thousand instances would make a thousand copies of each. */
function shownInstances(
  { view }: Context,
  catalog: Catalog,
  visible: readonly ServiceRecord[],
): readonly ServiceHealth[] {
  const ofNodes = new Map<NodeRecord, readonly HealthCheck[]>()
  return visible.flatMap((record) => {
    const node = catalog.node(record.Node)
    if (!node) return []
    const nodeChecks =
      ofNodes.get(node) ?? catalog.nodeChecks(record.Node).map((check) => showCheck(check, undefined, view))
    ofNodes.set(node, nodeChecks)
    const own = catalog.checksOf(record).map((check) => showCheck(check, record, view))
    return {
      Node: showNode(node, view),
      Service: showNodeService(record, view),
      Checks: [...nodeChecks, ...own],
    }
  })
}

/** By name, then namespace. A check of a node counts once for each service that has instances on it. */
function summariesOf(instances: readonly ServiceHealth[], view: RecordView): ServiceSummary[] {
  const groups = Map.groupBy(instances, ({ Service }) => `${Service.Service}\n${Service.Namespace ?? ''}`)
  const withProxy = new Set(
    instances.flatMap((instance) => proxiedBy([instance]).map((name) => asKey(name, namespaceOf(instance)))),
  )
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => {
      const [first] = group
      if (!first) return []
      const summary = summaryOf(first.Service.Service, group)
      const isProxied = withProxy.has(asKey(first.Service.Service, namespaceOf(first)))
      const { Namespace } = first.Service
      return {
        ...(view.meshSummary ? inMesh(summary, { view, isProxied }) : summary),
        ...(Namespace === undefined ? {} : { Namespace }),
      }
    })
}

const namespaceOf = ({ Service }: ServiceHealth) => Service.Namespace ?? ''

const asKey = (name: string, namespace: string) => `${namespace}/${name.toLowerCase()}`

function proxiedBy(instances: readonly ServiceHealth[]): readonly string[] {
  return instances.flatMap(({ Service }) => {
    const destination = Service.Kind === CONNECT_PROXY ? Service.Proxy?.DestinationServiceName : undefined
    return typeof destination === 'string' ? [destination] : []
  })
}

type Mesh = { readonly view: RecordView; readonly isProxied: boolean }

/** Adds what versions from 1.11 on show. There are no gateways. */
function inMesh({ Kind, Name, ...rest }: ServiceSummary, { view, isProxied }: Mesh): ServiceSummary {
  return {
    ...(Kind === undefined ? {} : { Kind }),
    Name,
    Datacenter: view.datacenter,
    ...rest,
    ConnectedWithProxy: isProxied,
    ConnectedWithGateway: false,
  }
}

const sorted = (words: Iterable<string>) => [...new Set(words)].sort()

function summaryOf(name: string, instances: readonly ServiceHealth[]): ServiceSummary {
  // Instances on one node share the checks of the node.
  const checks = [...new Set(instances.flatMap(({ Checks }) => Checks))]
  const count = (status: string) => checks.filter(({ Status }) => Status === status).length
  const kind = instances[0]?.Service.Kind
  const proxied = sorted(proxiedBy(instances))
  return {
    ...(kind === undefined ? {} : { Kind: kind }),
    Name: name,
    Tags: sorted(instances.flatMap(({ Service }) => Service.Tags)),
    Nodes: sorted(instances.map(({ Node }) => Node.Node)),
    InstanceCount: instances.length,
    ...(proxied.length === 0 ? {} : { ProxyFor: proxied }),
    ChecksPassing: count('passing'),
    ChecksWarning: count('warning'),
    ChecksCritical: count('critical'),
    ExternalSources: null,
    GatewayConfig: {},
  }
}
