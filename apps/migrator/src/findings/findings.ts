/** All findings of one simulated upgrade, worst first. */
import { type Evidence, type Finder, type Finding, sortFindings } from './finding.ts'
import { findIntentions } from './intention-findings.ts'
import { findModes } from './mode-findings.ts'
import { findRules } from './rule-findings.ts'
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

/** @param extra findings from elsewhere, such as the dump of the tokens. */
export function findAll(evidence: Evidence, extra: readonly Finding[]): Finding[] {
  return sortFindings([...extra, ...FINDERS.flatMap((find) => [...find(evidence)])])
}
