/** What `simulate` tells people: the result, and in a report also a summary, the clients, the steps and the events. */
import { batchesDurationMs } from '@latchkey/acl'
import { PRODUCT_VERSION } from '@latchkey/contract'
import { callsIn } from '../clients/call.ts'
import { countClients } from '../clients/clients.ts'
import { agrees, counted, reasonsOf } from '../findings/finding.ts'
import { countsOf } from '../plan/plan.ts'
import { planSteps, timeSteps } from '../plan/steps.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { type Clock, clockFrom, formatTime, spanOf, windowText } from '../scenario/time.ts'
import type { History } from '../simulate/run.ts'
import { type Document, findingSection, type Item, pageSections, verdictMark } from './document.ts'
import { stepItems } from './plan-document.ts'
import { type FindingResult, migratingIn, type Simulation, type SimulationResult } from './result.ts'

const NAMES_MAX = 5
/** Kinds of events that the page leaves out, because there may be thousands. */
const QUIET = ['batch', 'batch-failed', 'replicated']

/** The inputs of a report, without secrets. */
export interface ReportInputs {
  readonly scenarioText?: string | undefined
  /** SHA-256 of the whole dump, in hexadecimal. */
  readonly dumpHash?: string | undefined
  /** Seconds after midnight at which the schedule starts. */
  readonly startsAt?: number | undefined
}

type Report = ReturnType<typeof reportOf>
type Workload = ReturnType<typeof totalsOf>

export function reportOf(simulation: Simulation, inputs: ReportInputs) {
  const { scenario, history, result } = simulation
  const workloads = scenario.workloads.map((workload) => totalsOf(workload, scenario, history))
  const tokens = migratingIn(simulation)
  const { withRules, unlinkedManagement: unlinked } = countsOf(scenario)
  const facts = { tokens, withRules, unlinked, migrationMs: batchesDurationMs(tokens), namesServers: true }
  return {
    summary: summaryOf(result, workloads, clockFrom(inputs.startsAt)),
    workloads,
    steps: timeSteps(planSteps(scenario, facts), scenario, history),
    tool: PRODUCT_VERSION,
    ...inputs,
  }
}

function totalsOf(workload: Scenario['workloads'][number], scenario: Scenario, history: History) {
  const { name, kind, fromMs: from, toMs } = workload
  const whole = { from, to: Math.max(from, Math.min(toMs ?? history.endedAt, history.endedAt)) }
  const own = [...countClients({ ...scenario, workloads: [workload] }, history)]
  const sum = (isError: boolean) =>
    own.reduce((total, [, each]) => total + (each.isError === isError ? each.count : 0), 0)
  const answers = own.map(([key, { count, status, text, isError }]) => {
    return { kind: key, count, text: `${status ?? ''} ${text}`.trim(), isError }
  })
  return {
    name,
    kind,
    calls: callsIn(workload, { offset: 0, period: 1 }, whole).count,
    errors: sum(true),
    odd: sum(false),
    answers: answers.sort((a, b) => b.count - a.count),
    first: own.length === 0 ? undefined : Math.min(...own.map(([, each]) => each.first)),
    last: own.length === 0 ? undefined : Math.max(...own.map(([, each]) => each.last)),
  }
}

export function simulationDocument({ result }: Simulation, report?: Report): Document {
  const { scenario, model, seed, endedAt, settled, findings, clients, violations } = result
  const clock = clockFrom(report?.startsAt)
  const events = result.timeline.filter(({ kind }) => !QUIET.includes(kind))
  const end = `ends at ${formatTime(endedAt)}${settled ? '' : ', before the cluster settled'}`
  return {
    title: scenario,
    verdict: verdictMark(result.verdict),
    lead: [`${scenario}; model ${model}, seed ${seed}; ${end}`],
    summary: report?.summary ?? [],
    sections: [
      { title: 'Leaves legacy mode', items: serverLines(result) },
      { title: 'Accessors', items: migrationLines(result) },
      { title: 'What clients see', items: Object.entries(clients).map(clientLine) },
      {
        title: 'Violated rules',
        items: violations.map(({ rule, at, detail }) => `${formatTime(at)}  ${rule}: ${detail}`),
      },
      findingSection(findings, (finding) => noteOf(finding, clients, clock)),
      ...(report === undefined
        ? []
        : [
            {
              title: 'Clients',
              isOnPageOnly: true as const,
              items: report.workloads.map((each) => workloadItem(each, clock)),
            },
            {
              title: 'Steps',
              isOnPageOnly: true as const,
              isChecklist: true as const,
              items: stepItems(report.steps, clock),
            },
            ...pageSections(events, { clock, dumpHash: report.dumpHash }),
          ]),
    ],
    foot: `replay: ${result.replay}`,
  }
}

function serverLines({ servers, agents }: SimulationResult): string[] {
  const members = [...Object.entries(servers), ...Object.entries(agents)]
  const width = Math.max(...members.map(([id]) => id.length))
  return members.map(([id, { datacenter, newModeAt, ...rest }]) => {
    const never = 'mode' in rest && rest.mode === 'old' ? 'runs a version without the new ACLs' : 'never'
    return `${id.padEnd(width)}  ${datacenter}  ${newModeAt === null ? never : formatTime(newModeAt)}`
  })
}

