/** Findings about versions: faults of a stop on the way, and what clients meet because of them. Spec 8, 9.3. */
import { recordsOf } from '../check/facts.ts'
import { formatSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import { isAtLeast, isIn, NEW_ACLS, range, type VersionRange } from '../version.ts'
import { counted, type Evidence, type Finding, type Severity } from './finding.ts'

export function findVersions(evidence: Evidence): Finding[] {
  return [...findBootstrap(evidence), ...findFaultyStops(evidence), ...findClientErrors(evidence)]
}

/** The state of bootstrap does not survive the upgrade cleanly. */
function findBootstrap({ scenario, history }: Evidence): Finding[] {
  if (scenario.model === 'latchkey') return []
  const started = recordsOf(history, 'process').filter(
    (each) => each.state === 'up' && each.datacenter === history.primary,
  )
  const [first] = started.filter((each) => each.mode === 'legacy')
  const cameFromOld = scenario.datacenters.some((each) =>
    each.servers.some(({ from }) => !isAtLeast(from, NEW_ACLS)),
  )
  if (first === undefined || !cameFromOld) return []
  return [
    {
      id: 'bootstrap-reopened',
      severity: scenario.bootstrapped === true ? 'warning' : 'info',
      count: started.length,
      detail: `From ${formatSeconds(first.at)} on an unauthenticated bootstrap can succeed on a cluster that refused it before: state replayed from the log forgets that bootstrap was done (in legacy mode with legacy=true, afterwards with the plain call)`,
      avoid: 'Try bootstrap yourself right after the upgrade, and keep strangers off the API until then.',
      from: first.at,
    },
  ]
}

interface FaultyStop {
  readonly id: string
  readonly severity: Severity
  readonly ranges: readonly VersionRange[]
  readonly detail: string
  readonly avoid: string
  /** Only applies if there are secondaries. */
  readonly needsSecondaries?: true
}

/** Versions that no upgrade should stop at. */
const FAULTY_STOPS: readonly FaultyStop[] = [
  {
    id: 'tag-filter-stop',
    severity: 'warning',
    ranges: [range('1.3.0', '1.3.1')],
    detail:
      'ignore the tag of catalog queries that come through agents of 1.2.3 or earlier (spec 9.3, 1.3.0)',
    avoid: 'Go to 1.3.1 at least.',
  },
  {
    id: 'session-stop',
    severity: 'warning',
    ranges: [range('1.7.0', '1.7.2')],
    detail:
      'reject session info and renew from agents on the other side of 1.7.0, and locks can be lost (spec 9.3, 1.7.0)',
    avoid: 'Go to 1.7.2 or later at once, in either order of agents and servers.',
  },
  {
    id: 'redacted-secret-stop',
    severity: 'warning',
    ranges: [range('1.4.0', '1.4.3')],
    needsSecondaries: true,
    detail: 'can store a token in a secondary whose secret is the redaction text (CVE-2019-8336)',
    avoid: 'Go to 1.4.3 or later.',
  },
  {
    id: 'local-token-stop',
    severity: 'warning',
    ranges: [range('1.4.0', '1.6.6'), range('1.7.0', '1.7.4')],
    needsSecondaries: true,
    detail: 'accept local tokens of one datacenter in others that do not replicate tokens (CVE-2020-13170)',
    avoid: 'Go to 1.6.6, 1.7.4 or later.',
  },
  {
    id: 'primary-down-unchecked',
    severity: 'warning',
    ranges: [range('1.4.0', '1.8.17'), range('1.9.0', '1.9.11'), range('1.10.0', '1.10.4')],
    needsSecondaries: true,
    detail:
      'in a secondary without token replication check nothing for secrets they have never seen while the primary is down (down policy extend-cache)',
    avoid: 'Replicate tokens, or go to 1.8.17, 1.9.11, 1.10.4 or later.',
  },
]

function findFaultyStops({ scenario, history }: Evidence): Finding[] {
  if (scenario.model === 'latchkey') return []
  const unreplicated = scenario.datacenters.some((each) => !each.isPrimary && !each.tokenReplication)
  return FAULTY_STOPS.flatMap(({ id, severity, ranges, detail, avoid, needsSecondaries }) => {
    if (needsSecondaries === true && history.datacenters.length === 1) return []
    if ((id === 'primary-down-unchecked' || id === 'local-token-stop') && !unreplicated) return []
    const hit = startsIn(history, ranges)
    const [first] = hit
    if (first === undefined) return []
    const servers = [...new Set(hit.map(({ server }) => server))]
    const versions = [...new Set(hit.map(({ version }) => version.text))]
    return [
      {
        id,
        severity,
        count: servers.length,
        detail: `Servers of ${versions.join(', ')} ${detail}: ${servers.join(', ')}`,
        avoid,
        from: first.at,
        servers,
      },
    ]
  })
}

function startsIn(history: History, ranges: readonly VersionRange[]) {
  return recordsOf(history, 'process').filter(
    (each) => each.state === 'up' && each.detail !== 'as before the upgrade' && isIn(each.version, ranges),
  )
}

/** Severity and advice for each kind of client error. Other kinds are informational. */
const CLIENT_ADVICE: Readonly<Record<string, { readonly severity: Severity; readonly avoid: string }>> = {
  'legacy-mode': {
    severity: 'warning',
    avoid: 'Move clients to the token API only after the last server has left legacy mode.',
  },
  'endpoint-unknown': {
    severity: 'warning',
    avoid: 'Move clients to the token API only after every server and agent runs 1.4.0 or later.',
  },
  'method-unknown': { severity: 'warning', avoid: 'Upgrade the servers before the client agents.' },
  'acl-disabled': { severity: 'critical', avoid: 'Switch ACLs on everywhere before the upgrade.' },
  'endpoint-removed': {
    severity: 'critical',
    avoid: 'Move these clients to the token API before 1.11; check-traffic lists them.',
  },
  'session-rejected': {
    severity: 'critical',
    avoid: 'Do not stop at 1.7.0 or 1.7.1: go to 1.7.2 or later at once.',
  },
  'intentions-blocked': {
    severity: 'warning',
    avoid: 'Freeze intentions for the window; upgrade the last server of the primary soon after the first.',
  },
  'intention-id-gone': {
    severity: 'warning',
    avoid:
      'Edit an intention by id or as a config entry, not both: after the first edit as a config entry its id is gone.',
  },
  'tag-ignored': { severity: 'warning', avoid: 'Go to 1.3.1 at least, or upgrade the client agents first.' },
  'tag-no-instance': { severity: 'warning', avoid: 'Upgrade the servers before the client agents.' },
  'index-decreased': {
    severity: 'warning',
    avoid: 'Watchers must start from 0 again whenever the index goes down.',
  },
  'unknown-field': { severity: 'warning', avoid: 'Find the field in the error text and stop sending it.' },
  'wrong-method': { severity: 'warning', avoid: 'Use the method of spec 9.4; older versions take it too.' },
  'kv-forbidden': {
    severity: 'info',
    avoid: 'Treat 403 as a missing right and not as an error of the service.',
  },
  'connection-closed': {
    severity: 'warning',
    avoid: 'Raise http_max_conns_per_client, or use fewer connections.',
  },
  'connection-refused-429': {
    severity: 'warning',
    avoid: 'Raise http_max_conns_per_client, or use fewer connections.',
  },
  'bootstrap-reopened': { severity: 'critical', avoid: 'Close bootstrap right after the upgrade.' },
  'no-leader': { severity: 'info', avoid: 'Clients should try again: an election takes some seconds.' },
  unreachable: { severity: 'info', avoid: 'Clients should try another server.' },
  timeout: { severity: 'info', avoid: 'Clients should try another server.' },
}

function findClientErrors({ clients }: Evidence): Finding[] {
  return [...clients].map(([kind, { first, last, count, text, status, workloads }]) => {
    const { severity, avoid } = CLIENT_ADVICE[kind] ?? {
      severity: 'info' as const,
      avoid: 'Prepare the clients for it.',
    }
    const answer = status === undefined ? text : `${status} ${text}`
    return {
      id: `clients-${kind}`,
      severity,
      count,
      detail: `${counted(count, 'call')} of ${Object.keys(workloads).join(', ')} from ${formatSeconds(first)} to ${formatSeconds(last)}: ${answer}`,
      avoid,
      from: first,
      to: last,
    }
  })
}
