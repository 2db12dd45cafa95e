/** The answer of `simulate`: everything that reports show, in the spelling of `--json`. Times are seconds. */
import { countClients } from '../clients/clients.ts'
import type { ClientErrors } from '../clients/tally.ts'
import { type Finding, type Verdict, verdictOf } from '../findings/finding.ts'
import { findAll } from '../findings/findings.ts'
import type { ModelName, Scenario } from '../scenario/scenario.ts'
import { toSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import { latchkeyModel } from '../simulate/latchkey-model.ts'
import type { UpgradeModel } from '../simulate/model.ts'
import { simulate } from '../simulate/run.ts'
import { serviceModel } from '../simulate/service-model.ts'
import {
  agentsOf,
  clientsOf,
  findingOf,
  migrationOf,
  replicationOf,
  serversOf,
  violationsOf,
} from './result-parts.ts'
import { type TimelineEntry, timelineOf } from './timeline.ts'

export interface ServerResult {
  readonly datacenter: string
  /** Version at the end; null where it does not run. */
  readonly version: string | null
  /** At the end: `old`, `off`, `legacy` or `new`; null where it does not run. */
  readonly mode: string | null
  /** When its last process left legacy mode; null where it never did. */
  readonly newModeAt: number | null
  /** Every stretch in legacy mode, a null end where it lasts. */
  readonly legacyMode: readonly { readonly from: number; readonly to: number | null }[]
}

export interface MigrationResult {
  /** Tokens to which the batches of this datacenter gave an accessor. Secondaries get theirs by replication. */
  readonly tokens: number
  readonly batches: number
  readonly firstBatchAt: number | null
  readonly lastBatchAt: number | null
  readonly sizes: readonly number[]
  /** Tokens that have no accessor at the end. */
  readonly remaining: number
  /** Tokens that a batch left to a later one, as they were changed meanwhile. */
  readonly conflicts: number
}

export interface ReplicationResult {
  readonly rounds: number
  /** Tokens with an accessor here. */
  readonly tokens: number
  readonly completeAt: number | null
  readonly ghosts: number
}

export interface FindingResult extends Omit<Finding, 'from' | 'to'> {
  readonly from?: number
  readonly to?: number
}

export interface ClientResult {
  readonly first: number
  readonly last: number
  readonly count: number
  /** False for an odd answer that is no error. */
  readonly isError: boolean
  readonly status: number | null
  readonly text: string
  readonly workloads: Readonly<Record<string, number>>
}

export interface SimulationResult {
  readonly scenario: string
  readonly seed: number
  readonly model: ModelName
  readonly verdict: Verdict
  /** Why, one sentence for each finding that decided. */
  readonly reasons: readonly string[]
  /** When the last thing happened, or the `duration` of the scenario. */
  readonly endedAt: number
  /** Whether nothing more could change by itself then. */
  readonly settled: boolean
  readonly servers: Readonly<Record<string, ServerResult>>
  readonly agents: Readonly<Record<string, { datacenter: string; newModeAt: number | null }>>
  readonly migration: Readonly<Record<string, MigrationResult>>
  /** Secondaries only. */
  readonly replication: Readonly<Record<string, ReplicationResult>>
  readonly timeline: readonly TimelineEntry[]
  readonly clients: Readonly<Record<string, ClientResult>>
  readonly findings: readonly FindingResult[]
  /** Rules of the upgrade that the history breaks: faults of the model, as checkers see them. */
  readonly violations: readonly { readonly rule: string; readonly at: number; readonly detail: string }[]
  /** The command that gives these very bytes again. */
  readonly replay: string
}

/** What a report needs besides the result: it draws from the history. */
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
 * Simulates a scenario and says what came of it.
 *
 * @param options.replay the command that repeats it.
 * @param options.extraFindings found elsewhere, such as in the dump that the tokens came from.
 * @throws InputError for a schedule that spec 9.2.5 forbids.
 */
export function runSimulation(
  scenario: Scenario,
  options: { readonly replay: string; readonly extraFindings?: readonly Finding[] },
): Simulation {
  const history = simulate(scenario, modelOf(scenario.model))
  const clients = countClients(scenario, history)
  const findings = findAll({ scenario, history, clients }, options.extraFindings ?? [])
  const verdict = verdictOf(findings)
  const deciding = verdict === 'no-go' ? 'critical' : 'warning'
  const result: SimulationResult = {
    scenario: scenario.name,
    seed: scenario.seed,
    model: scenario.model,
    verdict,
    reasons: findings.filter((each) => each.severity === deciding).map((each) => each.detail),
    endedAt: toSeconds(history.endedAt),
    settled: history.isSettled,
    servers: serversOf(history),
    agents: agentsOf(history),
    migration: migrationOf(history),
    replication: replicationOf(history),
    timeline: timelineOf(history),
    clients: clientsOf(clients),
    findings: findings.map(findingOf),
    violations: violationsOf(history),
    replay: options.replay,
  }
  return { scenario, history, clients, result }
}
