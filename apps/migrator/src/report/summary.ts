/** The verdict in plain sentences, and whom a finding affects. */
import { agrees, counted, reasonsOf } from '../findings/finding.ts'
import type { FindingResult, SimulationResult } from '../output/result.ts'
import type { Simulation } from '../output/run-simulation.ts'
import { pointOfNoReturn } from './chart/chart-of.ts'
import type { Clock } from './clock.ts'
import { formatCount } from './page.ts'
import type { WorkloadTotals } from './workloads.ts'

/** Maximum number of names in a sentence. */
const NAMES_MAX = 5

/** Turns `rules-change-at-1.4.0` into `Rules change at 1.4.0`. */
export function titleOf(id: string): string {
  const words = id.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function whomOf(finding: FindingResult, clients: SimulationResult['clients']): string {
  const { servers = [], id } = finding
  const workloads = Object.keys(clients[id.replace(/^clients-/, '')]?.workloads ?? {})
  const tokens = (finding.tokens ?? []).map(({ name, position }) =>
    name ? `“${name}”` : `number ${position}`,
  )
  const groups = [
    ...(tokens.length > 0
      ? [`${agrees(finding.count, 'token', 'tokens')} ${listed(tokens, finding.count)}`]
      : []),
    ...(workloads.length > 0
      ? [`${agrees(workloads.length, 'client', 'clients')} ${listed(workloads)}`]
      : []),
    ...(servers.length > 0 ? [`${agrees(servers.length, 'server', 'servers')} ${listed(servers)}`] : []),
  ]
  return groups.join('; ')
}

function listed(names: readonly string[], total = names.length): string {
  const more = total - Math.min(names.length, NAMES_MAX)
  return [...names.slice(0, NAMES_MAX), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** The main effects of the upgrade, one sentence each. */
export function summaryOf(
  { history, result }: Simulation,
  totals: readonly WorkloadTotals[],
  clock: Clock,
): string[] {
  const { verdict, violations } = result
  const problems = reasonsOf(result.findings).length
  const opening = {
    go: 'Nothing blocks the upgrade.',
    'go with care': `The upgrade can begin, but ${counted(problems, 'point')} ${agrees(problems, 'needs', 'need')} care.`,
    'no-go': `Do not begin this upgrade: ${counted(problems, 'problem')} must be solved first.`,
  }[verdict]
  const noReturn = pointOfNoReturn(history)
  return [
    opening,
    ...(violations.length > 0
      ? [
          `Do not trust this report, because the simulation violated one of its own rules: ${violations[0]?.detail}.`,
        ]
      : []),
    endSentence(result, clock),
    ...(noReturn === undefined
      ? []
      : [
          `From ${clock.time(noReturn)} on, the only way back to a version before 1.4.0 is to restore a snapshot.`,
        ]),
    ...tokenSentence(result, clock),
    clientSentence(totals),
  ]
}

function endSentence({ servers }: SimulationResult, clock: Clock): string {
  const all = Object.entries(servers)
  const never = all
    .filter(([, { newModeAt, mode }]) => newModeAt === null || mode !== 'new')
    .map(([id]) => id)
  if (never.length > 0)
    return `${listed(never)} ${agrees(never.length, 'is', 'are')} not in new mode at the end.`
  const last = Math.max(...all.map(([, { newModeAt }]) => newModeAt ?? 0))
  return `${all.length === 1 ? 'The server is' : `All ${all.length} servers are`} in new mode from ${clock.time(last * 1_000)} on.`
}

function tokenSentence({ migration }: SimulationResult, clock: Clock): string[] {
  return Object.values(migration).flatMap(({ tokens, batches, lastBatchAt, remaining }) => {
    if (remaining > 0)
      return [`${counted(remaining, 'token')} ${agrees(remaining, 'has', 'have')} no accessor at the end.`]
    if (lastBatchAt === null) return []
    return [
      `${counted(tokens, 'token')} ${agrees(tokens, 'has its accessor', 'have their accessors')} by ${clock.time(lastBatchAt * 1_000)}, in ${counted(batches, 'batch')}.`,
    ]
  })
}

function clientSentence(totals: readonly WorkloadTotals[]): string {
  if (totals.length === 0) return 'The scenario has no clients, so client errors are not predicted.'
  const hit = totals.filter(({ errors }) => errors > 0)
  if (hit.length === 0) return 'No client sees an error.'
  const parts = hit.map(
    ({ name, errors, calls }) => `${name} (${formatCount(errors)} of ${formatCount(calls)} calls)`,
  )
  return `${counted(hit.length, 'client')} ${agrees(hit.length, 'sees', 'see')} errors: ${listed(parts)}.`
}
