/** Findings about legacy mode: how long it lasts, which servers hold it up, and what cannot be undone. Spec 9.2.1, 9.2.2, 9.2.5. */
import { isBefore } from '@latchkey/contract'
import { recordsOf } from '../check/facts.ts'
import { formatSeconds } from '../scenario/time.ts'
import type { Blocker, FinalMember, History } from '../simulate/history.ts'
import { isIn, NEW_ACLS, range } from '../version.ts'
import type { Evidence, Finding } from './finding.ts'

export function findModes(evidence: Evidence): Finding[] {
  return [
    ...findStuck(evidence),
    ...findUnfinished(evidence),
    ...findWindow(evidence),
    ...findPointOfNoReturn(evidence),
    ...findRollBacks(evidence),
    ...findNoLeader(evidence),
    ...findRefusedStarts(evidence),
  ]
}

/** Servers still in legacy mode when nothing can change any more. */
function findStuck({ scenario, history }: Evidence): Finding[] {
  if (!history.isSettled) return []
  const stuck = history.members.filter((each) => each.mode === 'legacy' && !each.isPaused)
  return scenario.datacenters.flatMap(({ name }) => {
    const members = stuck.filter((each) => each.datacenter === name)
    const [first] = members
    if (first === undefined) return []
    const blockers = new Map(members.flatMap((each) => each.waitsFor.map((one) => [one.server, one])))
    return [
      {
        id: 'legacy-mode-stuck',
        severity: 'critical' as const,
        count: members.length,
        detail: `${members.map(({ id }) => id).join(', ')} of ${name} never leave legacy mode: ${[...blockers.values()].map(formatBlocker).join('; ')}`,
        avoid: [...new Set([...blockers.values()].map((each) => adviceFor(each, first, history)))].join(' '),
        from: lastChange(history),
        servers: members.map(({ id }) => id),
      },
    ]
  })
}

function formatBlocker({ server, why }: Blocker): string {
  return server === '' ? why : `waiting for ${server} (${why})`
}

function adviceFor({ server, why }: Blocker, looker: FinalMember, history: History): string {
  if (why.includes('(left)')) {
    return `${server} left, and versions before 1.6.0 still count it: the list forgets it after about a day, force-leave does not help, an upgrade to 1.6.0 or later does.`
  }
  if (why.includes('(failed)')) {
    const isDropped = looker.version !== undefined && !isIn(looker.version, [range('1.4.0', '1.6.0')])
    return `Bring ${server} back with 1.4.0 or later${isDropped ? ', or force-leave it' : ''}; without that the list forgets it after about three days.`
  }
  if (why.includes('switched off')) return `Switch the ACLs of ${server} on and restart it.`
  if (why.includes('older than')) return `Upgrade ${server} too, or let it leave.`
  if (history.records.some((each) => each.kind === 'stale-gossip' && each.server === server)) {
    return `${server} says of itself that it has left, and the others heard otherwise: restart ${server}.`
  }
  if (why.includes('no leader')) return 'Bring back a majority of the servers.'
  return 'Look at the servers that it waits for first.'
}

function lastChange(history: History): number {
  return history.records.findLast((each) => each.kind !== 'batch' && each.kind !== 'replicated')?.at ?? 0
}

/** The scenario ended before legacy mode did. */
function findUnfinished({ history }: Evidence): Finding[] {
  if (history.isSettled) return []
  const members = history.members.filter((each) => each.mode === 'legacy')
  if (members.length === 0) return []
  return [
    {
      id: 'legacy-mode-unfinished',
      severity: 'warning',
      count: members.length,
      detail: `${members.map(({ id }) => id).join(', ')} ${members.length === 1 ? 'is' : 'are'} still in legacy mode when the scenario ends`,
      avoid: 'Simulate longer (duration), and plan for a longer window.',
      to: history.endedAt,
      servers: members.map(({ id }) => id),
    },
  ]
}

