/** The result of `plan`: an overview of a dump and a scenario. Times are seconds. */
import { ACCESSOR_BATCH_SIZE_MAX, batchCountOf, batchesDurationMs } from '@latchkey/acl'
import type { ServiceVersion } from '@latchkey/contract'
import {
  agrees,
  counted,
  type Evidence,
  type Finding,
  reasonsOf,
  sortFindings,
  verdictOf,
} from '../findings/finding.ts'
import { findingOf, migratingIn, runSimulation } from '../output/result.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { toSeconds } from '../scenario/time.ts'
import { INTENTIONS_AS_ENTRIES, isAtLeast, LEGACY_REMOVED } from '../version.ts'
import { planRoute } from './route.ts'
import { newestOf, oldestOf, type PlanStep, planSteps, type TimedStep, timeSteps } from './steps.ts'
import { type TokenCensus, type TokenCounts, unlinkedFinding } from './token-census.ts'

export type PlanResult = ReturnType<typeof makePlan>

/**
 * Makes the plan for the tokens of a dump or, without one, of the scenario. @param options.isScheduled false
 * if no scenario was given: the plan then has no servers and times. @param options.to the version to plan a
 * route to, instead of the schedule of the scenario. @param options.traffic findings from an access log.
 */
export function makePlan(
  scenario: Scenario,
  census: TokenCensus | undefined,
  options: {
    readonly isScheduled?: boolean
    readonly to?: ServiceVersion
    readonly traffic?: readonly Finding[]
  } = {},
) {
  const { to, isScheduled = true, traffic = [] } = options
  const known = census === undefined ? scenario : withDump(scenario, census)
  const tokens = census?.counts() ?? countsOf(scenario)
  const { unlinkedManagement: unlinked } = tokens
  const ending = { withRules: tokens.withRules + tokens.withLegacyRights - unlinked, unlinked }
  const route = to === undefined ? undefined : planRoute(known, { to, ...ending })
  const planned = route?.scenario ?? known
  const dumpFindings = census === undefined ? [] : findDump(planned, census, { isSimulated: isScheduled })
  const extraFindings = [...dumpFindings, ...traffic]
  const simulation = isScheduled ? runSimulation(planned, { replay: '', extraFindings }) : undefined
  const result = simulation?.result
  const findings = sortFindings([
    ...(result?.findings ?? extraFindings.map(findingOf)),
    ...findWaitingIntentions({ scenario: planned }),
  ])
  const migrationMs = batchesDurationMs(tokens.total)
  const migrating = simulation === undefined ? tokens.total : migratingIn(simulation)
  const steps = planSteps(planned, {
    ...ending,
    tokens: migrating,
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
        const plan = {
          isPrimary,
          servers: servers.length,
          tokens: count,
          batches,
          lastBatch: batches === 0 ? 0 : count - (batches - 1) * ACCESSOR_BATCH_SIZE_MAX,
          duration: toSeconds(count === 0 ? 0 : migrationMs),
          doneAt: doneAt ?? null,
        }
        return [name, plan]
      }),
    ),
    steps: (route?.steps ??
      (simulation === undefined ? steps : timeSteps(steps, planned, simulation.history))) as readonly (
      | PlanStep
      | TimedStep
    )[],
    findings,
  }
}

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
    unlinkedManagement: 0,
  }
}

export function withDump(scenario: Scenario, census: TokenCensus): Scenario {
  const { contents } = census
  const isOld = !isAtLeast(oldestOf(scenario), INTENTIONS_AS_ENTRIES)
  return {
    ...scenario,
    tokens: census.groups(),
    bootstrapped: scenario.bootstrapped ?? contents?.bootstrapped,
    intentions: scenario.intentions.length > 0 || !isOld ? scenario.intentions : (contents?.intentions ?? []),
  }
}

/** @param options.isSimulated whether a simulation already reports about tokens without an accessor. */
export function findDump(
  scenario: Scenario,
  census: TokenCensus,
  { isSimulated = true }: { readonly isSimulated?: boolean } = {},
): Finding[] {
  return [
    ...census.findings(),
    ...findLegacyRights(scenario, census, isSimulated),
    ...findUnlinked(scenario, census),
    ...findSkippedRecords(census),
  ]
}

function findLegacyRights(scenario: Scenario, census: TokenCensus, isSimulated: boolean): Finding[] {
  const { withLegacyRights, unlinkedManagement, withRules } = census.counts()
  const count = withLegacyRights - unlinkedManagement + (isSimulated ? 0 : withRules)
  if (count === 0 || !isAtLeast(newestOf(scenario), LEGACY_REMOVED)) return []
  return [
    {
      id: 'legacy-rights-end-at-1.11',
      severity: 'critical',
      count,
      detail: `From 1.11 only the default policy applies to ${counted(count, 'token')} whose rights come from legacy rules`,
      avoid: 'Give these tokens policies before 1.11, and compare their decisions.',
      ...(census.legacyRightsPlaces.length === 0 ? {} : { tokens: census.legacyRightsPlaces }),
    },
  ]
}

function findUnlinked(scenario: Scenario, census: TokenCensus): Finding[] {
  const { unlinkedManagement: count } = census.counts()
  if (count === 0) return []
  const tokens = census.unlinkedPlaces
  return [
    {
      ...unlinkedFinding(count),
      severity: isAtLeast(newestOf(scenario), LEGACY_REMOVED) ? 'critical' : 'warning',
      ...(tokens.length === 0 ? {} : { tokens }),
    },
  ]
}

function findSkippedRecords({ contents }: TokenCensus): Finding[] {
  const types = [...(contents?.unknown ?? [])]
  if (types.length === 0) return []
  const count = types.reduce((sum, [, each]) => sum + each, 0)
  const list = types.map(([type, each]) => `${each.toLocaleString('en-US')} of type ${type}`).join(', ')
  return [
    {
      id: 'archive-records-skipped',
      severity: 'info',
      count,
      detail: `${counted(count, 'record')} of the snapshot archive ${count === 1 ? 'has' : 'have'} a type that is unknown here: ${list}`,
      avoid: 'Nothing to do, unless a newer or extended version of the service wrote tokens in another form.',
    },
  ]
}
