/** Instances of a service with their node and the checks of both: the elements of `health/service`. */
import type { Catalog, CheckRecord, NodeRecord, ServiceRecord } from '@latchkey/catalog'
import { HEALTH_FIELDS, showCheck, showNode, showNodeService } from '@latchkey/catalog'
import { AclError, parseGoBool, type ServiceHealth } from '@latchkey/contract'
import { RowRights } from '../catalog/rights.ts'
import { type RowOptions, selectInstances, sortNear } from '../catalog/select.ts'
import { type Context, type Handler, type JsonAnswer, json, tellLack, type Watch } from '../handler.ts'
import { jsonText } from '../reply/json-text.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { filterFor } from '../request/filter.ts'
import { watchOfConnect, watchOfService } from './watches.ts'

/** Spec 9.3 (1.0.7, 1.3.0). */
export const serviceHealthHandler: Handler<'health.service'> = (call) =>
  answerService(call, call.params.Service)

export const connectHealthHandler: Handler<'health.connect'> = (call) => {
  const { params, namespace } = call
  const instancesOf = (catalog: Catalog) => catalog.connectInstances(params.Service, namespace)
  return answerInstances(call, params.Service, instancesOf, watchOfConnect)
}

/** Gateways cannot be configured, so none serves a service. */
export const ingressHealthHandler: Handler<'health.ingress'> = (call) =>
  answerInstances(call, call.params.Service, () => [])

interface Element {
  readonly node: NodeRecord
  readonly service: ServiceRecord
  readonly nodeChecks: readonly CheckRecord[]
  readonly serviceChecks: readonly CheckRecord[]
}

interface InstanceQuery extends RowOptions {
  readonly passing?: string | undefined
}

function answerInstances(
  call: Context & { readonly query: InstanceQuery },
  name: string,
  instancesOf: (catalog: Catalog) => readonly ServiceRecord[],
  watchFor = watchOfService,
): JsonAnswer<ServiceHealth[]> | Promise<JsonAnswer<ServiceHealth[]>> {
  const { query, service } = call
  const catalog = service.store.catalog()
  const onlyPassing = readPassing(call)
  // Read before the content, so that the index is never newer than the content.
  const own = watchFor(call, catalog, name, 'nodes', 'services', 'checks')
  const rights = new RowRights(call)
  const visible = selectInstances(call, catalog, instancesOf(catalog), query).filter((record) =>
    rights.instance(record),
  )
  const elements = elementsOf(catalog, visible).filter((element) => !onlyPassing || isPassing(element))
  const sorted = sortNear(call, catalog, elements, { near: query.near, nodeOf: ({ node }) => node.Node })
  const watch = watchOf(call, own, rights)
  const shown = show(call, sorted)
  if (!query.filter) return rights.mark(json(shown, watch))
  return filterFor(call, shown, HEALTH_FIELDS).then((found) => rights.mark(json(found, watch)))
}

/** Like {@link answerInstances}, for all instances of a service. Cached if only `passing` selects. */
function answerService(
  call: Context & { readonly query: InstanceQuery },
  name: string,
): JsonAnswer<ServiceHealth[]> | Promise<JsonAnswer<ServiceHealth[]>> {
  const { query, service, namespace, healthCache } = call
  const catalog = service.store.catalog()
  const watch = watchOfService(call, catalog, name, 'nodes', 'services', 'checks')
  const index = catalog.serviceIndex(name, namespace)
  const instances = catalog.instances(name, namespace)
  if (index === undefined || query.tag || query['node-meta'] || query.near !== undefined || query.filter)
    return answerInstances(call, name, (now) => now.instances(name, namespace))
  const onlyPassing = readPassing(call)
  const question = `${onlyPassing} ${namespace}/${name}`
  const { text, hasHidden } = healthCache.of(call, question, { index, instances }, () => {
    const rights = new RowRights(call)
    const elements = elementsOf(
      catalog,
      instances.filter((record) => rights.instance(record)),
    )
    const shown = onlyPassing ? elements.filter(isPassing) : elements
    return { text: jsonText(show(call, shown)), hasHidden: rights.hasHidden }
  })
  return tellLack(
    { body: { kind: 'json-text', text }, watch: watchOf(call, watch, { hasHidden }) },
    hasHidden,
  )
}

/** If an answer leaves something out, it may stay the same when its service changes. */
function watchOf(
  { query }: { readonly query: InstanceQuery },
  watch: Watch,
  rights: Pick<RowRights, 'hasHidden'>,
): Watch {
  const isWhole =
    !rights.hasHidden && !query.tag && !query['node-meta'] && !query.filter && query.passing === undefined
  return isWhole ? watch : { ...watch, filtered: true }
}

function elementsOf(catalog: Catalog, instances: readonly ServiceRecord[]): readonly Element[] {
  return instances.flatMap((service) => {
    const node = catalog.node(service.Node)
    if (!node) return []
    const nodeChecks = catalog.nodeChecks(service.Node)
    return [{ node, service, nodeChecks, serviceChecks: catalog.checksOf(service) }]
  })
}

function isPassing({ nodeChecks, serviceChecks }: Element): boolean {
  const passes = ({ Status }: CheckRecord) => Status === 'passing'
  return nodeChecks.every(passes) && serviceChecks.every(passes)
}

function show({ view }: Context, elements: readonly Element[]): ServiceHealth[] {
  const repeated = new RepeatedContent()
  return elements.map(({ node, service, nodeChecks, serviceChecks }) => {
    const Node = showNode(node, view)
    repeated.add(node, () => JSON.stringify(Node).length)
    const ofNode = nodeChecks.map((check) => {
      const shown = showCheck(check, undefined, view)
      repeated.add(check, () => JSON.stringify(shown).length)
      return shown
    })
    const ofService = serviceChecks.map((check) => {
      repeated.addTags(service)
      return showCheck(check, service, view)
    })
    return { Node, Service: showNodeService(service, view), Checks: [...ofNode, ...ofService] }
  })
}

/** @throws AclError `query_invalid`. Before 0.8.5, any value means true. */
function readPassing({ query: { passing }, service }: Context & { readonly query: InstanceQuery }): boolean {
  if (passing === undefined) return false
  if (!service.profile.has('health.passingParsed')) return true
  const parsed = passing === '' || parseGoBool(passing)
  if (parsed === undefined)
    throw new AclError('query_invalid', 'Invalid value for ?passing', { field: 'passing' })
  return parsed
}
