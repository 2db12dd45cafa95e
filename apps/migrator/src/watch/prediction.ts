/** The prediction of the simulation, for comparison: tokens over time, and the latest end. */
import { estimate } from '../eta/estimate.ts'
import { modelOf } from '../output/run-simulation.ts'
import type { Chart } from '../report/chart/chart.ts'
import { chartOf } from '../report/chart/chart-of.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { simulate } from '../simulate/run.ts'
import { type WayBack, waysBack } from '../way-back/way-back.ts'

/** The latest ends, in milliseconds from the start of the schedule; undefined without a bound. */
export interface Bounds {
  readonly newModeMs: number | undefined
  readonly accessorsMs: number | undefined
  /** The origin of the bounds, for the text of an alarm. */
  readonly source: string
}

export interface Prediction {
  readonly scenario: string
  readonly chart: Chart
  readonly bounds: Bounds
  readonly waysBack: readonly WayBack[]
  /** Tokens without an accessor at a time from the start of the schedule; undefined without tokens. */
  readonly remainingAt: (ms: number) => number | undefined
}

export function predict(scenario: Scenario): Prediction {
  const model = modelOf(scenario.model)
  const history = simulate(scenario, model)
  const { runs, newMode, accessors } = estimate(scenario, model)
  const chart = chartOf(scenario, history, [])
  const points = chart.tokens.find(({ datacenter }) => datacenter === scenario.primary)?.points
  return {
    scenario: scenario.name,
    chart,
    bounds: {
      newModeMs: boundOf(newMode.p95),
      accessorsMs: boundOf(accessors?.p95 ?? null),
      source: `95 % of ${runs} variations of the schedule end by then`,
    },
    waysBack: waysBack(scenario, history),
    remainingAt: (ms) => points?.findLast(({ at }) => at <= ms)?.remaining,
  }
}

function boundOf(seconds: number | null): number | undefined {
  return seconds === null ? undefined : seconds * 1_000
}
