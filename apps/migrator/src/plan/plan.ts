/** The answer of `plan`: an overview of a dump and a scenario. Times are seconds. */
import { ACCESSOR_BATCH_SIZE_MAX, batchCountOf, batchesDurationMs } from '@latchkey/acl'
import type { Evidence, Finding, Verdict } from '../findings/finding.ts'
import { counted, sortFindings, verdictOf } from '../findings/finding.ts'
import { runSimulation } from '../output/run-simulation.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { toSeconds } from '../scenario/time.ts'
import { type PlanStep, planSteps } from './steps.ts'
import type { DumpFinding, TokenCensus, TokenCounts, TokenPlace } from './token-census.ts'

/** How long the accessors of a datacenter take under the batch limits. Spec 8. */
interface DatacenterPlan {
  readonly isPrimary: boolean
  readonly servers: number
  /** Tokens that get an accessor here, by batches in the primary, by replication in a secondary. */
  readonly tokens: number
  readonly batches: number
  /** Size of the last batch. */
  readonly lastBatch: number
  /** Minimum time from the first accessor to the last. */
  readonly duration: number
  /** When the simulation has assigned the last one; null: never. */
  readonly doneAt: number | null
}

export interface PlanResult {
  readonly scenario: string
  readonly verdict: Verdict
  readonly reasons: readonly string[]
  readonly tokens: TokenCounts
  readonly datacenters: Readonly<Record<string, DatacenterPlan>>
  readonly steps: readonly PlanStep[]
  readonly findings: readonly PlanFinding[]
}

export interface PlanFinding {
  readonly id: string
  readonly severity: string
  readonly count: number
  readonly detail: string
  readonly avoid: string
  readonly tokens?: readonly TokenPlace[]
}

/**
 * Makes the plan for the tokens of a dump or, without one, of the scenario.
 *
 * @param traffic findings from an access log.
 */
export function makePlan(
  scenario: Scenario,
  census: TokenCensus | undefined,
  traffic: readonly Finding[] = [],
): PlanResult {
  const planned: Scenario = census === undefined ? scenario : { ...scenario, tokens: census.groups() }
  const tokens = census?.counts() ?? countsOf(scenario)
  const dumpFindings = census?.findings() ?? []
  const { result } = runSimulation(planned, { replay: '', extraFindings: [...dumpFindings, ...traffic] })
  const findings = sortFindings([...result.findings, ...findWaitingIntentions({ scenario: planned })])
  const verdict = verdictOf(findings)
  const deciding = verdict === 'no-go' ? 'critical' : 'warning'
  const migrationMs = batchesDurationMs(tokens.total)
  return {
    scenario: scenario.name,
    verdict,
    reasons: findings.filter((each) => each.severity === deciding).map((each) => each.detail),
    tokens,
    datacenters: Object.fromEntries(
      scenario.datacenters.map(({ name, isPrimary, servers, tokenReplication }) => {
        const count = isPrimary || tokenReplication ? tokens.total : 0
        const batches = isPrimary ? batchCountOf(count) : 0
        const doneAt = isPrimary ? result.migration[name]?.lastBatchAt : result.replication[name]?.completeAt
        return [
          name,
          {
            isPrimary,
            servers: servers.length,
            tokens: count,
            batches,
            lastBatch: batches === 0 ? 0 : count - (batches - 1) * ACCESSOR_BATCH_SIZE_MAX,
            duration: toSeconds(count === 0 ? 0 : migrationMs),
            doneAt: doneAt ?? null,
          },
        ]
      }),
    ),
    steps: planSteps(planned, { tokens: tokens.total, withRules: tokens.withRules, migrationMs }),
    findings: findings.map(({ id, severity, count, detail, avoid }) => {
      const places = dumpFindings.find((each: DumpFinding) => each.id === id)?.tokens ?? []
      return { id, severity, count, detail, avoid, ...(places.length === 0 ? {} : { tokens: places }) }
    }),
  }
}

/** Intentions that wait for their migration, where the scenario does not reach it. */
function findWaitingIntentions({ scenario }: Pick<Evidence, 'scenario'>) {
  if (scenario.intentions.length === 0) return []
  const count = scenario.intentions.length
  return [
    {
      id: 'intentions-waiting',
      severity: 'info' as const,
      count,
      detail: `${counted(count, 'intention')} wait for the migration to config entries that comes with 1.9.0 (spec 9.5)`,
      avoid: 'Validate each of them beforehand: one that cannot be migrated blocks all writes.',
    },
  ]
}

function countsOf({ tokens }: Scenario): TokenCounts {
  const sum = (groups: Scenario['tokens']) => groups.reduce((total, each) => total + each.count, 0)
  const clients = tokens.filter((each) => each.type === 'client')
  return {
    total: sum(tokens),
    client: sum(clients),
    management: sum(tokens.filter((each) => each.type === 'management')),
    anonymous: false,
    withRules: sum(clients.filter((each) => each.rules !== undefined && each.rules !== '')),
    refused: 0,
  }
}
