import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import type { Catalog, CheckRecord, HealthStatus, ServiceRecord } from '@latchkey/catalog'
import { aggregateStatus, NODE_MAINTENANCE } from '@latchkey/catalog'
import { type HealthCheck, type LocalHealth, shorten } from '@latchkey/contract'
import { requireSomeService } from '../caller/endpoint-right.ts'
import { RowRights, requireService } from '../catalog/rights.ts'
import { type Context, type Handler, json } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { ownChecks, ownServices, seenService } from './own-node.ts'
import { showAgentChecks, showAgentService } from './services.ts'

export const localServiceHealthHandler: Handler<'agent.serviceHealth'> = (call) => {
  const { params, query, service: options } = call
  requireSomeService(call.caller)
  const catalog = options.store.catalog()
  const found = seenService(call, catalog, params.ServiceID)
  const isText = query.format === 'text'
  if (!found) {
    const none = { AggregatedStatus: 'critical', Service: null, Checks: null }
    const text = `ServiceId ${shorten(params.ServiceID)} not found`
    return { ...(isText ? textAnswer(text) : json(none)), ...notHere(text) }
  }
  const worst = localStatusOf(call, catalog, found)
  if (isText) return { ...textAnswer(worst), ...statusOf(worst) }
  const health = localHealthOf(call, catalog, { service: found, repeated: new RepeatedContent() })
  return { ...json(health), ...statusOf(worst) }
}

/** The status code reflects the worst status of all services with the name. */
export const healthByNameHandler: Handler<'agent.healthByName'> = (call) => {
  const { params, query, service: options } = call
  const catalog = options.store.catalog()
  const { ServiceName: Service } = params
  // Asked before the services are looked up, so that a caller without the right does not learn whether there are any.
  requireService(call, { Service, Namespace: DEFAULT_NAMESPACE }, 'read')
  const name = Service.toLowerCase()
  const rights = new RowRights(call)
  const found = ownServices(call, catalog).filter(
    (service) => service.Service.toLowerCase() === name && rights.service(service),
  )
  const isText = query.format === 'text'
  if (found.length === 0) {
    const text = `ServiceName ${shorten(Service)} Not Found`
    return { ...(isText ? textAnswer(text) : json([])), ...notHere(text) }
  }
  const worst = aggregateStatus(
    found.map((service) => {
      const status = localStatusOf(call, catalog, service)
      return { CheckID: status === 'maintenance' ? NODE_MAINTENANCE : '', Status: status }
    }),
  )
  if (isText) return { ...textAnswer(worst), ...statusOf(worst) }
  const repeated = new RepeatedContent()
  const all = found.map((service) => localHealthOf(call, catalog, { service, repeated }))
  return { ...json(all), ...statusOf(worst) }
}

const STATUS = {
  passing: {},
  warning: { status: 429 },
  critical: { status: 503 },
  maintenance: { status: 503 },
} as const

function statusOf(worst: HealthStatus) {
  return { ...STATUS[worst], headers: { reason: worst } }
}

/** The status code and header if there is no such service. The header holds ASCII alone. */
function notHere(text: string) {
  return { status: 404, headers: { reason: /^[ -~]*$/.test(text) ? text : 'critical' } } as const
}

function textAnswer(text: string) {
  const bytes = new TextEncoder().encode(text)
  return { body: { kind: 'bytes', bytes, contentType: 'text/plain; charset=utf-8' } } as const
}

function localStatusOf(call: Context, catalog: Catalog, service: ServiceRecord): HealthStatus {
  return aggregateStatus(checksFor(call, catalog, service))
}

function checksFor(call: Context, catalog: Catalog, service: ServiceRecord): readonly CheckRecord[] {
  return ownChecks(call, catalog).filter(
    ({ ServiceID }) => ServiceID === '' || ServiceID.toLowerCase() === service.ID.toLowerCase(),
  )
}

function localHealthOf(
  call: Context,
  catalog: Catalog,
  { service, repeated }: { readonly service: ServiceRecord; readonly repeated: RepeatedContent },
): LocalHealth & { readonly AggregatedStatus: HealthStatus } {
  const checks = checksFor(call, catalog, service)
  return {
    AggregatedStatus: aggregateStatus(checks),
    Service: showAgentService(service, call),
    Checks: showAgentChecks(ofServiceFirst(checks), catalog, { call, repeated }).map(withoutRun),
  }
}

function ofServiceFirst(checks: readonly CheckRecord[]): readonly CheckRecord[] {
  const isOfNode = ({ ServiceID }: CheckRecord) => ServiceID === ''
  return [...checks.filter((check) => !isOfNode(check)), ...checks.filter(isOfNode)]
}

/** A health says how checks are, not how they run: both fields are there, without content, as existing clients know them. */
const NO_RUN = {
  Type: '',
  Definition: {
    ...{ Interval: '0s', Timeout: '0s', DeregisterCriticalServiceAfter: '0s' },
    ...{ HTTP: '', Header: null, Method: '', Body: '', TLSSkipVerify: false, TCP: '' },
  },
} as const

function withoutRun(check: HealthCheck): HealthCheck {
  const { Type, Definition } = check
  return {
    ...check,
    ...(Type === undefined ? {} : { Type: NO_RUN.Type }),
    ...(Definition === undefined ? {} : { Definition: NO_RUN.Definition }),
  }
}
