/** Runs a simulation and assembles its result. */
import { countClients } from '../clients/clients.ts'
import type { ClientErrors } from '../clients/tally.ts'
import type { Finding } from '../findings/finding.ts'
import { findAll } from '../findings/findings.ts'
import type { ModelName, Scenario } from '../scenario/scenario.ts'
import type { History } from '../simulate/history.ts'
import { latchkeyModel } from '../simulate/models/latchkey-model.ts'
import type { UpgradeModel } from '../simulate/models/model.ts'
import { serviceModel } from '../simulate/models/service-model.ts'
import { simulate } from '../simulate/run.ts'
import { resultOf, type SimulationResult } from './result.ts'

export interface Simulation {
  readonly scenario: Scenario
  readonly history: History
  readonly clients: ReadonlyMap<string, ClientErrors>
  readonly result: SimulationResult
}

export function modelOf(name: ModelName): UpgradeModel {
  return name === 'latchkey' ? latchkeyModel : serviceModel
}

/**
 * Simulates a scenario and evaluates the outcome. @param options.replay the command that repeats it. @param
 * options.extraFindings findings from elsewhere, such as the dump of the tokens. @throws InputError for a
 * schedule that spec 9.2.5 forbids.
 */
export function runSimulation(
  scenario: Scenario,
  options: { readonly replay: string; readonly extraFindings?: readonly Finding[] },
): Simulation {
  const history = simulate(scenario, modelOf(scenario.model))
  const clients = countClients(scenario, history)
  const findings = findAll({ scenario, history, clients }, options.extraFindings ?? [])
  const result = resultOf({ scenario, history, clients }, findings, options.replay)
  return { scenario, history, clients, result }
}

/** Number of tokens that get an accessor from a batch, including created tokens and excluding deleted ones. */
export function migratingIn({ result, scenario }: Pick<Simulation, 'result' | 'scenario'>): number {
  const { tokens = 0, remaining = 0 } = result.migration[scenario.primary] ?? {}
  return tokens + remaining
}
