/** Findings about legacy mode: its duration, what blocks its end, and what cannot be undone. Spec 9.2.1, 9.2.2, 9.2.5. */
import { isBefore } from '@latchkey/contract'
import { legacyStretches, recordsOf } from '../check/facts.ts'
import type { DatacenterSpec } from '../scenario/scenario.ts'
import { formatSeconds, spanOf } from '../scenario/time.ts'
import type { Blocker } from '../simulate/history.ts'
import type { FinalMember, History } from '../simulate/run.ts'
import { isAtLeast, isIn, NEW_ACLS, range } from '../version.ts'
import { about, agrees, type Evidence, type Finder, type Found, serversIn } from './finding.ts'

export const MODE_FINDERS: readonly Finder[] = [
  findStuck,
  findUnfinished,
  findWindow,
  findPointOfNoReturn,
  findRollBacks,
  findNoLeader,
  findRefusedStarts,
]

function findStuck({ scenario, history }: Evidence): Found {
  if (!history.isSettled) return []
  const stuck = history.members.filter((each) => each.mode === 'legacy' && !each.isPaused)
  return scenario.datacenters.flatMap(({ name }) => {
    const members = stuck.filter((each) => each.datacenter === name)
    const [first] = members
    if (first === undefined) return []
    const blockers = new Map(members.flatMap((each) => each.waitsFor.map((one) => [one.server, one])))
    return {
      id: 'legacy-mode-stuck',
      severity: 'critical' as const,
      count: members.length,
      detail: `${members.map(({ id }) => id).join(', ')} of ${name} never ${agrees(members.length, 'leaves', 'leave')} legacy mode: ${[...blockers.values()].map(({ server, why }) => (server === '' ? why : `waiting for ${server} (${why})`)).join('; ')}`,
      avoid: [...new Set([...blockers.values()].map((each) => adviceFor(each, first, history)))].join(' '),
      from: history.records.findLast(({ kind }) => kind !== 'batch' && kind !== 'replicated')?.at ?? 0,
      servers: members.map(({ id }) => id),
    }
  })
}

function adviceFor({ server, why }: Blocker, looker: FinalMember, history: History): string {
  if (why.includes('(left)')) {
    return `${server} left, but versions before 1.6.0 still count it for about a day. force-leave does not help; an upgrade to 1.6.0 or later does.`
  }
  if (why.includes('(failed)')) {
    const isDropped =
      history.model === 'latchkey' ||
      (looker.version !== undefined && !isIn(looker.version, [range('1.4.0', '1.6.0')]))
    return `Bring ${server} back with 1.4.0 or later${isDropped ? `, or end the wait with PUT /v1/agent/force-leave/${server}` : ''}; otherwise the other servers drop it from their member lists after about three days.`
  }
  if (why.includes('switched off')) return `Enable ACLs on ${server} and restart it.`
  if (why.includes('older than')) return `Upgrade ${server} too, or remove it.`
  if (history.records.some((each) => each.kind === 'stale-gossip' && each.server === server)) {
    return `${server} has left legacy mode, but the others have stale gossip: restart ${server}.`
  }
  if (why.includes('no leader')) return 'Bring back a majority of the servers.'
  return 'First fix the servers that it waits for.'
}

function findUnfinished({ history }: Evidence): Found {
  if (history.isSettled) return []
  const members = history.members.filter((each) => each.mode === 'legacy')
  if (members.length === 0) return []
  return {
    id: 'legacy-mode-unfinished',
    severity: 'warning',
    count: members.length,
    detail: `${members.map(({ id }) => id).join(', ')} ${members.length === 1 ? 'is' : 'are'} still in legacy mode when the scenario ends`,
    avoid: 'Simulate longer (duration), and plan for a longer window.',
    to: history.endedAt,
    servers: members.map(({ id }) => id),
  }
}

/** The period from the first server in legacy mode to the last server that left it. */
function findWindow({ scenario, history }: Evidence): Found {
  return scenario.datacenters.flatMap((datacenter) => {
    const { name, servers } = datacenter
    // A datacenter that has left legacy mode before has no common window: each server passes through it when it starts.
    if (servers.every(({ from, acls }) => acls && isAtLeast(from, NEW_ACLS))) {
      return findRestartWindows(datacenter, history)
    }
    const entered = history.records.find(
      (each) => each.kind === 'process' && each.datacenter === name && each.mode === 'legacy',
    )
    // Only the first window of each server: later windows, at restarts, are short.
    const seen = new Set<string>()
    const left = recordsOf(history, 'mode')
      .filter((each) => each.datacenter === name && each.mode === 'new')
      .filter(({ server }) => !seen.has(server) && seen.add(server))
      .at(-1)
    if (entered === undefined || left === undefined) return []
    return {
      id: 'legacy-mode-window',
      severity: 'info' as const,
      count: servers.length,
      detail: `In ${name} bootstrap and the new ACL APIs do not work ${lengthOf(entered.at, left.at)}; the legacy API does (spec 9.2.1)`,
      avoid: 'Keep clients on the legacy API until the window is over; an election shortens it.',
      from: entered.at,
      to: left.at,
    }
  })
}

