/** The services and checks of the server's own node, as its agent shows them. */
import type { Catalog, CheckRecord, ServiceRecord } from '@latchkey/catalog'
import { CHECK_FIELDS, SERVICE_FIELDS, showCheck, showNodeService } from '@latchkey/catalog'
import { AclError, type AgentService, type HealthCheck, limits, shorten } from '@latchkey/contract'
import { Fingerprint } from '../blocking/shown.ts'
import { requireSomeService } from '../caller/endpoint-right.ts'
import { RowRights } from '../catalog/rights.ts'
import { type Context, type Handler, json } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { filterFor } from '../request/filter.ts'
import { nodeTopic } from '../store/store.ts'
import { ownChecks, ownServices, seenService } from './own-node.ts'

export const agentServicesHandler: Handler<'agent.services'> = async (call) => {
  const rights = new RowRights(call)
  const services = ownServices(call, call.service.store.catalog())
    .filter((record) => rights.service(record))
    .map((record) => showAgentService(record, call))
  const kept = await filterFor(call, services, SERVICE_FIELDS)
  return rights.mark(json(Object.fromEntries(kept.map((service) => [service.ID, service]))))
}

/** If the request has the hash of the client's copy, waits until the service differs from it. */
export const agentServiceHandler: Handler<'agent.service'> = async (call) => {
  const { query, params, service: options, signal } = call
  requireSomeService(call.caller)
  const { store, clock, nodeName } = options
  const deadline = clock.now() + (query.wait ?? limits.WAIT_MS_DEFAULT)
  for (;;) {
    const index = store.tableIndex('catalog')
    const found = seenService(call, store.catalog(), params.ServiceID)
    if (!found) throw new AclError('not_found', `unknown service ID: ${shorten(params.ServiceID)}`)
    const shown = showAgentService(found, call)
    const ContentHash = contentHashOf(shown)
    const leftMs = deadline - clock.now()
    const body = { kind: 'json', value: { ...shown, ContentHash } } as const
    const answer = { body, headers: { contentHash: ContentHash } }
    if (query.hash !== ContentHash || leftMs <= 0) return answer
    if ((await store.wait(nodeTopic(nodeName), index, leftMs, signal)) === 'aborted') return answer
  }
}

/** Reading a check of a service needs the right to the service, and a check of the node the right to the node. */
export const agentChecksHandler: Handler<'agent.checks'> = async (call) => {
  const catalog = call.service.store.catalog()
  const rights = new RowRights(call)
  const checks = ownChecks(call, catalog).filter((check) => {
    const service = catalog.serviceOf(check)
    return service ? rights.service(service) : rights.node(check.Node)
  })
  const shown = showAgentChecks(checks, catalog, { call, repeated: new RepeatedContent() })
  const kept = await filterFor(call, shown, CHECK_FIELDS)
  return rights.mark(json(Object.fromEntries(kept.map((check) => [check.CheckID, check]))))
}

/** Without indexes, and with the address after the port. `Meta` is never null, and empty proxies are left out. */
export function showAgentService(record: ServiceRecord, { view }: Context): AgentService {
  const {
    CreateIndex: _created,
    ModifyIndex: _modified,
    Proxy: proxy,
    Connect: connect,
    Address,
    TaggedAddresses,
    SocketPath,
    Weights,
    EnableTagOverride,
    ...shown
  } = showNodeService(record, view)
  return {
    ...shown,
    ...(view.serviceMeta ? { Meta: record.Meta ?? {} } : {}),
    Address,
    ...(SocketPath === undefined ? {} : { SocketPath }),
    ...(TaggedAddresses === undefined ? {} : { TaggedAddresses }),
    ...(Weights === undefined ? {} : { Weights }),
    EnableTagOverride,
    ...(proxy && Object.keys(record.Proxy).length > 0 ? { Proxy: showDefaults(proxy) } : {}),
    ...(connect && Object.keys(connect).length > 0 ? { Connect: connect } : {}),
  }
}

/** Agents show defaults that the catalog leaves out. */
function showDefaults(proxy: ServiceRecord['Proxy']): ServiceRecord['Proxy'] {
  const { Upstreams, Expose } = proxy as { readonly Upstreams?: readonly object[]; readonly Expose?: Exposed }
  const upstreams = Upstreams?.map((one) => ({ DestinationType: 'service', ...one }))
  const Paths = Expose?.Paths?.map((one) => ({ ...one, ParsedFromCheck: one.ParsedFromCheck ?? false }))
  return {
    ...proxy,
    ...(upstreams ? { Upstreams: upstreams } : {}),
    ...(Paths ? { Expose: { ...Expose, Paths } } : {}),
  }
}

interface Exposed {
  readonly Paths?: readonly { readonly ParsedFromCheck?: boolean }[]
}

/**
 * Checks with their latest output, which may not be in the catalog yet.
 * @param repeated counts what other elements of the same answer have shown.
 * @throws AclError `answer_too_large`.
 */
export function showAgentChecks(
  checks: readonly CheckRecord[],
  catalog: Catalog,
  { call, repeated }: { readonly call: Context; readonly repeated: RepeatedContent },
): HealthCheck[] {
  const { view, service } = call
  return checks.map((record) => {
    const of = catalog.serviceOf(record)
    const shown = showCheck(record, of, view)
    repeated.add(record, () => JSON.stringify(shown).length)
    repeated.addTags(of)
    return { ...shown, Output: service.localChecks.outputOf(record.CheckID) ?? shown.Output }
  })
}

/** Tells whether a service has changed. Other services of this API answer other digits. */
function contentHashOf(service: AgentService): string {
  const fingerprint = new Fingerprint()
  fingerprint.add(JSON.stringify(service))
  const [, low = '', high = ''] = fingerprint.text.split(' ')
  return [low, high].map((digits) => Number(digits).toString(16).padStart(8, '0')).join('')
}
