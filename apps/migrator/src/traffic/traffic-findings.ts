/** Findings from an access log: one for every kind of call that the target version changes. */
import { counted, type Finding } from '../findings/finding.ts'
import { isReadEnough, type TrafficResult } from './check-traffic.ts'

/** Calls that break are critical; calls whose answer changes are warnings. */
export function findTraffic(result: TrafficResult): Finding[] {
  const { to, broken } = result
  const calls = broken.map(({ gate, breaks, call, what, replacement, count, clients, lastSeen }) => ({
    id: `traffic-${gate}`,
    severity: breaks ? ('critical' as const) : ('warning' as const),
    count,
    detail: `${call} at ${to}: ${counted(count, 'call')} by ${counted(clients, 'client')}${lastSeen === null ? '' : `, last seen ${lastSeen}`}. ${what}`,
    avoid: `Use ${replacement}.`,
  }))
  return [...calls, ...findUnread(result), ...findNone(result)]
}

/** A log of another service, or of a level without calls, gives no information about clients. */
function findNone({ calls, skipped }: TrafficResult): Finding[] {
  if (calls > 0) return []
  return [
    {
      id: 'traffic-empty',
      severity: 'warning',
      count: skipped,
      detail: 'The access log contains no calls, so it does not show which clients would break',
      avoid:
        'Provide a log that contains calls: the legacy service logs all calls at level debug, but only refused ones by default.',
    },
  ]
}

/** If more than one percent of the lines are unread, breaking calls may have been missed. */
function findUnread(result: TrafficResult): Finding[] {
  const { unread } = result
  if (isReadEnough(result)) return []
  return [
    {
      id: 'traffic-unread',
      severity: 'warning',
      count: unread,
      detail: `${counted(unread, 'line')} of the access log could not be read, so calls that break may be missing here`,
      avoid: 'Describe the format of the log to check-traffic with --log-format.',
    },
  ]
}
