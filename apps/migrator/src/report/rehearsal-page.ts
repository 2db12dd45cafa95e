/** The report of a rehearsal: the proofs, and the simulated and measured charts on one time axis. */
import { type Html, html } from '@latchkey/contract'
import { agrees, counted } from '../findings/finding.ts'
import type { Rehearsal } from '../rehearse/conclude.ts'
import { clientLines } from '../rehearse/format.ts'
import { renderChart } from './chart/time-chart.ts'
import { type Clock, clockFrom, unbroken } from './clock.ts'
import { renderInputs, VERDICTS } from './html.ts'
import type { ReportInputs } from './inputs.ts'
import { page, section, table } from './markup.ts'

export function renderRehearsal(
  rehearsal: Rehearsal,
  inputs: ReportInputs & { readonly replay: string },
): string {
  const { scenario, verdict, proofs, timeline, charts, clients } = rehearsal
  const clock = unbroken(clockFrom(inputs.startsAt))
  const events = timeline.map(({ at, server, detail }) => [
    clock.time(Math.round(at * 1_000)),
    server,
    detail,
  ])
  return page(`${verdict === 'proved' ? 'Proved' : 'Failed'}: ${scenario}`, [
    html`<header><p class="kicker">Rehearsal on real servers</p><h1>${scenario}</h1></header>`,
    renderVerdict(rehearsal),
    renderNumbers(rehearsal, clock),
    section(
      'Predicted and measured',
      renderChart(charts, clock),
      'In each lane, the upper bar is the prediction of the simulation, and the lower bar is what the servers did.',
    ),
    section('Proofs', renderProofs(proofs), 'What the rehearsal compared, and what it found.'),
    section(
      'Clients',
      html`<ul>${clientLines(rehearsal).map((line) => html`<li>${line}</li>`)}</ul>`,
      `${counted(clients.calls, 'call')} by probes that do not retry, and the errors that they got.`,
    ),
    section(
      'Events',
      html`<details><summary>${counted(events.length, 'event')}</summary>${table(['at', 'server', 'event'], events, { caption: 'What the servers logged' })}</details>`,
    ),
    section('Inputs', renderInputs({ replay: inputs.replay }, inputs)),
  ])
}

function renderVerdict({ verdict, proofs, simulated }: Rehearsal): Html {
  const failed = proofs.filter(({ holds }) => !holds)
  const isProved = verdict === 'proved'
  const lead = isProved
    ? `The servers behaved as the simulation predicted: all ${counted(proofs.length, 'proof')} hold.`
    : `${failed.length} of ${counted(proofs.length, 'proof')} ${agrees(failed.length, 'does', 'do')} not hold: do not trust the simulation of this schedule.`
  const { title } = VERDICTS[simulated.verdict]
  const items = [
    ...failed.map(({ name, detail }) => `Failed: ${name}: ${detail}`),
    ...(isProved ? [] : [`Verdict of the simulation: ${title}.`]),
    ...simulated.reasons,
  ]
  const look =
    !isProved || simulated.verdict === 'no-go' ? 'nogo' : simulated.verdict === 'go' ? 'go' : 'care'
  return html`<div class="verdict ${look}"><p class="word">${isProved ? `Proved: ${title}` : 'Failed'}</p><p class="lead">${lead}</p><ul>${items.map((each) => html`<li>${each}</li>`)}</ul></div>`
}

/** Measured values, with the predicted ones below. */
function renderNumbers({ legacyModeEndedAt, migration, simulated, clients }: Rehearsal, clock: Clock): Html {
  const show = (at: number | null | undefined) =>
    at === null || at === undefined ? 'never' : clock.time(Math.round(at * 1_000))
  const errors = Object.values(clients.errors).reduce((sum, { count }) => sum + count, 0)
  const first = Object.values(simulated.servers).flatMap(({ newModeAt }) => newModeAt ?? [])
  const numbers = [
    {
      value: show(legacyModeEndedAt),
      label: `first server in new mode; predicted ${first.length === 0 ? 'never' : show(Math.min(...first))}`,
    },
    {
      value: show(migration.lastBatchAt),
      label: `last accessor assigned; predicted ${show(simulated.migration.lastBatchAt)}`,
    },
    {
      value: migration.batches,
      label: `${agrees(migration.batches, 'batch', 'batches')}; predicted ${simulated.migration.batches}`,
    },
    { value: errors, label: agrees(errors, 'probe error', 'probe errors') },
  ]
  return html`<ul class="numbers">${numbers.map(({ value, label }) => html`<li><b>${value}</b><span>${label}</span></li>`)}</ul>`
}

function renderProofs(proofs: Rehearsal['proofs']): Html {
  const rows = proofs.map(({ name, holds, detail }) => [
    name,
    html`<span class="tag ${holds ? 'open' : 'critical'}">${holds ? 'holds' : 'fails'}</span>`,
    detail,
  ])
  return table(['proof', 'result', 'detail'], rows, { caption: 'The proofs of the rehearsal' })
}
