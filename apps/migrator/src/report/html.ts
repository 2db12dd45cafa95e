/** The report as one HTML page: no network, light and dark, readable on a phone and on paper. */
import { type Html, html, PRODUCT_VERSION } from '@latchkey/contract'
import { agrees, counted, type Verdict } from '../findings/finding.ts'
import type { FindingResult, SimulationResult } from '../output/result.ts'
import type { TimelineEntry } from '../output/timeline.ts'
import { formatTime, windowText } from '../scenario/time.ts'
import { renderChart } from './chart/time-chart.ts'
import { renderChecklist } from './checklist.ts'
import type { Clock } from './clock.ts'
import type { ReportFacts } from './facts.ts'
import type { ReportInputs } from './inputs.ts'
import { formatCount, page, section, table } from './markup.ts'
import { titleOf, whenOf, whomOf } from './verdict.ts'
import { renderWorkloads } from './workloads.ts'

/** Maximum number of problems next to the verdict; all of them are under Findings. */
const PROBLEMS_MAX = 8
/** Maximum number of lines in the list of events. */
const EVENTS_MAX = 500

export const VERDICTS = {
  go: { name: 'go', title: 'Go' },
  'go with care': { name: 'care', title: 'Go with care' },
  'no-go': { name: 'nogo', title: 'No-go' },
} as const satisfies Record<Verdict, { name: string; title: string }>

/** Renders a self-contained page. */
export function renderHtml(facts: ReportFacts): string {
  const { simulation, chart, totals, steps, clock, inputs } = facts
  const { result } = simulation
  const { title } = VERDICTS[result.verdict]
  return page(`${title}: ${result.scenario}`, [
    html`<header><p class="kicker">Upgrade report</p><h1>${result.scenario}</h1></header>`,
    renderVerdict(facts),
    renderNumbers(facts),
    section(
      'What happens when',
      renderChart({ predicted: chart, measured: undefined }, clock),
      'Everything shares one time axis. Each numbered line is an event of the list below the chart.',
    ),
    section(
      'Clients',
      renderWorkloads(totals, clock),
      'All calls of each client in the scenario, and the answers that differ from before.',
    ),
    section(
      'Steps',
      renderChecklist(steps, clock),
      clock.startsAt === undefined
        ? 'Times are relative to the start of the schedule; run with --at 22:00 to show times of day.'
        : `The schedule starts at ${clock.time(0)}.`,
    ),
    section(
      'Findings',
      renderFindings(result, clock),
      clock.startsAt === undefined
        ? undefined
        : 'Times in the sentences are relative to the start of the schedule; the lines below them show times of day.',
    ),
    section('Servers', renderServers(result, clock)),
    section('Events', renderEvents(result, clock)),
    section('Inputs', renderInputs(result, inputs)),
  ])
}

function renderVerdict({ simulation, summary, problems }: ReportFacts): Html {
  const { name, title } = VERDICTS[simulation.result.verdict]
  const [opening = '', ...rest] = summary
  const cards = problems
    .slice(0, PROBLEMS_MAX)
    .map(
      ({ title: what, finding, whom, when }) =>
        html`<li><h3>${what}</h3><dl><dt>What</dt><dd>${finding.detail}</dd>${whom !== '' && html`<dt>For whom</dt><dd>${whom}</dd>`}${when !== '' && html`<dt>When</dt><dd>${when}</dd>`}<dt>What to do</dt><dd>${finding.avoid}</dd></dl></li>`,
    )
  const more = problems.length - PROBLEMS_MAX
  return html`<div class="verdict ${name}"><p class="word">${title}</p><p class="lead">${opening}</p><ul>${rest.map((each) => html`<li>${each}</li>`)}</ul></div>${cards.length > 0 && html`<ol class="problems ${name}">${cards}</ol>`}${more > 0 && html`<p class="note">and ${more} more, under Findings.</p>`}`
}

function renderNumbers({ simulation, totals, clock }: ReportFacts): Html {
  const { result } = simulation
  const hasClients = totals.length > 0
  const left = Object.values(result.servers).map(({ newModeAt }) => newModeAt)
  const lastLeft = left.includes(null)
    ? 'never'
    : clock.time(Math.max(0, ...left.map((each) => each ?? 0)) * 1_000)
  const migrations = Object.values(result.migration)
  const tokens = migrations.reduce((sum, each) => sum + each.tokens, 0)
  const batches = migrations.reduce((sum, each) => sum + each.batches, 0)
  const lastBatch = Math.max(...migrations.map(({ lastBatchAt }) => lastBatchAt ?? 0))
  const errors = Object.values(result.clients).reduce((sum, each) => sum + (each.isError ? each.count : 0), 0)
  const numbers = [
    { value: lastLeft, label: 'last server in new mode' },
    ...(batches === 0
      ? [{ value: '0', label: 'tokens need an accessor' }]
      : [
          {
            value: formatCount(tokens),
            label: `${agrees(tokens, 'token gets its accessor', 'tokens get accessors')}, in ${counted(batches, 'batch')}`,
          },
          { value: clock.time(lastBatch * 1_000), label: 'last accessor assigned' },
        ]),
    hasClients
      ? { value: formatCount(errors), label: agrees(errors, 'client error', 'client errors') }
      : { value: '–', label: 'no clients in the scenario' },
  ]
  return html`<ul class="numbers">${numbers.map(({ value, label }) => html`<li><b>${value}</b><span>${label}</span></li>`)}</ul>`
}

