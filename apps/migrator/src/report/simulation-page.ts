/** The report of a simulation: the verdict, what happens when, to whom, and what to do. */
import { batchesDurationMs } from '@latchkey/acl'
import { type Html, html } from '@latchkey/contract'
import type { FindingResult, SimulationResult } from '../output/result.ts'
import { migratingIn, type Simulation } from '../output/run-simulation.ts'
import { countsOf } from '../plan/plan.ts'
import { planSteps } from '../plan/steps.ts'
import { type TimedStep, timeSteps } from '../plan/timed-steps.ts'
import { chartOf } from './chart/chart-of.ts'
import { renderChart } from './chart/time-chart.ts'
import { type Clock, clockFrom, spanText, whenText } from './clock.ts'
import type { ReportInputs } from './inputs.ts'
import { formatCount, renderPage, VERDICTS } from './page.ts'
import { summaryOf, titleOf, whomOf } from './summary.ts'
import { renderWorkloads, type WorkloadTotals, workloadTotals } from './workloads.ts'

/** What a report shows besides the result. */
interface ReportFacts {
  readonly summary: readonly string[]
  readonly totals: readonly WorkloadTotals[]
  readonly steps: readonly TimedStep[]
}

export function factsOf(simulation: Simulation, { startsAt }: ReportInputs): ReportFacts {
  const { scenario, history } = simulation
  const totals = workloadTotals(scenario, history)
  const tokens = migratingIn(simulation)
  const steps = planSteps(scenario, {
    tokens,
    withRules: countsOf(scenario).withRules,
    migrationMs: batchesDurationMs(tokens),
    namesServers: true,
  })
  return {
    summary: summaryOf(simulation, totals, clockFrom(startsAt)),
    totals,
    steps: timeSteps(steps, scenario, history),
  }
}

export function renderSimulation(
  { history, result }: Simulation,
  { summary, totals, steps }: ReportFacts,
  inputs: ReportInputs,
): string {
  const clock = clockFrom(inputs.startsAt)
  const isRelative = inputs.startsAt === undefined
  const chart = chartOf(history, totals)
  return renderPage({
    kicker: 'Upgrade report',
    scenario: result.scenario,
    verdict: VERDICTS[result.verdict],
    summary,
    sections: [
      {
        title: 'Findings',
        body: renderFindings(result, clock),
        ...(isRelative
          ? {}
          : {
              note: 'Times in the sentences are relative to the start; the lines below them show times of day.',
            }),
      },
      {
        title: 'What happens when',
        body: renderChart({ predicted: chart, measured: undefined }, clock),
        note: 'Everything shares one time axis. Each vertical line is an event of the list below the chart.',
      },
      {
        title: 'Clients',
        body: renderWorkloads(totals, clock),
        note: 'All calls of each client in the scenario, and the answers that differ from before.',
      },
      {
        title: 'Steps',
        body: renderSteps(steps, clock),
        note: isRelative
          ? 'Times are relative to the start of the schedule; run with --at 22:00 to show times of day.'
          : `The schedule starts at ${clock.time(0)}.`,
      },
    ],
    inputs,
    facts: [['model and seed', `${result.model}, ${result.seed}`]],
    replay: result.replay,
  })
}

function renderFindings({ findings, clients }: SimulationResult, clock: Clock): Html {
  if (findings.length === 0) return html`<p>None.</p>`
  const items = findings.map((finding) => {
    const { id, severity, count, detail, avoid } = finding
    const facts = [whomOf(finding, clients), whenOf(finding, clock)].filter((text) => text !== '')
    return html`<li><h3><span class="tag ${severity}">${severity}</span> ${titleOf(id)} ${count > 1 && html`<small>× ${formatCount(count)}</small>`}</h3><p>${detail}</p>${facts.length > 0 && html`<p class="note">${facts.join('; ')}</p>`}<p class="todo">${avoid}</p></li>`
  })
  return html`<ul class="findings">${items}</ul>`
}

function whenOf({ from, to }: FindingResult, clock: Clock): string {
  return from === undefined ? '' : spanText({ from, to }, clock)
}

/** A checklist. */
function renderSteps(steps: readonly TimedStep[], clock: Clock): Html {
  const items = steps.map((step, i) => {
    const parts = step.parts.map(({ name, at }, j) =>
      tick(`step-${i}-${j}`, at === null ? 'never' : clock.time(at * 1_000), name),
    )
    const main = tick(`step-${i}`, whenText(step, clock), step.text)
    return html`<li${step.at === null && html` class="never"`}>${main}${parts.length > 0 && html`<ul>${parts.map((part) => html`<li>${part}</li>`)}</ul>`}</li>`
  })
  return html`<ol class="steps">${items}</ol>`
}

function tick(id: string, time: string, text: string): Html {
  return html`<div class="step"><input type="checkbox" id="${id}"><label for="${id}"><time>${time}</time><span>${text}</span></label></div>`
}
