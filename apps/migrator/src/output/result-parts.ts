/** The parts of the result of `simulate`, derived from the recorded history. */
import { checkHistory } from '../check/checkers.ts'
import { legacyStretches, recordsOf } from '../check/facts.ts'
import { LAW_AT_TAKEOVER } from '../check/token-checks.ts'
import type { ClientErrors } from '../clients/tally.ts'
import type { Finding } from '../findings/finding.ts'
import { toSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import { size } from '../simulate/tokens/ranges.ts'
import type {
  ClientResult,
  FindingResult,
  MigrationResult,
  ReplicationResult,
  ServerResult,
  SimulationResult,
} from './result.ts'

/** The reference is known to exceed the limit at takeovers, which is a finding. Any other violation is a bug in the model. */
export function violationsOf(history: History): SimulationResult['violations'] {
  return checkHistory(history)
    .filter(({ rule }) => rule !== LAW_AT_TAKEOVER || history.model === 'latchkey')
    .map(({ rule, at, detail }) => ({ rule, at: toSeconds(at), detail }))
}

export function serversOf(history: History): Record<string, ServerResult> {
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

export function agentsOf(history: History): Record<string, { datacenter: string; newModeAt: number | null }> {
  return Object.fromEntries(
    history.members
      .filter((each) => each.isAgent)
      .map(({ id, datacenter, newModeAt }) => [id, { datacenter, newModeAt: secondsOrNull(newModeAt) }]),
  )
}

export function migrationOf(history: History): Record<string, MigrationResult> {
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

export function replicationOf(history: History): Record<string, ReplicationResult> {
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

export function clientsOf(clients: ReadonlyMap<string, ClientErrors>): Record<string, ClientResult> {
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

/** Milliseconds of the scenario's clock as seconds. */
export function secondsOrNull(ms: number | undefined): number | null {
  return ms === undefined ? null : toSeconds(ms)
}
