/** Finds rules that are wrong, have no effect, or grant more than they seem to. */
import { AclError, limits } from '@latchkey/contract'
import { type PrefixIndex, prefixIndexOf } from '../decide/prefix-index.ts'
import type { ParseRulesOptions } from '../language/keywords.ts'
import { parseRules } from '../language/parse-rules.ts'
import {
  type GivenLevel,
  type Rule,
  type RuleKind,
  type RuleWarningCode,
  ruleKeyword,
} from '../language/rule.ts'
import { shown } from '../language/syntax-error.ts'

/** `error`: a policy with this text is refused. `warning`: probably unintended. `info`: worth knowing. */
type LintSeverity = 'error' | 'warning' | 'info'

type LintCode =
  | 'text_invalid'
  | 'kind_unknown'
  | 'attribute_unknown'
  | 'duplicate'
  | 'level_unset'
  | 'level_case'
  | 'shadowed'
  | 'deny_without_grant'
  | 'grants_nothing'
  | 'wildcard_is_literal'
  | 'exact_not_prefix'
  | 'broad_grant'
  | 'broad_read'
  | 'findings_omitted'

interface LintFinding {
  readonly code: LintCode
  readonly severity: LintSeverity
  readonly message: string
  /** From 1. */
  readonly line: number
  readonly column: number
}

const CODE_OF_WARNING: Readonly<Record<RuleWarningCode, { code: LintCode; severity: LintSeverity }>> = {
  syntax_tolerated: { code: 'text_invalid', severity: 'error' },
  kind_ignored: { code: 'kind_unknown', severity: 'error' },
  attribute_ignored: { code: 'attribute_unknown', severity: 'error' },
  duplicate_merged: { code: 'duplicate', severity: 'error' },
  level_unset: { code: 'level_unset', severity: 'warning' },
  level_case: { code: 'level_case', severity: 'warning' },
}

/**
 * Lints the rule text of a policy. A syntax error is a finding, not an exception.
 *
 * @returns findings in the order of the text: at most LINT_FINDINGS_MAX, then one that states the number of the others.
 */
export function lintRules(text: string, options: Pick<ParseRulesOptions, 'kinds'> = {}): LintFinding[] {
  try {
    const { rules, warnings } = parseRules(text, { ...options, lenient: true })
    const found: LintFinding[] = []
    for (const warning of warnings) found.push({ ...warning, ...CODE_OF_WARNING[warning.code] })
    lintRuleList(rules, found)
    return cut(found.toSorted(byPlace))
  } catch (error) {
    if (!(error instanceof AclError)) throw error
    const { line = 1, column = 1 } = error.details
    return [{ code: 'text_invalid', severity: 'error', message: error.message, line, column }]
  }
}

function byPlace(a: LintFinding, b: LintFinding): number {
  return a.line - b.line || a.column - b.column
}

function cut(findings: readonly LintFinding[]): LintFinding[] {
  const max = limits.LINT_FINDINGS_MAX
  const last = findings[max - 1]
  if (last === undefined || findings.length === max) return [...findings]
  const { line, column } = last
  const message = `${findings.length - max} more findings from here on are not listed`
  return [...findings.slice(0, max), { code: 'findings_omitted', severity: 'info', message, line, column }]
}

/** @param found receives the findings. */
function lintRuleList(rules: readonly Rule[], found: LintFinding[]): void {
  if (rules.every((rule) => !grantsAnything(rule))) {
    const message = 'no rule grants anything'
    found.push({ code: 'grants_nothing', severity: 'info', message, line: 1, column: 1 })
  }
  const prefixes = prefixesByKind(rules)
  for (const rule of rules) {
    found.push(...lintReach(rule), ...lintBreadth(rule))
    if (rule.match !== 'scalar') found.push(...lintCover(rule, coverOf(rule, prefixes.get(rule.kind))))
  }
}

function grantsAnything({ level, intentions = 'deny' }: Rule): boolean {
  return [level, intentions].some((each) => each !== 'deny' && each !== 'none')
}

