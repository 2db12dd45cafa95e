/** The status of a service or node, derived from its checks. Spec 9.4; decisions: agent. */
import type { AgentCheck } from './check-definition.ts'

export type HealthStatus = 'passing' | 'warning' | 'critical' | 'maintenance'

/** ID of the check that marks a node as under maintenance. */
export const NODE_MAINTENANCE = '_node_maintenance'
/** ID prefix of the check that marks a service as under maintenance; the ID of the service follows. */
const SERVICE_MAINTENANCE_PREFIX = '_service_maintenance:'

interface Judged {
  readonly CheckID: string
  readonly Status: string
}

/** Maintenance, otherwise the worst status; passing if there are no checks. An unknown status is treated as passing. */
export function aggregateStatus(checks: Iterable<Judged>): HealthStatus {
  let worst: HealthStatus = 'passing'
  for (const { CheckID, Status } of checks) {
    if (CheckID === NODE_MAINTENANCE || CheckID.startsWith(SERVICE_MAINTENANCE_PREFIX)) return 'maintenance'
    if (Status === 'critical') worst = 'critical'
    else if (Status === 'warning' && worst === 'passing') worst = 'warning'
  }
  return worst
}

/** The result of an alias check, from the checks that it follows. */
export function aliasResult(checks: Iterable<Judged & { readonly Name: string; readonly Output: string }>): {
  readonly status: 'passing' | 'warning' | 'critical'
  readonly output: string
} {
  let result: ReturnType<typeof aliasResult> = { status: 'passing', output: 'No checks found.' }
  for (const { Name, Status, Output } of checks) {
    if (Status === 'critical' || Status === 'warning') {
      result = { status: Status, output: `Aliased check "${Name}" failing: ${Output}` }
      if (Status === 'critical') return result
    } else if (result.status === 'passing') result = { status: 'passing', output: 'All checks passing.' }
  }
  return result
}

/** The check that maintenance adds, without its node and service. */
export function maintenanceCheck(
  serviceId: string | undefined,
  reason: string,
): { readonly CheckID: string; readonly Name: string; readonly Notes: string } {
  const what = serviceId === undefined ? 'node' : 'service'
  return {
    CheckID: serviceId === undefined ? NODE_MAINTENANCE : `${SERVICE_MAINTENANCE_PREFIX}${serviceId}`,
    Name: serviceId === undefined ? 'Node Maintenance Mode' : 'Service Maintenance Mode',
    Notes:
      reason ||
      `Maintenance mode is enabled for this ${what}, but no reason was provided. This is a default message.`,
  }
}

export interface ResultCounts {
  readonly successes: number
  readonly failures: number
}

export const NO_RESULTS: ResultCounts = { successes: 0, failures: 0 }

export function countResult(counts: ResultCounts, status: string): ResultCounts {
  return status === 'critical'
    ? { successes: 0, failures: counts.failures + 1 }
    : { successes: counts.successes + 1, failures: 0 }
}

/** Whether the last result changes the status: there were as many consecutive equal results as the check requires. */
export function movesStatus(
  counts: ResultCounts,
  { successesToPass, failuresToFail }: Pick<AgentCheck, 'successesToPass' | 'failuresToFail'>,
): boolean {
  return counts.failures > 0 ? counts.failures >= failuresToFail : counts.successes >= successesToPass
}

/** The output of a TTL check without a report in time. */
export function expiredOutput(lastOutput: string): string {
  return lastOutput === '' ? 'TTL expired' : `TTL expired (last output before timeout follows): ${lastOutput}`
}

export function statusOfHttp(status: number): 'passing' | 'warning' | 'critical' {
  if (status >= 200 && status < 300) return 'passing'
  return status === 429 ? 'warning' : 'critical'
}

/** Maximum delay before a change that affects only the output is committed. */
export const OUTPUT_WRITE_MS = 300_000

/** The delay of a change that affects only the output: half of {@link OUTPUT_WRITE_MS} plus jitter. */
export function outputWriteMs(random: number): number {
  return OUTPUT_WRITE_MS * (1 / 2 + random)
}
