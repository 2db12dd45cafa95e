/** Adds a dump to a scenario, and finds problems of the dump that depend on the versions of the scenario. */
import { counted, type Finding } from '../findings/finding.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { INTENTIONS_AS_ENTRIES, isAtLeast, LEGACY_REMOVED } from '../version.ts'
import { newestOf, oldestOf } from './steps.ts'
import type { TokenCensus } from './token-census.ts'

/** The scenario with the tokens of a dump. Fields that the file omits come from the snapshot archive, if there is one. */
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

/**
 * The findings about a dump, token findings first. @param options.isSimulated whether a simulation already
 * reports about tokens without an accessor.
 */
export function findDump(
  scenario: Scenario,
  census: TokenCensus,
  { isSimulated = true }: { readonly isSimulated?: boolean } = {},
): Finding[] {
  return [
    ...census.findings(),
    ...findLegacyRights(scenario, census, isSimulated),
    ...findSkippedRecords(census),
  ]
}

/** From 1.11 on, the rules and the type of a legacy token have no effect, even if it has an accessor. */
function findLegacyRights(scenario: Scenario, census: TokenCensus, isSimulated: boolean): Finding[] {
  const { withLegacyRights, withRules } = census.counts()
  const count = withLegacyRights + (isSimulated ? 0 : withRules)
  if (count === 0 || !isAtLeast(newestOf(scenario), LEGACY_REMOVED)) return []
  return [
    {
      id: 'legacy-rights-end-at-1.11',
      severity: 'critical',
      count,
      detail: `From 1.11 only the default policy applies to ${counted(count, 'token')} whose rights come from legacy rules, or from the type management without a policy`,
      avoid: 'Give these tokens policies before 1.11, and compare their decisions.',
      ...(census.legacyRightsPlaces.length === 0 ? {} : { tokens: census.legacyRightsPlaces }),
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