function prefixesByKind(rules: readonly Rule[]): ReadonlyMap<RuleKind, PrefixIndex<Rule>> {
  const byKind = Map.groupBy(
    rules.filter((rule) => rule.match === 'prefix'),
    (rule) => rule.kind,
  )
  const prefixes = new Map<RuleKind, PrefixIndex<Rule>>()
  for (const [kind, members] of byKind) prefixes.set(kind, prefixIndexOf(members))
  return prefixes
}

/** The rule that would decide if this one were absent. */
function coverOf(rule: Rule, prefixes: PrefixIndex<Rule> | undefined): Rule | undefined {
  if (rule.match === 'exact') return prefixes?.longestPrefixOf(rule.segment)
  // One character fewer, to exclude the rule itself.
  return rule.segment === '' ? undefined : prefixes?.longestPrefixOf(rule.segment.slice(0, -1))
}

/** Rules that change nothing, given the wider rule that covers them. */
function* lintCover(rule: Rule, cover: Rule | undefined): Generator<LintFinding> {
  if (cover !== undefined && rule.level === cover.level && intentionsOf(rule) === intentionsOf(cover)) {
    const message = `${nameOf(rule)} changes nothing: ${nameOf(cover)} on line ${cover.line} already gives the same level`
    yield finding('shadowed', 'info', rule, message)
  } else if (cover === undefined && !grantsAnything(rule)) {
    const message = `${nameOf(rule)} denies what no rule here grants; it only affects other policies of a token`
    yield finding('deny_without_grant', 'info', rule, message)
  }
}

/** Rules that match less than they seem to. */
function* lintReach(rule: Rule): Generator<LintFinding> {
  if (rule.match === 'scalar') return
  if (rule.segment.endsWith('*')) {
    const wider = `${rule.kind}_prefix ${JSON.stringify(shown(rule.segment.slice(0, -1)))}`
    const message = `${nameOf(rule)}: * is an ordinary character here; to match a prefix, write ${wider}`
    yield finding('wildcard_is_literal', 'warning', rule, message)
  } else if (rule.match === 'exact' && (rule.segment === '' || rule.segment.endsWith('/'))) {
    const wider = `${rule.kind}_prefix ${JSON.stringify(shown(rule.segment))}`
    const message = `${nameOf(rule)} matches exactly this name; to match everything below it, write ${wider}`
    yield finding('exact_not_prefix', 'warning', rule, message)
  }
}

/** Rules that cover everything of a kind. */
function* lintBreadth(rule: Rule): Generator<LintFinding> {
  if (rule.match === 'scalar' && rule.level === 'write') {
    const what =
      rule.kind === 'acl' ? 'lets its tokens give themselves every right' : `grants all of ${rule.kind}`
    yield finding('broad_grant', 'warning', rule, `${rule.kind} = "write" ${what}`)
  }
  if (rule.match !== 'prefix' || rule.segment !== '') return
  if (rule.level === 'write' || rule.intentions === 'write') {
    const what = rule.level === 'write' ? `every ${rule.kind}` : 'the intentions of every service'
    yield finding('broad_grant', 'warning', rule, `${nameOf(rule)} lets its tokens write ${what}`)
  } else if (rule.kind === 'key' && grantsAnything(rule)) {
    yield finding('broad_read', 'info', rule, `${nameOf(rule)} lets its tokens read every key`)
  }
}

function intentionsOf(rule: Rule): GivenLevel | undefined {
  if (rule.kind !== 'service') return undefined
  return rule.intentions ?? (grantsAnything(rule) ? 'read' : 'deny')
}

function nameOf(rule: Rule): string {
  return rule.match === 'scalar' ? rule.kind : `${ruleKeyword(rule)} ${JSON.stringify(shown(rule.segment))}`
}

function finding(code: LintCode, severity: LintSeverity, rule: Rule, message: string): LintFinding {
  return { code, severity, message, line: rule.line, column: rule.column }
}
