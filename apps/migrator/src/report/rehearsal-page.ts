/** The report of a rehearsal: the proofs, and the simulated and measured charts on one time axis. */
import { html } from '@latchkey/contract'
import { agrees, counted } from '../findings/finding.ts'
import type { Rehearsal } from '../rehearse/conclude.ts'
import { clientLines } from '../rehearse/format.ts'
import { renderChart } from './chart/time-chart.ts'
import { clockFrom } from './clock.ts'
import type { ReportInputs } from './inputs.ts'
import { renderPage, table, VERDICTS } from './page.ts'

export function renderRehearsal(
  rehearsal: Rehearsal,
  { replay, ...inputs }: ReportInputs & { readonly replay: string },
): string {
  const { scenario, proofs, charts, clients, simulated } = rehearsal
  const failed = proofs.filter(({ holds }) => !holds)
  const isProved = rehearsal.verdict === 'proved'
  const { look, word } = VERDICTS[simulated.verdict]
  const lead = isProved
    ? `The servers behaved as the simulation predicted: all ${counted(proofs.length, 'proof')} hold.`
    : `${failed.length} of ${counted(proofs.length, 'proof')} ${agrees(failed.length, 'does', 'do')} not hold: do not trust the simulation of this schedule.`
  const rows = proofs.map(({ name, holds, detail }) => [
    name,
    html`<span class="tag ${holds ? 'open' : 'critical'}">${holds ? 'holds' : 'fails'}</span>`,
    detail,
  ])
  return renderPage({
    kicker: 'Rehearsal on real servers',
    scenario,
    verdict: isProved ? { look, word: `Proved: ${word}` } : { look: 'nogo', word: 'Failed' },
    summary: [
      lead,
      ...failed.map(({ name, detail }) => `Failed: ${name}: ${detail}`),
      ...(isProved ? [] : [`Verdict of the simulation: ${word}.`]),
      ...simulated.reasons,
    ],
    sections: [
      {
        title: 'Predicted and measured',
        body: renderChart(charts, clockFrom(inputs.startsAt)),
        note: 'In each lane, the upper bar is the prediction of the simulation, and the lower bar is what the servers did.',
      },
      {
        title: 'Proofs',
        body: table(['proof', 'result', 'detail'], rows, { caption: 'The proofs of the rehearsal' }),
        note: 'What the rehearsal compared, and what it found.',
      },
      {
        title: 'Clients',
        body: html`<ul>${clientLines(rehearsal).map((line) => html`<li>${line}</li>`)}</ul>`,
        note: `${counted(clients.calls, 'call')} by probes that do not retry, and the errors that they got.`,
      },
    ],
    inputs,
    replay,
  })
}
