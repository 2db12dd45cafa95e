/** The health of services on the server's node, in the form that load balancers query. */
import {
  aggregateStatus,
  type Catalog,
  type CheckRecord,
  type HealthStatus,
  type ServiceRecord,
} from '@latchkey/acl'
import type { LocalHealth } from '@latchkey/contract'
import type { Context } from '../handler.ts'
import type { RepeatedContent } from '../reply/repeated-content.ts'
import { ownChecks } from './own-node.ts'
import { showAgentChecks, showAgentService } from './shown-service.ts'

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

/** The worst status of a service's own checks and those of the node. */
export function localStatusOf(call: Context, catalog: Catalog, service: ServiceRecord): HealthStatus {
  return aggregateStatus(checksFor(call, catalog, service))
}

function checksFor(call: Context, catalog: Catalog, service: ServiceRecord): readonly CheckRecord[] {
  return ownChecks(call, catalog).filter(
    ({ ServiceID }) => ServiceID === '' || ServiceID.toLowerCase() === service.ID.toLowerCase(),
  )
}

/** One service with its own checks and those of the node. @throws AclError `answer_too_large`. */
export function localHealthOf(
  call: Context,
  catalog: Catalog,
  { service, repeated }: { readonly service: ServiceRecord; readonly repeated: RepeatedContent },
): LocalHealth & { readonly AggregatedStatus: HealthStatus } {
  const checks = checksFor(call, catalog, service)
  return {
    AggregatedStatus: aggregateStatus(checks),
    Service: showAgentService(service, call),
    Checks: showAgentChecks(checks, catalog, { call, repeated }),
  }
}
