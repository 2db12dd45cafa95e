/** All findings of one simulated upgrade, worst first. */
import { type Evidence, type Finder, type Finding, sortFindings } from './finding.ts'
import { findIntentions } from './intention-findings.ts'
import { findModes } from './mode-findings.ts'
import { CHANGE_BY_TRANSLATION, findRules } from './rule-findings.ts'
import { findTokens } from './token-findings.ts'
import { findTokenWrites } from './token-write-findings.ts'
import { findVersions } from './version-findings.ts'

const FINDERS: readonly Finder[] = [
  findModes,
  findTokens,
  findTokenWrites,
  findRules,
  findVersions,
  findIntentions,
]

/**
 * Collects all findings. A change of meaning by translation is critical in a scenario that converts tokens.
 *
 * @param extra findings from elsewhere, such as the dump of the tokens.
 */
export function findAll(evidence: Evidence, extra: readonly Finding[]): Finding[] {
  const converts = evidence.scenario.events.some(({ kind }) => kind === 'convert-tokens')
  const findings = [...extra, ...FINDERS.flatMap((find) => [...find(evidence)])]
  return sortFindings(
    findings.map((each) =>
      converts && each.id === CHANGE_BY_TRANSLATION ? { ...each, severity: 'critical' } : each,
    ),
  )
}