/** From the first server that can to the last one that has. */
function findWindow({ scenario, history }: Evidence): Finding[] {
  return scenario.datacenters.flatMap(({ name }) => {
    const entered = history.records.find(
      (each) => each.kind === 'process' && each.datacenter === name && each.mode === 'legacy',
    )
    // The first time of each server: later windows, at restarts, last a moment.
    const seen = new Set<string>()
    const left = recordsOf(history, 'mode')
      .filter((each) => each.datacenter === name && each.mode === 'new')
      .filter(({ server }) => !seen.has(server) && seen.add(server))
      .at(-1)
    if (entered === undefined || left === undefined) return []
    return [
      {
        id: 'legacy-mode-window',
        severity: 'info' as const,
        count: scenario.datacenters.find((each) => each.name === name)?.servers.length ?? 0,
        detail: `In ${name} bootstrap and the new ACL APIs do not work from ${formatSeconds(entered.at)} to ${formatSeconds(left.at)} (${formatSeconds(left.at - entered.at)}); the legacy API does (spec 9.2.1)`,
        avoid: 'Keep clients on the legacy API until the window is over; an election shortens it.',
        from: entered.at,
        to: left.at,
      },
    ]
  })
}

/** After the first policy record, downgrades are impossible. Spec 9.2.5. */
function findPointOfNoReturn({ history }: Evidence): Finding[] {
  const first = recordsOf(history, 'mode').find(
    (each) => each.datacenter === history.primary && each.mode === 'new',
  )
  if (first === undefined) return []
  return [
    {
      id: 'point-of-no-return',
      severity: 'info',
      count: 1,
      detail: `At ${formatSeconds(first.at)} ${first.server} leads ${history.primary} out of legacy mode; from then on no server can go back to a version before 1.4.0 (spec 9.2.5)`,
      avoid: 'Take a snapshot right before. Until then every server can go back.',
      from: first.at,
      servers: [first.server],
    },
  ]
}

/** A server went back while it still could. */
function findRollBacks({ history }: Evidence): Finding[] {
  const last = new Map<string, boolean>()
  const back = recordsOf(history, 'process').filter(({ server, state, version }) => {
    if (state !== 'up') return false
    const isOld = isBefore(version, NEW_ACLS)
    const was = last.get(server)
    last.set(server, isOld)
    return isOld && was === false
  })
  const [first] = back
  if (first === undefined) return []
  return [
    {
      id: 'rolled-back',
      severity: 'info',
      count: back.length,
      detail: `${[...new Set(back.map(({ server }) => server))].join(', ')} went back to a version before 1.4.0 during legacy mode, which is harmless`,
      avoid: 'Nothing to do; after the end of legacy mode it would be refused.',
      from: first.at,
      servers: [...new Set(back.map(({ server }) => server))],
    },
  ]
}

/** A datacenter without a leader accepts no writes and cannot leave legacy mode. */
function findNoLeader({ scenario, history }: Evidence): Finding[] {
  return scenario.datacenters.flatMap(({ name, servers }) => {
    const last = recordsOf(history, 'leader').findLast((each) => each.datacenter === name)
    if (last === undefined || last.server !== undefined || !history.isSettled) return []
    return [
      {
        id: 'no-leader',
        severity: 'critical' as const,
        count: 1,
        detail: `${name} has no leader from ${formatSeconds(last.at)} on: fewer than ${Math.floor(servers.length / 2) + 1} of its servers are up`,
        avoid: 'Upgrade one server at a time, and wait until it is back before the next.',
        from: last.at,
      },
    ]
  })
}

/** A server that refuses to start. */
function findRefusedStarts({ history }: Evidence): Finding[] {
  const refused = recordsOf(history, 'process').filter((each) => each.state === 'refused')
  const [first] = refused
  if (first === undefined) return []
  return [
    {
      id: 'start-refused',
      severity: 'critical',
      count: refused.length,
      detail: `${[...new Set(refused.map(({ server }) => server))].join(', ')}: ${first.detail}`,
      avoid: 'Convert these tokens (policies instead of rules) while the cluster runs 1.10.',
      from: first.at,
      servers: [...new Set(refused.map(({ server }) => server))],
    },
  ]
}
