/** The versions at which an upgrade must stop, and why. Spec 9. */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import { counted } from '../findings/finding.ts'
import { INTENTIONS_AS_ENTRIES, isAtLeast, LEGACY_REMOVED, NEW_ACLS, version } from '../version.ts'

export interface Stop {
  readonly version: ServiceVersion
  /** Steps for the operator at the stop, before the next leg; empty for the target. */
  readonly before: readonly string[]
}

/** The facts that determine the stops. */
interface RouteFacts {
  readonly from: ServiceVersion
  readonly to: ServiceVersion
  readonly tokens: number
  /** Number of client tokens whose rights come from rules. */
  readonly withRules: number
  readonly intentions: number
  readonly datacenters: number
}

/** The last minor version that evaluates the rules of legacy tokens and assigns accessors. */
const LAST_WITH_LEGACY = version('1.10.12')

/** The stops in order, ending with the target. The first may be the current version of the cluster. */
export function stopsBetween(facts: RouteFacts): Stop[] {
  const { from, to, tokens, withRules, intentions, datacenters } = facts
  const stops: Stop[] = []
  const removesLegacy = isBefore(from, LEGACY_REMOVED) && isAtLeast(to, LEGACY_REMOVED)
  if (removesLegacy && (isBefore(from, NEW_ACLS) || tokens > 0)) {
    const everywhere = datacenters === 1 ? '' : ', in every datacenter'
    const before = [
      `Wait until every token has an accessor${everywhere}: 1.11 assigns none.`,
      ...(withRules === 0
        ? []
        : [`Give policies to ${counted(withRules, 'client token')} with rules: 1.11 ignores rules.`]),
      ...(isBefore(from, INTENTIONS_AS_ENTRIES) && intentions > 0
        ? [`Wait until ${counted(intentions, 'intention')} are config entries (spec 9.5).`]
        : []),
      'Force a snapshot on every server: 1.11 skips the legacy writes that are still in its log.',
    ]
    stops.push({ version: isBefore(from, LAST_WITH_LEGACY) ? LAST_WITH_LEGACY : from, before })
  }
  return [...stops, { version: to, before: [] }]
}
