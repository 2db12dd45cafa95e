import {
  type Catalog,
  CONNECT_PROXY,
  filterRecords,
  HEALTH_FIELDS,
  inTurns,
  type RecordView,
  type ServiceRecord,
  showCheck,
  showNode,
  showNodeService,
} from '@latchkey/acl'
import type { ServiceHealth, ServiceSummary } from '@latchkey/contract'
import { RowRights } from '../catalog/rights.ts'
import { type Answer, type Call, type Context, json } from '../handler.ts'
import { isListed } from '../request/namespace.ts'
import { indexOfTables, watchOfTables } from './watches.ts'

export async function uiServicesHandler(
  call: Call<'health.uiServices'>,
): Promise<Answer<'health.uiServices'>> {
  const { store } = call.service
  const catalog = store.catalog()
  const rights = new RowRights(call)
  const watch = watchOfTables('catalog', indexOfTables(store, 'nodes', 'services', 'checks'))
  const visible = catalog
    .services()
    .filter((record) => isListed(call, record.Namespace) && rights.instance(record))
  const shown = visible.flatMap((record) => shownInstance(call, catalog, record))
  const kept = await inTurns(filterRecords(shown, call.query.filter, HEALTH_FIELDS), call)
  return rights.mark(json(summariesOf(kept, call.records.view), watch))
}

function shownInstance(
  { records: { view } }: Context,
  catalog: Catalog,
  record: ServiceRecord,
): readonly ServiceHealth[] {
  const node = catalog.node(record.Node)
  if (!node) return []
  const checks = [...catalog.nodeChecks(record.Node), ...catalog.checksOf(record)]
  return [
    {
      Node: showNode(node, view),
      Service: showNodeService(record, view),
      Checks: checks.map((check) => showCheck(check, catalog.serviceOf(check), view)),
    },
  ]
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

/** Service names match case-insensitively. */
const asKey = (name: string, namespace: string) => `${namespace}/${name.toLowerCase()}`

/** The services for which instances are proxies. */
function proxiedBy(instances: readonly ServiceHealth[]): readonly string[] {
  return instances.flatMap(({ Service }) => {
    const destination = Service.Kind === CONNECT_PROXY ? Service.Proxy?.DestinationServiceName : undefined
    return typeof destination === 'string' ? [destination] : []
  })
}

interface Mesh {
  readonly view: RecordView
  readonly isProxied: boolean
}

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
  const checks = new Map(
    instances
      .flatMap(({ Checks }) => Checks)
      .map((check) => [`${check.Node}/${check.CheckID}`, check.Status]),
  )
  const count = (status: string) => [...checks.values()].filter((each) => each === status).length
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
