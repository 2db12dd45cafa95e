/** The result of `plan`: an overview of a dump and a scenario. Times are seconds. */
import { ACCESSOR_BATCH_SIZE_MAX, batchCountOf, batchesDurationMs } from '@latchkey/acl'
import type { Eta } from '../eta/estimate.ts'
import type { Evidence, Finding, Severity, Verdict } from '../findings/finding.ts'
import { agrees, counted, reasonsOf, sortFindings, verdictOf } from '../findings/finding.ts'
import { acceptNone, type MarkAccepted } from '../gate/acceptances.ts'
import { runSimulation } from '../output/run-simulation.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { toSeconds } from '../scenario/time.ts'
import { type WayBack, waysBack } from '../way-back/way-back.ts'
import { findDump, withDump } from './dump-facts.ts'
import { migratingIn } from './migrating.ts'
import { type PlanStep, planSteps } from './steps.ts'
import { type TimedStep, timeSteps } from './timed-steps.ts'
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
  /** When the simulation assigned the last accessor; null if never, or without a schedule. */
  readonly doneAt: number | null
}

export interface PlanResult {
  readonly scenario: string
  readonly verdict: Verdict
  readonly reasons: readonly string[]
  /** Whether a scenario provides a schedule, which a forecast requires. */
  readonly isScheduled: boolean
  readonly tokens: TokenCounts
  readonly datacenters: Readonly<Record<string, DatacenterPlan>>
  /** The estimated end of the upgrade, over variations of the schedule; null without a schedule. */
  readonly eta: Eta | null
  /** With their times, if there is a schedule. */
  readonly steps: readonly (PlanStep | TimedStep)[]
  /** The way back from each phase; empty without a schedule. */
  readonly waysBack: readonly WayBack[]
  readonly findings: readonly PlanFinding[]
}

export interface PlanFinding {
  readonly id: string
  readonly severity: Severity
  readonly count: number
  readonly detail: string
  readonly avoid: string
  readonly accepted?: Finding['accepted'] & {}
  readonly tokens?: readonly TokenPlace[]
}

/**
 * Makes the plan for the tokens of a dump or, without one, of the scenario.
 *
 * @param options.isScheduled false if no scenario was given: the plan then has no servers and times.
 * @param options.traffic findings from an access log.
 * @param options.markAccepted marks the findings that the operator accepts.
 */
export function makePlan(
  scenario: Scenario,
  census: TokenCensus | undefined,
  options: {
    readonly isScheduled?: boolean
    readonly traffic?: readonly Finding[]
    readonly markAccepted?: MarkAccepted
  } = {},
): PlanResult {
  const { isScheduled = true, traffic = [], markAccepted = acceptNone } = options
  const planned = census === undefined ? scenario : withDump(scenario, census)
  const tokens = census?.counts() ?? countsOf(scenario)
  const dumpFindings = census === undefined ? [] : findDump(planned, census, { isSimulated: isScheduled })
  const extraFindings = [...dumpFindings, ...traffic]
  const simulation = isScheduled
    ? runSimulation(planned, { replay: '', estimates: true, extraFindings })
    : undefined
  const result = simulation?.result
  const findings = markAccepted(
    sortFindings([...(result?.findings ?? extraFindings), ...findWaitingIntentions({ scenario: planned })]),
  )
  const migrationMs = batchesDurationMs(tokens.total)
  const migrating = simulation === undefined ? tokens.total : migratingIn(simulation)
  const steps = planSteps(planned, {
    tokens: migrating,
    withRules: tokens.withRules + tokens.withLegacyRights,
    migrationMs: batchesDurationMs(migrating),
    namesServers: isScheduled,
  })
  return {
    scenario: scenario.name,
    verdict: verdictOf(findings),
    reasons: reasonsOf(findings),
    isScheduled,
    tokens,
    datacenters: Object.fromEntries(
      scenario.datacenters.map(({ name, isPrimary, servers, tokenReplication }) => {
        const count = isPrimary || tokenReplication ? tokens.total : 0
        const batches = isPrimary ? batchCountOf(count) : 0
        const doneAt = isPrimary
          ? result?.migration[name]?.lastBatchAt
          : result?.replication[name]?.completeAt
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
    eta: result?.eta ?? null,
    steps: simulation === undefined ? steps : timeSteps(steps, planned, simulation.history),
    waysBack: simulation === undefined ? [] : waysBack(planned, simulation.history),
    findings: findings.map(({ id, severity, count, detail, avoid, accepted }) => {
      const places = dumpFindings.find((each: DumpFinding) => each.id === id)?.tokens ?? []
      return {
        ...{ id, severity, count, detail, avoid },
        ...(accepted === undefined ? {} : { accepted }),
        ...(places.length === 0 ? {} : { tokens: places }),
      }
    }),
  }
}

/** A finding about intentions whose migration has not ended when the scenario ends. */
function findWaitingIntentions({ scenario }: Pick<Evidence, 'scenario'>) {
  if (scenario.intentions.length === 0) return []
  const count = scenario.intentions.length
  return [
    {
      id: 'intentions-waiting',
      severity: 'info' as const,
      count,
      detail: `${counted(count, 'intention')} ${agrees(count, 'waits', 'wait')} for the migration to config entries that comes with 1.9.0 (spec 9.5)`,
      avoid:
        'Validate each of them beforehand: a single intention that cannot be migrated blocks all writes.',
    },
  ]
}

export function countsOf({ tokens }: Pick<Scenario, 'tokens'>): TokenCounts {
  const sum = (groups: Scenario['tokens']) => groups.reduce((total, each) => total + each.count, 0)
  const clients = tokens.filter((each) => each.type === 'client')
  return {
    total: sum(tokens),
    client: sum(clients),
    management: sum(tokens.filter((each) => each.type === 'management')),
    anonymous: false,
    withRules: sum(clients.filter((each) => each.rules !== undefined && each.rules !== '')),
    refused: 0,
    withAccessor: 0,
    withLegacyRights: 0,
  }
}
