/** The outcomes for the clients of each workload, with totals. */
import { type Html, html } from '@latchkey/contract'
import { callsIn } from '../clients/call.ts'
import { countClients } from '../clients/clients.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { windowText } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import type { Clock } from './clock.ts'
import { formatCount, table } from './page.ts'

export type WorkloadTotals = ReturnType<typeof workloadTotals>[number]

export function workloadTotals(scenario: Scenario, history: History) {
  return scenario.workloads.map((workload) => {
    const { name, kind, fromMs: from, toMs } = workload
    const whole = { from, to: Math.max(from, Math.min(toMs ?? history.endedAt, history.endedAt)) }
    const own = [...countClients({ ...scenario, workloads: [workload] }, history)]
    const sum = (isError: boolean) =>
      own.reduce((total, [, each]) => total + (each.isError === isError ? each.count : 0), 0)
    return {
      name,
      kind,
      calls: callsIn(workload, { offset: 0, period: 1 }, whole).count,
      errors: sum(true),
      odd: sum(false),
      // Kinds of answers with status and text, the most frequent first.
      answers: own
        .map(([key, each]) => ({
          kind: key,
          count: each.count,
          text: `${each.status ?? ''} ${each.text}`.trim(),
          isError: each.isError,
          spans: each.spans,
        }))
        .sort((a, b) => b.count - a.count),
      // Times of the first and last of these answers, in milliseconds; undefined without any.
      first: own.length === 0 ? undefined : Math.min(...own.map(([, each]) => each.first)),
      last: own.length === 0 ? undefined : Math.max(...own.map(([, each]) => each.last)),
    }
  })
}

/** Undefined without workloads. */
export function renderWorkloads(totals: readonly WorkloadTotals[], clock: Clock): Html | undefined {
  if (totals.length === 0) return undefined
  const rows = totals.map(({ name, kind, calls, errors, odd, answers, first, last }) => [
    html`${name} <small>${kind}</small>`,
    formatCount(calls),
    formatCount(errors),
    formatCount(odd),
    shareOf(errors, calls),
    first === undefined || last === undefined ? '–' : windowText(first, last, clock.time),
    answers.length === 0
      ? 'no error'
      : html`<ul class="plain">${answers.map(({ kind: key, count, text }) => html`<li>${formatCount(count)} × <code>${key}</code> <small>${text}</small></li>`)}</ul>`,
  ])
  const sum = (of: (each: WorkloadTotals) => number) => totals.reduce((total, each) => total + of(each), 0)
  const calls = sum((each) => each.calls)
  const errors = sum((each) => each.errors)
  const total = [
    'all clients',
    formatCount(calls),
    formatCount(errors),
    formatCount(sum(({ odd }) => odd)),
    shareOf(errors, calls),
    '',
    '',
  ]
  return table(
    ['client', 'calls', 'errors', 'unexpected', 'errors in %', 'between', 'answers'],
    totals.length > 1 ? [...rows, total] : rows,
    { caption: 'Calls of each client, and the answers that are errors or unexpected', numbers: [1, 2, 3, 4] },
  )
}

function shareOf(errors: number, calls: number): string {
  return calls === 0 ? '–' : `${((errors / calls) * 100).toFixed(1)} %`
}
