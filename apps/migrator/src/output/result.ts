/** The answer of `simulate`: everything that reports show, in the spelling of `--json`. Times are seconds. */

import { checkHistory } from '../check/checkers.ts'
import { recordsOf } from '../check/facts.ts'
import { LAW_AT_TAKEOVER } from '../check/token-checks.ts'
import { countClients } from '../clients/clients.ts'
import type { ClientErrors } from '../clients/tally.ts'
import { type Finding, type Verdict, verdictOf } from '../findings/finding.ts'
import { findAll } from '../findings/findings.ts'
import type { ModelName, Scenario } from '../scenario/scenario.ts'
import { toSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import { latchkeyModel } from '../simulate/latchkey-model.ts'
import type { UpgradeModel } from '../simulate/model.ts'
import { size } from '../simulate/ranges.ts'
import { simulate } from '../simulate/run.ts'
import { serviceModel } from '../simulate/service-model.ts'
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

/** What the reference does at a takeover is its nature and a finding; everything else is a fault of the model. */
function violationsOf(history: History): SimulationResult['violations'] {
  return checkHistory(history)
    .filter(({ rule }) => rule !== LAW_AT_TAKEOVER || history.model === 'latchkey')
    .map(({ rule, at, detail }) => ({ rule, at: toSeconds(at), detail }))
}

function serversOf(history: History): Record<string, ServerResult> {
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

/** When each server was in legacy mode. */
export function legacyStretches(
  history: History,
): ReadonlyMap<string, readonly { readonly from: number; readonly to: number | undefined }[]> {
  const stretches = new Map<string, { from: number; to: number | undefined }[]>()
  for (const each of history.records) {
    if (each.kind !== 'process' && each.kind !== 'mode') continue
    const list = stretches.get(each.server) ?? []
    stretches.set(each.server, list)
    const open = list.find(({ to }) => to === undefined)
    const isLegacy = each.mode === 'legacy' && (each.kind === 'mode' || each.state !== 'down')
    const isNewProcess = each.kind === 'process' && each.state === 'up'
    if (open !== undefined && (!isLegacy || isNewProcess)) open.to = each.at
    if (isLegacy && (open === undefined || isNewProcess)) list.push({ from: each.at, to: undefined })
  }
  return stretches
}

function agentsOf(history: History): Record<string, { datacenter: string; newModeAt: number | null }> {
  return Object.fromEntries(
    history.members
      .filter((each) => each.isAgent)
      .map(({ id, datacenter, newModeAt }) => [id, { datacenter, newModeAt: secondsOrNull(newModeAt) }]),
  )
}

function migrationOf(history: History): Record<string, MigrationResult> {
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
        },
      ]
    }),
  )
}

function replicationOf(history: History): Record<string, ReplicationResult> {
  const records = recordsOf(history, 'replicated')
  return Object.fromEntries(
    history.stores
      .filter(({ datacenter }) => datacenter !== history.primary)
      .map(({ datacenter, unmigrated, ghosts, accessors, rounds }) => {
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
          },
        ]
      }),
  )
}

function clientsOf(clients: ReadonlyMap<string, ClientErrors>): Record<string, ClientResult> {
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

function findingOf({ from, to, ...rest }: Finding): FindingResult {
  return {
    ...rest,
    ...(from === undefined ? {} : { from: toSeconds(from) }),
    ...(to === undefined ? {} : { to: toSeconds(to) }),
  }
}

function secondsOrNull(ms: number | undefined): number | null {
  return ms === undefined ? null : toSeconds(ms)
}
