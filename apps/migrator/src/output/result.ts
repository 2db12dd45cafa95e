/** The result of `simulate`, as printed by `--json`: everything that reports show. Times are seconds. */
import { checkHistory, LAW_AT_TAKEOVER } from '../check/checkers.ts'
import { legacyStretches, recordsOf } from '../check/facts.ts'
import { type ClientErrors, countClients } from '../clients/clients.ts'
import { type Evidence, type Finding, reasonsOf, verdictOf } from '../findings/finding.ts'
import { findAll } from '../findings/rule-findings.ts'
import type { ModelName, Scenario } from '../scenario/scenario.ts'
import { toSeconds } from '../scenario/time.ts'
import { latchkeyModel } from '../simulate/models/latchkey-model.ts'
import type { UpgradeModel } from '../simulate/models/model.ts'
import { serviceModel } from '../simulate/models/service-model.ts'
import { type History, simulate } from '../simulate/run.ts'
import { size } from '../simulate/tokens/ranges.ts'
import { timelineOf } from './timeline.ts'

export type ServerResult = ReturnType<typeof serversOf>[string]

export interface FindingResult extends Omit<Finding, 'from' | 'to'> {
  readonly from?: number
  readonly to?: number
}

export type SimulationResult = ReturnType<typeof resultOf>

export function resultOf({ scenario, history, clients }: Evidence, all: readonly Finding[], replay: string) {
  return {
    scenario: scenario.name,
    seed: scenario.seed,
    model: scenario.model,
    verdict: verdictOf(all),
    reasons: reasonsOf(all),
    endedAt: toSeconds(history.endedAt),
    settled: history.isSettled,
    servers: serversOf(history),
    agents: agentsOf(history),
    migration: migrationOf(history),
    replication: replicationOf(history),
    timeline: timelineOf(history),
    clients: clientsOf(clients),
    findings: all.map(findingOf),
    violations: violationsOf(history),
    replay,
  }
}

/** The reference is known to exceed the limit at takeovers, which is a finding. Any other violation is a bug in the model. */
export function violationsOf(history: History) {
  return checkHistory(history)
    .filter(({ rule }) => rule !== LAW_AT_TAKEOVER || history.model === 'latchkey')
    .map(({ rule, at, detail }) => ({ rule, at: toSeconds(at), detail }))
}

export function serversOf(history: History) {
  const stretches = legacyStretches(history)
  return Object.fromEntries(
    history.members
      .filter((each) => !each.isAgent)
      .map(({ id, datacenter, version, mode, newModeAt }) => [
        id,
        {
          datacenter,
          version: version?.text ?? null,
          mode: mode ?? null,
          newModeAt: secondsOrNull(newModeAt),
          legacyMode: (stretches.get(id) ?? []).map(({ from, to }) => ({
            from: toSeconds(from),
            to: secondsOrNull(to),
          })),
        },
      ]),
  )
}

function agentsOf(history: History) {
  return Object.fromEntries(
    history.members
      .filter((each) => each.isAgent)
      .map(({ id, datacenter, newModeAt }) => [id, { datacenter, newModeAt: secondsOrNull(newModeAt) }]),
  )
}

export function migrationOf(history: History) {
  const batches = recordsOf(history, 'batch')
  return Object.fromEntries(
    history.datacenters.map((datacenter) => {
      const own = batches.filter((each) => each.datacenter === datacenter)
      const sizes = own.map((each) => size(each.tokens))
      const store = history.stores.find((each) => each.datacenter === datacenter)
      return [
        datacenter,
        {
          tokens: sizes.reduce((sum, each) => sum + each, 0),
          batches: own.length,
          firstBatchAt: secondsOrNull(own[0]?.at),
          lastBatchAt: secondsOrNull(own.at(-1)?.at),
          sizes,
          remaining: size(store?.unmigrated ?? []),
          conflicts: own.reduce((sum, each) => sum + each.skipped, 0),
          localTokens: store?.localTokens ?? 0,
        },
      ]
    }),
  )
}

function replicationOf(history: History) {
  const records = recordsOf(history, 'replicated')
  return Object.fromEntries(
    history.stores
      .filter(({ datacenter }) => datacenter !== history.primary)
      .map(({ datacenter, unmigrated, ghosts, accessors, rounds, replication }) => {
        const own = records.filter((each) => each.datacenter === datacenter)
        const tokens = accessors.reduce((sum, { from, to }) => sum + to - from, 0)
        const isComplete = size(unmigrated) === 0 && tokens > 0
        return [
          datacenter,
          {
            rounds,
            tokens,
            completeAt: isComplete ? secondsOrNull(own.at(-1)?.at) : null,
            ghosts: size(ghosts),
            running: replication?.isRunning ?? false,
            type: replication?.type ?? 'legacy',
            lastSuccessAt: secondsOrNull(replication?.lastSuccessAt),
            lastErrorAt: secondsOrNull(replication?.lastErrorAt),
            lastError: replication?.lastError ?? null,
          },
        ]
      }),
  )
}

function clientsOf(clients: ReadonlyMap<string, ClientErrors>) {
  return Object.fromEntries(
    [...clients].map(([kind, { first, last, count, isError, status, text, workloads }]) => [
      kind,
      {
        first: toSeconds(first),
        last: toSeconds(last),
        count,
        isError,
        status: status ?? null,
        text,
        workloads,
      },
    ]),
  )
}

export function findingOf({ from, to, ...rest }: Finding): FindingResult {
  return {
    ...rest,
    ...(from === undefined ? {} : { from: toSeconds(from) }),
    ...(to === undefined ? {} : { to: toSeconds(to) }),
  }
}

export function secondsOrNull(ms: number | undefined): number | null {
  return ms === undefined ? null : toSeconds(ms)
}

export interface Simulation {
  readonly scenario: Scenario
  readonly history: History
  readonly clients: ReadonlyMap<string, ClientErrors>
  readonly result: SimulationResult
}

export function modelOf(name: ModelName): UpgradeModel {
  return name === 'latchkey' ? latchkeyModel : serviceModel
}

/** Simulates a scenario. @throws InputError for a schedule that spec 9.2.5 forbids. */
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
