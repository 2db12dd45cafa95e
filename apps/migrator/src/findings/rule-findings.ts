/** Findings about rules: texts that cannot be parsed, and texts whose meaning changes with the upgrade. */

import { analyzeRules, type RuleAnalysis } from '../rules/analyze-rules.ts'
import { formatDifference } from '../rules/rights-difference.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { counted, type Evidence, type Finder, type Finding, type Severity, sortFindings } from './finding.ts'
import { INTENTION_FINDERS } from './intention-findings.ts'
import { MODE_FINDERS } from './mode-findings.ts'
import { TOKEN_FINDERS, TOKEN_WRITE_FINDERS } from './token-findings.ts'
import { VERSION_FINDERS } from './version-findings.ts'

interface RuleIssue {
  readonly id: string
  readonly severity: Severity
  readonly title: string
  readonly avoid: string
  readonly of: (analysis: RuleAnalysis) => string | undefined
}

const CHANGE_BY_TRANSLATION = 'rules-change-by-translation'

export const RULE_ISSUES: readonly RuleIssue[] = [
  {
    id: 'rules-unreadable',
    severity: 'critical',
    title: 'rules that cannot be parsed, so every use of the token fails',
    avoid: 'Correct the rules through the legacy API before the upgrade.',
    of: ({ unreadable, reading }) =>
      unreadable === undefined || reading === undefined ? unreadable : `${unreadable}; ${reading.meanings}`,
  },
  {
    id: 'rules-change-at-1.4.0',
    severity: 'critical',
    title:
      'rules that name a segment twice: before 1.4.0 the last one wins, from 1.4.0 the strictest in the order deny, write, list, read',
    avoid: 'Before the upgrade, keep one block for each segment: the one that takes effect today.',
    of: ({ at140, isDuplicateUnclear }) =>
      at140 !== undefined
        ? formatDifference(at140)
        : isDuplicateUnclear
          ? 'a segment is named twice; the migrator cannot determine which one takes effect today'
          : undefined,
  },
  {
    id: 'rules-level-case',
    severity: 'critical',
    title: 'rules with a level that is not in lower case, which this service and Latchkey read differently',
    avoid: 'Write every level in lower case before the upgrade: the level that should count.',
    of: ({ unreadable, reading }) =>
      unreadable === undefined && reading?.isLevelCase === true ? reading.meanings : undefined,
  },
  {
    id: 'rules-read-differently',
    severity: 'critical',
    title: 'rules that this service and Latchkey read differently',
    avoid: 'Rewrite the rules before the upgrade so that both read them equally.',
    of: ({ unreadable, reading }) =>
      unreadable === undefined && reading?.isLevelCase === false ? reading.meanings : undefined,
  },
  {
    id: CHANGE_BY_TRANSLATION,
    severity: 'warning',
    title: 'rules whose meaning changes when they are translated to a policy',
    avoid: 'Do not let the service translate these: write the policy by hand and compare decisions.',
    of: ({ translated }) => (translated === undefined ? undefined : formatDifference(translated)),
  },
  {
    id: 'rules-untranslatable',
    severity: 'warning',
    title: 'rules that cannot be translated to a valid policy',
    avoid: 'Write the policy by hand.',
    of: ({ untranslatable }) => untranslatable,
  },
  {
    id: 'rules-ignored',
    severity: 'warning',
    title: 'rules with lines that legacy evaluation ignores',
    avoid:
      'Before you translate the rules to a policy, remove the lines or decide that they should take effect.',
    of: ({ ignored }) => ignored[0],
  },
]

const OF_READING = ['rules-unreadable', 'rules-level-case', 'rules-read-differently']

/** What matters wherever the rules are read, whatever the version of the cluster. */
export const READING_ISSUES = RULE_ISSUES.filter(({ id }) => OF_READING.includes(id))

function findRules({ scenario }: Evidence): readonly Finding[] {
  const groups = rulesOf(scenario)
  const widening = scenario.model === 'latchkey' ? 'comment-out' : 'keep'
  const analyses = groups.map(({ rules, count, name }) => ({
    count,
    name,
    analysis: analyzeRules(rules, { widening }),
  }))
  return RULE_ISSUES.flatMap(({ id, severity, title, avoid, of }) => {
    const hit = analyses.flatMap(({ count, name, analysis }) => {
      const detail = of(analysis)
      if (detail === undefined) return []
      return [{ count, detail: name === '' ? detail : `${JSON.stringify(name)}: ${detail}` }]
    })
    const [first] = hit
    if (first === undefined) return []
    const count = hit.reduce((sum, each) => sum + each.count, 0)
    return [{ id, severity, count, detail: `${counted(count, 'token')}: ${title}: ${first.detail}`, avoid }]
  })
}

function rulesOf(scenario: Scenario): { rules: string; count: number; name: string }[] {
  const created = scenario.events.flatMap((each) =>
    each.kind === 'create-tokens' && each.api === 'legacy' ? [each] : [],
  )
  const named = scenario.tokens.map((group) => ({ ...group, name: group.name ?? '' }))
  const fresh = created.map((event) => ({ ...event, name: '' }))
  return [...named, ...fresh].flatMap(({ type, rules, count, name }) =>
    type === 'client' && rules !== undefined && rules !== '' ? [{ rules, count, name }] : [],
  )
}

const FINDERS: readonly Finder[] = [
  ...MODE_FINDERS,
  ...TOKEN_FINDERS,
  ...TOKEN_WRITE_FINDERS,
  findRules,
  ...VERSION_FINDERS,
  ...INTENTION_FINDERS,
]

/** All findings. A change of meaning by translation is critical in a scenario that converts tokens. */
export function findAll(evidence: Evidence, extra: readonly Finding[]): Finding[] {
  const converts = evidence.scenario.events.some(({ kind }) => kind === 'convert-tokens')
  const findings = [...extra, ...FINDERS.flatMap((find) => find(evidence))]
  return sortFindings(
    findings.map((each) =>
      converts && each.id === CHANGE_BY_TRANSLATION ? { ...each, severity: 'critical' } : each,
    ),
  )
}