function renderFindings({ findings, clients }: SimulationResult, clock: Clock): Html {
  if (findings.length === 0) return html`<p>None.</p>`
  const items = findings.map((finding) => {
    const { id, severity, detail, avoid } = finding
    const facts = [whomOf(finding, clients), whenOf(finding, clock)].filter((text) => text !== '')
    return html`<li class="f-${severity}"><h3><span class="tag ${severity}">${severity}</span> ${titleOf(id)} ${countOf(finding)}</h3><p>${detail}</p>${facts.length > 0 && html`<p class="note">${facts.join('; ')}</p>`}<p class="todo">${avoid}</p></li>`
  })
  return html`<ul class="findings">${items}</ul>`
}

function countOf({ count }: FindingResult): Html | false {
  return count > 1 && html`<small>× ${formatCount(count)}</small>`
}

function renderServers({ servers, agents }: SimulationResult, { time }: Clock): Html {
  const show = (at: number | null) => (at === null ? 'never' : time(at * 1_000))
  const rows = Object.entries(servers).map(([id, { datacenter, version, newModeAt, legacyMode }]) => [
    id,
    datacenter,
    version ?? 'down',
    show(newModeAt),
    legacyMode
      .map(({ from, to }) => (to === null ? `${show(from)} to the end` : windowText(from, to, show)))
      .join(', ') || '–',
  ])
  const agentRows = Object.entries(agents).map(([id, { datacenter, newModeAt }]) => [
    html`${id} <small>client agent</small>`,
    datacenter,
    '–',
    show(newModeAt),
    '–',
  ])
  return table(
    ['server', 'datacenter', 'version at the end', 'new mode at', 'in legacy mode'],
    [...rows, ...agentRows],
    { caption: 'Every server and client agent' },
  )
}

function renderEvents({ timeline }: SimulationResult, { time }: Clock): Html {
  const entries = foldBatches(timeline)
  const rows = entries
    .slice(0, EVENTS_MAX)
    .map(({ at, kind, server, datacenter, detail }) => [
      time(Math.round(at * 1_000)),
      html`<code>${kind}</code>`,
      server ?? datacenter ?? '',
      detail,
    ])
  const rest = entries.length - EVENTS_MAX
  const more = rest > 0 && html`<p class="note">and ${rest} more, in report.json</p>`
  return html`<details><summary>${counted(entries.length, 'event')}</summary>${table(['at', 'event', 'where', 'detail'], rows, { caption: 'Everything that the simulation recorded' })}${more}</details>`
}

/** Collapses each run of batches into one line, because there may be a hundred thousand batches. */
export function foldBatches(timeline: readonly TimelineEntry[]): TimelineEntry[] {
  const folded: TimelineEntry[] = []
  let run: { first: TimelineEntry; count: number } | undefined
  for (const entry of timeline) {
    const previous = folded.at(-1)
    if (entry.kind !== 'batch' || entry.server === undefined) {
      run = undefined
      folded.push(entry)
    } else if (run !== undefined && previous?.server === entry.server) {
      run.count += 1
      folded[folded.length - 1] = {
        ...run.first,
        detail: `${counted(run.count, 'batch')} to ${formatTime(entry.at)}; the last: ${entry.detail}`,
      }
    } else {
      run = { first: entry, count: 1 }
      folded.push(entry)
    }
  }
  return folded
}

/** The inputs of the page, and the command that creates it again. */
export function renderInputs(
  {
    model,
    seed,
    replay,
  }: Pick<SimulationResult, 'replay'> & Partial<Pick<SimulationResult, 'model' | 'seed'>>,
  { scenarioText, dumpHash }: ReportInputs,
): Html {
  const rows = [
    ['tool', `latchkey-migrator ${PRODUCT_VERSION}`],
    ...(model === undefined ? [] : [['model and seed', `${model}, ${seed}`]]),
    ...(dumpHash === undefined ? [] : [['dump, SHA-256', html`<code class="long">${dumpHash}</code>`]]),
  ] as const
  const text =
    scenarioText !== undefined &&
    html`<details><summary>The scenario</summary><pre>${scenarioText}</pre></details>`
  return html`<dl class="inputs">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>${text}<p class="note">To repeat this run:</p><pre>${replay}</pre>`
}
