/** Short builders of scenarios for tests. */
import { runSimulation, type SimulationResult } from '../src/output/result.ts'
import { readScenario } from '../src/scenario/read.ts'
import type { Scenario } from '../src/scenario/scenario.ts'
import type { ScenarioInput } from '../src/scenario/schema.ts'
import type { UpgradeModel } from '../src/simulate/models/model.ts'
import { serviceModel } from '../src/simulate/models/service-model.ts'
import { type History, simulate } from '../src/simulate/run.ts'

/** A scenario from the fields of its file; by default one datacenter with one server. */
export function aScenario(input: Partial<ScenarioInput>): Scenario {
  const datacenters = [{ name: 'dc1', servers: [{ id: 's1' }] }]
  return readScenario(JSON.stringify({ datacenters, ...input }), 'test.yaml')
}

/** Three servers of one datacenter that start at the given seconds, the first of them the leader. */
export function threeServers(...starts: readonly [number, number, number]): ScenarioInput['datacenters'] {
  const servers = starts.map((start, i) => ({ id: `s${i + 1}`, start, ...(i === 0 ? { leader: true } : {}) }))
  return [{ name: 'dc1', servers }]
}

export function historyOf(input: Partial<ScenarioInput>, model: UpgradeModel = serviceModel): History {
  return simulate(aScenario(input), model)
}

export function resultOf(input: Partial<ScenarioInput>): SimulationResult {
  return runSimulation(aScenario(input), { replay: 'replay' }).result
}

/** When each server left legacy mode, in seconds. */
export function newModes(input: Partial<ScenarioInput>): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(resultOf(input).servers).map(([id, { newModeAt }]) => [id, newModeAt]),
  )
}
