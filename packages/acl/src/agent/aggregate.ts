/** The status of a service or a node, from those of its checks. Spec 9.4; decisions: agent. */

export type HealthStatus = 'passing' | 'warning' | 'critical' | 'maintenance'

/** ID of the check that puts a node under maintenance. */
export const NODE_MAINTENANCE = '_node_maintenance'
/** Start of the ID of the check that puts a service under maintenance; its ID follows. */
const SERVICE_MAINTENANCE_PREFIX = '_service_maintenance:'

interface Judged {
  readonly CheckID: string
  readonly Status: string
}

/** Maintenance, else the worst status; passing without checks. A status of another word counts as passing. */
export function aggregateStatus(checks: Iterable<Judged>): HealthStatus {
  let worst: HealthStatus = 'passing'
  for (const { CheckID, Status } of checks) {
    if (CheckID === NODE_MAINTENANCE || CheckID.startsWith(SERVICE_MAINTENANCE_PREFIX)) return 'maintenance'
    if (Status === 'critical') worst = 'critical'
    else if (Status === 'warning' && worst === 'passing') worst = 'warning'
  }
  return worst
}

/** What an alias check reports of the checks that it follows. */
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

/** The check that maintenance adds, without the node and the service that it belongs to. */
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
