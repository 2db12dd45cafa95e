/** The facts that the pages of a report show, derived once. */
import { batchesDurationMs } from '@latchkey/acl'
import { migratingIn, type Simulation } from '../output/run-simulation.ts'
import { countsOf } from '../plan/plan.ts'
import { planSteps } from '../plan/steps.ts'
import { type TimedStep, timeSteps } from '../plan/timed-steps.ts'
import type { Chart } from './chart/chart.ts'
import { chartOf } from './chart/chart-of.ts'
import { type Clock, clockFrom, unbroken } from './clock.ts'
import type { ReportInputs } from './inputs.ts'
import { type Problem, problemsOf, summaryOf } from './verdict.ts'
import { type WorkloadTotals, workloadTotals } from './workloads.ts'

export interface ReportFacts {
  readonly simulation: Simulation
  readonly inputs: ReportInputs
  readonly clock: Clock
  readonly summary: readonly string[]
  readonly problems: readonly Problem[]
  readonly chart: Chart
  readonly totals: readonly WorkloadTotals[]
  readonly steps: readonly TimedStep[]
}

export function factsOf(simulation: Simulation, inputs: ReportInputs): ReportFacts {
  const { scenario, history, result } = simulation
  const clock = unbroken(clockFrom(inputs.startsAt))
  const totals = workloadTotals(scenario, history)
  const tokens = migratingIn(simulation)
  const steps = planSteps(scenario, {
    tokens,
    withRules: countsOf(scenario).withRules,
    migrationMs: batchesDurationMs(tokens),
    namesServers: true,
  })
  return {
    simulation,
    inputs,
    clock,
    summary: summaryOf(simulation, totals, clock),
    problems: problemsOf(result, clock),
    chart: chartOf(scenario, history, totals),
    totals,
    steps: timeSteps(steps, scenario, history),
  }
}
