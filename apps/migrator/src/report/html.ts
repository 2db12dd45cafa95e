/** The report as one HTML page: no network, light and dark, readable on a phone and on paper. */
import type { FindingResult, SimulationResult } from '../output/result.ts'
import type { Simulation } from '../output/run-simulation.ts'
import type { TimelineEntry } from '../output/timeline.ts'
import { formatSeconds } from '../scenario/time.ts'
import { renderClients } from './clients-chart.ts'
import { escapeHtml, section } from './markup.ts'
import { renderModes } from './mode-chart.ts'
import { STYLE } from './style.ts'
import { renderTokens } from './tokens-chart.ts'

/** Reasons beside the verdict; the table has all. */
const REASONS_MAX = 4
/** Lines of the list of events. */
const EVENTS_MAX = 500

const VERDICTS = {
  go: { name: 'go', title: 'Go', text: 'Nothing blocks the upgrade.' },
  'go with care': { name: 'care', title: 'Go with care', text: '' },
  'no-go': { name: 'nogo', title: 'No-go', text: '' },
} as const

/** Renders a self-contained page. */
export function renderHtml({ history, clients, result }: Simulation): string {
  const { verdict, scenario } = result
  const body = [
    `<h1>Upgrade rehearsal: ${escapeHtml(scenario)}</h1>`,
    renderVerdict(result),
    renderNumbers(result),
    section(
      'Modes',
      renderModes(history),
      'Which server was in which mode. The chart ends soon after the last change.',
    ),
    section(
      'Tokens without accessor',
      renderTokens(history),
      'At most 128 tokens a second, in the primary; secondaries follow by replication.',
    ),
    section(
      'What clients see',
      renderClients(clients),
      'Errors and odd answers of the workloads, darker where there are more.',
    ),
    section('Findings', renderFindings(result.findings)),
    section('Servers', renderServers(result)),
    section('Events', renderEvents(result.timeline)),
    section('Replay', `<pre>${escapeHtml(result.replay)}</pre>`, 'This command gives the same result again.'),
  ].join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(`${VERDICTS[verdict].title}: ${scenario}`)}</title><style>${STYLE}</style></head><body><main>${body}</main></body></html>\n`
}

function renderVerdict({ verdict, reasons, violations }: SimulationResult): string {
  const { name, title, text } = VERDICTS[verdict]
  const more = reasons.length - REASONS_MAX
  const items = [
    ...reasons.slice(0, REASONS_MAX),
    ...(more > 0 ? [`and ${more} more, below`] : []),
    ...violations.map(({ rule, detail }) => `the simulation itself breaks the rule "${rule}": ${detail}`),
  ]
  const list =
    items.length === 0
      ? `<p>${text}</p>`
      : `<ul>${items.map((each) => `<li>${escapeHtml(each)}</li>`).join('')}</ul>`
  return `<div class="verdict ${name}"><strong>${title}</strong>${list}</div>`
}

function renderNumbers(result: SimulationResult): string {
  const left = Object.values(result.servers).map(({ newModeAt }) => newModeAt)
  const lastLeft = left.includes(null) ? 'never' : seconds(Math.max(0, ...left.map((each) => each ?? 0)))
  const tokens = Object.values(result.migration).reduce((sum, each) => sum + each.tokens, 0)
  const batches = Object.values(result.migration).reduce((sum, each) => sum + each.batches, 0)
  const lastBatch = Object.values(result.migration).map(({ lastBatchAt }) => lastBatchAt ?? 0)
  const errors = Object.values(result.clients).reduce((sum, each) => sum + (each.isError ? each.count : 0), 0)
  const numbers = [
    { value: lastLeft, label: 'all servers in new mode' },
    { value: tokens.toLocaleString('en-US'), label: `tokens in ${batches.toLocaleString('en-US')} batches` },
    { value: batches === 0 ? '–' : seconds(Math.max(...lastBatch)), label: 'last accessor' },
    { value: errors.toLocaleString('en-US'), label: 'client errors' },
    { value: `${result.model}, ${result.seed}`, label: 'model, seed' },
  ]
  const items = numbers.map(
    ({ value, label }) => `<li><b>${escapeHtml(value)}</b><span>${escapeHtml(label)}</span></li>`,
  )
  return `<ul class="numbers">${items.join('')}</ul>`
}

function renderFindings(findings: readonly FindingResult[]): string {
  if (findings.length === 0) return '<p>None.</p>'
  const rows = findings.map(
    ({ id, severity, count, detail, avoid }) =>
      `<tr><td><span class="tag ${severity}">${severity}</span><br><code>${escapeHtml(id)}</code></td><td class="n" data-label="count">${count.toLocaleString('en-US')}</td><td>${escapeHtml(detail)}</td><td data-label="avoid">${escapeHtml(avoid)}</td></tr>`,
  )
  return `<table class="stack"><thead><tr><th>finding</th><th>count</th><th>what happens</th><th>how to avoid it</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function renderServers({ servers, agents }: SimulationResult): string {
  const rows = Object.entries(servers).map(([id, { datacenter, version, newModeAt, legacyMode }]) => {
    const stretches = legacyMode.map(
      ({ from, to }) => `${seconds(from)} to ${to === null ? 'the end' : seconds(to)}`,
    )
    return row([
      id,
      datacenter,
      version ?? 'down',
      newModeAt === null ? 'never' : seconds(newModeAt),
      stretches.join(', '),
    ])
  })
  const agentRows = Object.entries(agents).map(([id, { datacenter, newModeAt }]) =>
    row([`${id} (agent)`, datacenter, '', newModeAt === null ? 'never' : seconds(newModeAt), '']),
  )
  return `<table class="stack"><thead><tr><th>server</th><th>datacenter</th><th>version at the end</th><th>in new mode at</th><th>legacy mode</th></tr></thead><tbody>${[...rows, ...agentRows].join('')}</tbody></table>`
}

function row([id = '', datacenter = '', version = '', newMode = '', legacy = '']: readonly string[]): string {
  return `<tr><td><b>${escapeHtml(id)}</b></td><td data-label="datacenter">${escapeHtml(datacenter)}</td><td data-label="version">${escapeHtml(version)}</td><td data-label="new mode at">${escapeHtml(newMode)}</td><td data-label="legacy mode">${escapeHtml(legacy)}</td></tr>`
}

function renderEvents(timeline: readonly TimelineEntry[]): string {
  const entries = foldBatches(timeline)
  const rows = entries
    .slice(0, EVENTS_MAX)
    .map(
      ({ at, kind, server, datacenter, detail }) =>
        `<tr><td class="n">${escapeHtml(seconds(at))}</td><td><code>${escapeHtml(kind)}</code></td><td>${escapeHtml(server ?? datacenter ?? '')}</td><td>${escapeHtml(detail)}</td></tr>`,
    )
  const rest = entries.length - EVENTS_MAX
  const more = rest > 0 ? `<p class="note">and ${rest} more, in report.json</p>` : ''
  return `<details><summary>${entries.length} events</summary><table class="stack"><tbody>${rows.join('')}</tbody></table>${more}</details>`
}

/** Collapses runs of batches into one line each, as there may be a hundred thousand. */
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
        detail: `${run.count} batches to ${seconds(entry.at)}; the last: ${entry.detail}`,
      }
    } else {
      run = { first: entry, count: 1 }
      folded.push(entry)
    }
  }
  return folded
}

function seconds(value: number): string {
  return formatSeconds(Math.round(value * 1_000))
}