function lengthOf(from: number, to: number): string {
  const length = from === to ? '' : ` (${formatSeconds(to - from)})`
  return `${spanOf(from, to, formatSeconds)}${length}`
}

function findRestartWindows({ name, servers }: DatacenterSpec, history: History): Found {
  const stretches = legacyStretches(history)
  const lengths = servers.flatMap(({ id }) =>
    (stretches.get(id) ?? []).flatMap(({ from, to }) => (to === undefined ? [] : [to - from])),
  )
  const longest = Math.max(0, ...lengths)
  if (longest === 0) return []
  return {
    id: 'legacy-mode-window',
    severity: 'info',
    count: servers.length,
    detail: `In ${name} bootstrap and the new ACL APIs do not work on a starting server until it leaves legacy mode, at most ${formatSeconds(longest)} later (spec 9.2.1)`,
    avoid: 'Restart one server at a time; the others keep the new ACL APIs.',
  }
}

/** After the first policy record, downgrades are impossible. Spec 9.2.5. */
function findPointOfNoReturn({ scenario, history }: Evidence): Found {
  const isPassed = scenario.datacenters.some(
    ({ name, servers }) =>
      name === history.primary && servers.some(({ from, acls }) => acls && isAtLeast(from, NEW_ACLS)),
  )
  // In this case every snapshot of the scenario has the new version, and not even a restore can return to the old one.
  if (isPassed) return []
  const first = recordsOf(history, 'mode').find(
    (each) => each.datacenter === history.primary && each.mode === 'new',
  )
  if (first === undefined) return []
  return {
    id: 'point-of-no-return',
    severity: 'info',
    count: 1,
    detail: `At ${formatSeconds(first.at)} ${first.server} leads ${history.primary} out of legacy mode; from then on no server can be downgraded to a version before 1.4.0 (spec 9.2.5)`,
    avoid: 'Take a snapshot right before this moment. Until then every server can be downgraded.',
    from: first.at,
    servers: [first.server],
  }
}

function findRollBacks({ history }: Evidence): Found {
  const last = new Map<string, boolean>()
  const back = recordsOf(history, 'process').filter(({ server, state, version, detail }) => {
    if (state !== 'up') return false
    const isOld = isBefore(version, NEW_ACLS)
    const was = last.get(server)
    last.set(server, isOld)
    return isOld && was === false && detail !== 'restore'
  })
  return about(back, () => ({
    id: 'rolled-back',
    severity: 'info',
    detail: `${serversIn(back).join(', ')} returned to a version before 1.4.0 during legacy mode, which is harmless`,
    avoid: 'Nothing to do; after the end of legacy mode the server would not start.',
    servers: serversIn(back),
  }))
}

function findNoLeader({ scenario, history }: Evidence): Found {
  return scenario.datacenters.flatMap(({ name, servers }) => {
    const last = recordsOf(history, 'leader').findLast((each) => each.datacenter === name)
    if (last === undefined || last.server !== undefined || !history.isSettled) return []
    const majority = Math.floor(servers.length / 2) + 1
    return {
      id: 'no-leader',
      severity: 'critical' as const,
      count: 1,
      detail: `${name} has no leader from ${formatSeconds(last.at)} on: ${majority === 1 ? 'none' : `fewer than ${majority}`} of its servers ${majority === 1 ? 'is' : 'are'} up`,
      avoid: 'Upgrade one server at a time, and wait until it is back before the next.',
      from: last.at,
    }
  })
}

function findRefusedStarts({ history }: Evidence): Found {
  const refused = recordsOf(history, 'process').filter((each) => each.state === 'refused')
  return about(refused, (first) => ({
    id: 'start-refused',
    severity: 'critical',
    detail: `${serversIn(refused).join(', ')}: ${first.detail}`,
    avoid: first.detail.includes('accessor')
      ? 'First let every token in every datacenter get its accessor, on a version from 1.4.0 to 1.14.'
      : 'Convert these tokens (policies instead of rules) while the cluster runs 1.10.',
    servers: serversIn(refused),
  }))
}
