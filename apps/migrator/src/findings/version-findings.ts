/** Findings about versions: bugs of versions on the way, and their effects on clients. Spec 8, 9.3. */
import { recordsOf } from '../check/facts.ts'
import { formatSeconds, spanOf } from '../scenario/time.ts'
import { isAtLeast, isIn, isKnown, NEW_ACLS, NEWEST_KNOWN, range, type VersionRange } from '../version.ts'
import {
  about,
  counted,
  type Evidence,
  type Finder,
  type Finding,
  type Found,
  type Severity,
  serversIn,
} from './finding.ts'

export const VERSION_FINDERS: readonly Finder[] = [
  findUnknownVersions,
  findBootstrap,
  findFaultyStops,
  findClientErrors,
]

/** Versions that the tables do not cover are simulated as the newest known version. */
function findUnknownVersions({ history }: Evidence): Found {
  const hit = recordsOf(history, 'process').filter(
    (each) => (each.state === 'up' || each.state === 'refused') && !isKnown(each.version),
  )
  const servers = serversIn(hit)
  const versions = [...new Set(hit.map(({ version }) => version.text))]
  const isFar = hit.some(({ version }) => version.major > NEWEST_KNOWN.major)
  return about(hit, () => ({
    id: 'version-unknown',
    severity: isFar ? 'critical' : 'warning',
    count: servers.length,
    detail: `${servers.join(', ')}: the migrator does not know ${versions.join(', ')}. It simulates ${versions.length === 1 ? 'it' : 'them'} as ${NEWEST_KNOWN.text}, the newest version that it knows, so later changes are missing here`,
    avoid: `Plan the upgrade to ${NEWEST_KNOWN.text}, and read the upgrade notes of every later version.`,
    servers,
  }))
}

/**
 * Versions before 1.4.0 store whether bootstrap is allowed; from 1.4.0 on, servers store whether it happened. The old
 * record is dropped when a server replays it from its log. In a snapshot, it is read as "happened", whatever its value.
 */
function findBootstrap({ scenario, history }: Evidence): Found {
  if (scenario.model === 'latchkey') return []
  const old = new Map<string, boolean>()
  const upgraded = new Map<string, { readonly at: number; readonly hasSnapshot: boolean }>()
  for (const each of history.records) {
    if (each.kind === 'process' && each.state === 'up' && each.datacenter === history.primary) {
      if (each.mode === 'old') old.set(each.server, false)
      else if (!upgraded.has(each.server) && (old.has(each.server) || cameFromOld(scenario, each.server)))
        upgraded.set(each.server, { at: each.at, hasSnapshot: old.get(each.server) ?? false })
    }
    if (each.kind === 'snapshot' && old.has(each.server)) old.set(each.server, true)
  }
  const open = [...upgraded].filter(([, { hasSnapshot }]) => !hasSnapshot)
  const closed = [...upgraded].filter(([, { hasSnapshot }]) => hasSnapshot)
  const findings: Finding[] = []
  const [first] = open
  if (first !== undefined) {
    const servers = open.map(([id]) => id)
    const where =
      closed.length === 0 ? '' : ` while ${servers.join(', ')} ${servers.length === 1 ? 'leads' : 'lead'}`
    findings.push({
      id: 'bootstrap-reopened',
      severity: scenario.bootstrapped === true ? 'warning' : 'info',
      count: open.length,
      detail: `From ${formatSeconds(first[1].at)} on, an unauthenticated bootstrap can succeed on a cluster that refused it before${where}: the state replayed from the log no longer records the bootstrap (in legacy mode with legacy=true, afterwards with the plain call)`,
      avoid:
        'Try bootstrap yourself right after the upgrade, and block untrusted access to the API until then.',
      from: first[1].at,
      servers,
    })
  }
  const [shut] = closed
  if (shut !== undefined && scenario.bootstrapped === false) {
    const servers = closed.map(([id]) => id)
    findings.push({
      id: 'bootstrap-closed',
      severity: 'warning',
      count: closed.length,
      detail: `From ${formatSeconds(shut[1].at)} on, ${servers.join(', ')} ${servers.length === 1 ? 'refuses' : 'refuse'} bootstrap although it never happened: the snapshot of the old version is read as bootstrapped`,
      avoid: 'Bootstrap before the upgrade, or use the reset file that the error names.',
      from: shut[1].at,
      servers,
    })
  }
  return findings
}

function cameFromOld(scenario: Evidence['scenario'], id: string): boolean {
  const server = scenario.datacenters.flatMap(({ servers }) => servers).find((each) => each.id === id)
  return server !== undefined && !server.joinsLater && !isAtLeast(server.from, NEW_ACLS)
}

interface FaultyStop {
  readonly id: string
  readonly severity: Severity
  readonly ranges: readonly VersionRange[]
  readonly detail: string
  readonly avoid: string
  readonly needsSecondaries?: true
}

