/** What `rehearse` tells people. */
import { agrees, counted } from '../findings/finding.ts'
import type { Rehearsal } from '../rehearse/conclude.ts'
import { BATCH } from '../rehearse/proof/measured.ts'
import { clockFrom, formatMeasured, spanOf } from '../scenario/time.ts'
import { type Document, pageSections } from './document.ts'
import type { ReportInputs } from './simulation-document.ts'

export function rehearsalDocument(
  rehearsal: Rehearsal,
  { replay, dumpHash, startsAt }: Pick<ReportInputs, 'dumpHash' | 'startsAt'> & { readonly replay: string },
): Document {
  const { scenario, verdict, proofs, clients, simulated } = rehearsal
  const events = rehearsal.timeline.filter(({ detail }) => detail !== BATCH)
  const failed = proofs.filter(({ holds }) => !holds).length
  const errors = Object.entries(clients.errors).map(
    ([kind, { count, first, last }]) =>
      `${kind}: ${count} times ${spanOf(first, last, (seconds) => formatMeasured(seconds * 1_000))}`,
  )
  return {
    title: scenario,
    verdict: verdict === 'proved' ? { word: 'PROVED', tone: 'good' } : { word: 'FAILED', tone: 'bad' },
    lead: [
      scenario,
      failed === 0
        ? `The servers behaved as the simulation predicted: all ${counted(proofs.length, 'proof')} hold.`
        : `${failed} of ${counted(proofs.length, 'proof')} ${agrees(failed, 'does', 'do')} not hold: do not trust the simulation of this schedule.`,
    ],
    sections: [
      {
        title: 'Proofs',
        items: proofs.map(({ name, holds, detail }) => ({
          mark: holds ? { word: 'ok  ', tone: 'good' } : { word: 'FAIL', tone: 'bad' },
          text: `${name}: ${detail}`,
        })),
      },
      comparisonSection(rehearsal),
      { title: 'Verdict of the simulation', items: [simulated.verdict.toUpperCase(), ...simulated.reasons] },
      {
        title: `${clients.calls} calls; answers that clients got`,
        items: errors.length === 0 ? ['no error'] : errors,
      },
      ...pageSections(events, { clock: clockFrom(startsAt), dumpHash }),
    ],
    foot: `replay: ${replay}`,
  }
}

/** The prediction from before the schedule, the simulation of the measured schedule, and the measurement. */
function comparisonSection({ comparison, isInformed }: Rehearsal): Document['sections'][number] {
  const seconds = (at: number | null) => (at === null ? 'never' : `${at.toFixed(2)} s`)
  const differences = comparison.flatMap(({ difference }) => (difference === null ? [] : [difference]))
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  const rows = [
    ['', 'beforehand', 'simulated', 'measured', 'difference'],
    ...comparison.map(({ what, difference, ...at }) => [
      what,
      ...[at.beforehand, at.simulated, at.measured].map(seconds),
      difference === null ? '' : percent(difference),
    ]),
  ]
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? []
  const lines = rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  )
  const last = isInformed
    ? `beforehand and measured differ by at most ${percent(Math.max(0, ...differences))}`
    : 'The prediction from beforehand lacks the times of this machine: the next rehearsal uses those measured now.'
  return {
    title: 'Prediction and measurement',
    items: comparison.length === 0 ? [] : [...lines.map((line) => line.trimEnd()), last],
    isTable: true,
  }
}
