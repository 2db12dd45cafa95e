/** The health of services on the server's node, in the form that load balancers query. */
import { aggregateStatus, type Catalog, type HealthStatus, type ServiceRecord } from '@latchkey/acl'
import type { LocalHealth } from '@latchkey/contract'
import type { Context } from '../handler.ts'
import { ownChecks } from './own-node.ts'
import { showAgentCheck, showAgentService } from './shown-service.ts'

const STATUS = {
  passing: {},
  warning: { status: 429 },
  critical: { status: 503 },
  maintenance: { status: 503 },
} as const

/** The status code and header of an answer, for the worst status that it shows. */
export function statusOf(worst: HealthStatus) {
  return { ...STATUS[worst], headers: { reason: worst } }
}

/** The status code and header if there is no such service: the same header as critical. */
export function notHere() {
  return { status: 404, headers: { reason: 'critical' } } as const
}

export function textAnswer(text: string) {
  const bytes = new TextEncoder().encode(text)
  return { body: { kind: 'bytes', bytes, contentType: 'text/plain; charset=utf-8' } } as const
}

/** One service with its own checks and those of the node. */
export function localHealthOf(
  call: Context,
  catalog: Catalog,
  service: ServiceRecord,
): LocalHealth & { readonly AggregatedStatus: HealthStatus } {
  const checks = ownChecks(call, catalog).filter(
    ({ ServiceID }) => ServiceID === '' || ServiceID.toLowerCase() === service.ID.toLowerCase(),
  )
  return {
    AggregatedStatus: aggregateStatus(checks),
    Service: showAgentService(service, call),
    Checks: checks.map((check) => showAgentCheck(check, catalog, call)),
  }
}