const FAULTY_STOPS: readonly FaultyStop[] = [
  {
    id: 'tag-filter-stop',
    severity: 'warning',
    ranges: [range('1.3.0', '1.3.1')],
    detail: 'ignore the tag of catalog queries through agents of 1.2.3 or earlier (spec 9.3, 1.3.0)',
    avoid: 'Upgrade to at least 1.3.1.',
  },
  {
    id: 'session-stop',
    severity: 'warning',
    ranges: [range('1.7.0', '1.7.2')],
    detail:
      'reject session info and renew calls from agents on the other side of 1.7.0, and locks can be lost (spec 9.3, 1.7.0)',
    avoid: 'Upgrade directly to 1.7.2 or later, agents and servers in either order.',
  },
  {
    id: 'redacted-secret-stop',
    severity: 'warning',
    ranges: [range('1.4.0', '1.4.3')],
    needsSecondaries: true,
    detail: 'can store a token in a secondary whose secret is the redaction text (CVE-2019-8336)',
    avoid: 'Upgrade to 1.4.3 or later.',
  },
  {
    id: 'local-token-stop',
    severity: 'warning',
    ranges: [range('1.4.0', '1.6.6'), range('1.7.0', '1.7.4')],
    needsSecondaries: true,
    detail: 'accept local tokens of one datacenter in others that do not replicate tokens (CVE-2020-13170)',
    avoid: 'Upgrade to 1.6.6, 1.7.4 or later.',
  },
  {
    id: 'primary-down-unchecked',
    severity: 'critical',
    ranges: [range('1.4.0', '1.8.17'), range('1.9.0', '1.9.11'), range('1.10.0', '1.10.4')],
    needsSecondaries: true,
    detail:
      'in a secondary without token replication, do not check local tokens of another datacenter at all, whether the primary is up or down, nor unknown secrets while it is down (down policy extend-cache)',
    avoid:
      'Replicate tokens, set the down policy to deny, or upgrade directly to 1.8.17, 1.9.11, 1.10.4 or later.',
  },
]

function findFaultyStops({ scenario, history }: Evidence): Found {
  if (scenario.model === 'latchkey') return []
  const unreplicated = scenario.datacenters.some((each) => !each.isPrimary && !each.tokenReplication)
  return FAULTY_STOPS.flatMap(({ id, severity, ranges, detail, avoid, needsSecondaries }) => {
    if (needsSecondaries === true && history.datacenters.length === 1) return []
    if ((id === 'primary-down-unchecked' || id === 'local-token-stop') && !unreplicated) return []
    const hit = recordsOf(history, 'process').filter(
      (each) => each.state === 'up' && each.detail !== 'as before the upgrade' && isIn(each.version, ranges),
    )
    const servers = serversIn(hit)
    const versions = [...new Set(hit.map(({ version }) => version.text))]
    return about(hit, () => ({
      id,
      severity,
      count: servers.length,
      detail: `Servers of ${versions.join(', ')} ${detail}: ${servers.join(', ')}`,
      avoid,
      servers,
    }))
  })
}

const CLIENT_ADVICE: Readonly<Record<string, readonly [Severity, string]>> = {
  'legacy-mode': ['warning', 'Move clients to the token API after the last server has left legacy mode.'],
  'endpoint-unknown': ['warning', 'Move clients to the token API once every server and agent runs 1.4.0.'],
  'method-unknown': ['warning', 'Upgrade the servers before the client agents.'],
  'acl-disabled': ['critical', 'Enable ACLs everywhere before the upgrade.'],
  'endpoint-removed': ['critical', 'Move these clients to the token API before 1.11: see check-traffic.'],
  'session-rejected': ['critical', 'Do not stop at 1.7.0 or 1.7.1: upgrade directly to 1.7.2 or later.'],
  'intentions-blocked': ['warning', 'Freeze intentions for the window, and upgrade the primary quickly.'],
  'intention-id-gone': ['warning', 'Edit an intention by id or as a config entry, not both.'],
  'tag-ignored': ['warning', 'Upgrade to at least 1.3.1, or upgrade the client agents first.'],
  'tag-no-instance': ['warning', 'Upgrade the servers before the client agents.'],
  'index-decreased': ['warning', 'Watchers must restart from 0 whenever the index decreases.'],
  'unknown-field': ['warning', 'Find the field in the error text and stop sending it.'],
  'wrong-method': ['warning', 'Use the method of spec 9.4; older versions accept it, too.'],
  'kv-forbidden': ['info', 'Treat 403 as a missing right, not as a service failure.'],
  'connection-closed': ['warning', 'Raise http_max_conns_per_client, or use fewer connections.'],
  'connection-refused-429': ['warning', 'Raise http_max_conns_per_client, or use fewer connections.'],
  'bootstrap-reopened': ['critical', 'Close bootstrap right after the upgrade.'],
  'bootstrap-closed': ['warning', 'Bootstrap before the upgrade, or use the reset file of the error.'],
  'bootstrap-in-secondary': ['warning', 'Call bootstrap in the primary datacenter.'],
  'token-unknown': ['critical', 'Give the replication token of the datacenter acl:write before the upgrade.'],
  'primary-unreachable': ['warning', 'Replicate the tokens, or expect errors while the primary is down.'],
  'no-leader': ['info', 'Clients should retry: an election takes some seconds.'],
  unreachable: ['info', 'Clients should retry on another server.'],
  timeout: ['info', 'Clients should retry on another server.'],
}

function findClientErrors({ clients }: Evidence): Found {
  return [...clients].map(([kind, { first, last, count, text, status, workloads }]) => {
    const [severity, avoid] =
      CLIENT_ADVICE[kind] ?? (['info', 'Prepare the clients for this answer.'] as const)
    const answer = status === undefined ? text : `${status} ${text}`
    return {
      id: `clients-${kind}`,
      severity,
      count,
      detail: `${counted(count, 'call')} of ${Object.keys(workloads).join(', ')} ${spanOf(first, last, formatSeconds)}: ${answer}`,
      avoid,
      from: first,
      to: last,
    }
  })
}