function migrationLines({ migration, replication }: SimulationResult): string[] {
  const left = (count: number) => `${counted(count, 'token')} ${agrees(count, 'remains', 'remain')}`
  const primary = Object.entries(migration).flatMap(([name, each]) => {
    const { tokens, batches, firstBatchAt, lastBatchAt, remaining } = each
    if (batches === 0) return remaining === 0 ? [] : [`${name}: no batch, ${left(remaining)}`]
    const window = windowText(firstBatchAt ?? 0, lastBatchAt ?? 0, formatTime)
    const rest = remaining === 0 ? '' : `, ${left(remaining)}`
    return [`${name}: ${counted(tokens, 'token')} in ${counted(batches, 'batch')}, ${window}${rest}`]
  })
  const secondaries = Object.entries(replication).flatMap(([name, { tokens, completeAt, ghosts }]) => {
    if (tokens === 0 && ghosts === 0) return []
    const complete = completeAt === null ? 'not complete' : `complete at ${formatTime(completeAt)}`
    const ghost = ghosts === 0 ? '' : `, ${counted(ghosts, 'ghost')}`
    return [`${name}: ${counted(tokens, 'token')} by replication, ${complete}${ghost}`]
  })
  return [...primary, ...secondaries]
}

function clientLine([kind, each]: [string, SimulationResult['clients'][string]]): string {
  const { first, last, count, status, text } = each
  const answer = status === null ? text : `${status} ${text}`
  return `${kind}: ${counted(count, 'call')}, ${windowText(first, last, formatTime)}: ${answer}`
}

function workloadItem(
  { name, kind, calls, errors, odd, answers, first, last }: Workload,
  clock: Clock,
): Item {
  const number = (count: number) => count.toLocaleString('en-US')
  const share = calls === 0 ? '' : ` (${((errors / calls) * 100).toFixed(1)} %)`
  const when = first === undefined || last === undefined ? '' : `, ${windowText(first, last, clock)}`
  return {
    text: `${name} (${kind}): ${counted(calls, 'call')}, ${counted(errors, 'error')}${share}, ${number(odd)} unexpected${when}`,
    more: answers.map((each) => `${number(each.count)} × ${each.kind}: ${each.text}`),
  }
}

function noteOf(
  { id, from, to, count, servers = [], tokens = [] }: FindingResult,
  clients: SimulationResult['clients'],
  clock: Clock,
): string {
  const end = to === undefined ? `from ${clock((from ?? 0) * 1_000)} on` : ''
  const names = tokens.map(({ name, position }) => (name ? `“${name}”` : `number ${position}`))
  const workloads = Object.keys(clients[id.replace(/^clients-/, '')]?.workloads ?? {})
  const parts = [
    ...(names.length > 0 ? [`${agrees(count, 'token', 'tokens')} ${listed(names, count)}`] : []),
    ...(workloads.length > 0
      ? [`${agrees(workloads.length, 'client', 'clients')} ${listed(workloads)}`]
      : []),
    ...(servers.length > 0 ? [`${agrees(servers.length, 'server', 'servers')} ${listed(servers)}`] : []),
    ...(from === undefined ? [] : [end || spanOf(from * 1_000, (to ?? from) * 1_000, clock)]),
  ]
  return parts.join('; ')
}

function listed(names: readonly string[], total = names.length): string {
  const more = total - Math.min(names.length, NAMES_MAX)
  return [...names.slice(0, NAMES_MAX), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

function summaryOf(result: SimulationResult, workloads: readonly Workload[], clock: Clock): string[] {
  const { verdict, violations, findings } = result
  const problems = reasonsOf(findings).length
  const opening = {
    go: 'Nothing blocks the upgrade.',
    'go with care': `The upgrade can begin, but ${counted(problems, 'point')} ${agrees(problems, 'needs', 'need')} care.`,
    'no-go': `Do not begin this upgrade: ${counted(problems, 'problem')} must be solved first.`,
  }[verdict]
  const noReturn = findings.find(({ id }) => id === 'point-of-no-return')?.from
  return [
    opening,
    ...violations.slice(0, 1).map(({ detail }) => {
      return `Do not trust this report, because the simulation violated one of its own rules: ${detail}.`
    }),
    endSentence(result, clock),
    ...(noReturn === undefined
      ? []
      : [
          `From ${clock(noReturn * 1_000)} on, the only way back to a version before 1.4.0 is to restore a snapshot.`,
        ]),
    ...tokenSentences(result, clock),
    clientSentence(workloads),
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
  return `${all.length === 1 ? 'The server is' : `All ${all.length} servers are`} in new mode from ${clock(last * 1_000)} on.`
}

function tokenSentences({ migration }: SimulationResult, clock: Clock): string[] {
  return Object.values(migration).flatMap(({ tokens, batches, lastBatchAt, remaining }) => {
    if (remaining > 0)
      return [`${counted(remaining, 'token')} ${agrees(remaining, 'has', 'have')} no accessor at the end.`]
    if (lastBatchAt === null) return []
    const have = agrees(tokens, 'has its accessor', 'have their accessors')
    return [
      `${counted(tokens, 'token')} ${have} by ${clock(lastBatchAt * 1_000)}, in ${counted(batches, 'batch')}.`,
    ]
  })
}

function clientSentence(workloads: readonly Workload[]): string {
  if (workloads.length === 0) return 'The scenario has no clients, so client errors are not predicted.'
  const hit = workloads.filter(({ errors }) => errors > 0)
  if (hit.length === 0) return 'No client sees an error.'
  const parts = hit.map(({ name, errors, calls }) => `${name} (${errors} of ${counted(calls, 'call')})`)
  return `${counted(hit.length, 'client')} ${agrees(hit.length, 'sees', 'see')} errors: ${listed(parts)}.`
}
