/** All findings of one simulated upgrade, worst first. */
import { type Evidence, type Finder, type Finding, sortFindings } from './finding.ts'
import { INTENTION_FINDERS } from './intention-findings.ts'
import { MODE_FINDERS } from './mode-findings.ts'
import { CHANGE_BY_TRANSLATION, findRules } from './rule-findings.ts'
import { TOKEN_FINDERS } from './token-findings.ts'
import { TOKEN_WRITE_FINDERS } from './token-write-findings.ts'
import { VERSION_FINDERS } from './version-findings.ts'

const FINDERS: readonly Finder[] = [
  ...MODE_FINDERS,
  ...TOKEN_FINDERS,
  ...TOKEN_WRITE_FINDERS,
  findRules,
  ...VERSION_FINDERS,
  ...INTENTION_FINDERS,
]

/**
 * Collects all findings. A change of meaning by translation is critical in a scenario that converts tokens.
 * @param extra findings from elsewhere, such as the dump of the tokens.
 */
export function findAll(evidence: Evidence, extra: readonly Finding[]): Finding[] {
  const converts = evidence.scenario.events.some(({ kind }) => kind === 'convert-tokens')
  const findings = [...extra, ...FINDERS.flatMap((find) => find(evidence))]
  return sortFindings(
    findings.map((each) =>
      converts && each.id === CHANGE_BY_TRANSLATION ? { ...each, severity: 'critical' } : each,
    ),
  )
}
