/** What an access log means for a plan: one finding for every kind of call that the target version changes. */
import { counted, type Finding } from '../findings/finding.ts'
import type { TrafficResult } from './check-traffic.ts'

/** Calls that break are critical; calls whose answer changes are warnings. */
export function findTraffic({ to, broken }: TrafficResult): Finding[] {
  return broken.map(({ gate, breaks, call, what, replacement, count, clients, lastSeen }) => ({
    id: `traffic-${gate}`,
    severity: breaks ? ('critical' as const) : ('warning' as const),
    count,
    detail: `${call} at ${to}: ${counted(count, 'call')} of ${counted(clients, 'client')}${lastSeen === null ? '' : `, last seen ${lastSeen}`}. ${what}`,
    avoid: `Use ${replacement}.`,
  }))
}
