/** Finds rules that are wrong, have no effect, or grant more than they seem to. */
import { AclError, limits } from '@latchkey/contract'
import { PrefixIndex } from '../decide/prefix-index.ts'
import type { ParseRulesOptions } from '../language/keywords.ts'
import { parseRules } from '../language/parse-rules.ts'
import {
  type GivenLevel,
  type Rule,
  type RuleKind,
  type RuleWarningCode,
  ruleKeyword,
} from '../language/rule.ts'
import { type Place, shown } from '../language/syntax-error.ts'

/** `error`: a policy with this text is refused. `warning`: probably unintended. `info`: worth knowing. */
const SEVERITIES = {
  text_invalid: 'error',
  kind_unknown: 'error',
  attribute_unknown: 'error',
  duplicate: 'error',
  level_unset: 'warning',
  level_case: 'warning',
  shadowed: 'info',
  deny_without_grant: 'info',
  grants_nothing: 'info',
  wildcard_is_literal: 'warning',
  exact_not_prefix: 'warning',
  unlikely_name: 'warning',
  broad_grant: 'warning',
  broad_read: 'info',
  findings_omitted: 'info',
} as const

type LintCode = keyof typeof SEVERITIES

interface LintFinding extends Place {
  readonly code: LintCode
  readonly severity: 'error' | 'warning' | 'info'
  readonly message: string
}

const CODE_OF_WARNING: Readonly<Record<RuleWarningCode, LintCode>> = {
  syntax_tolerated: 'text_invalid',
  kind_ignored: 'kind_unknown',
  attribute_ignored: 'attribute_unknown',
  duplicate_merged: 'duplicate',
  level_unset: 'level_unset',
  level_case: 'level_case',
}

/**
 * Lints the rule text of a policy. A syntax error is a finding, not an exception. @returns findings in the
 * order of the text: at most LINT_FINDINGS_MAX, then one that states the number of the others.
 */
export function lintRules(text: string, options: Pick<ParseRulesOptions, 'kinds'> = {}): LintFinding[] {
  try {
    const { rules, warnings } = parseRules(text, { ...options, lenient: true })
    const found = warnings.map(({ code, message, ...place }) =>
      finding(CODE_OF_WARNING[code], place, message),
    )
    return cut([...found, ...lintRuleList(rules)].sort((a, b) => a.line - b.line || a.column - b.column))
  } catch (error) {
    if (!(error instanceof AclError)) throw error
    const { line = 1, column = 1 } = error.details
    return [finding('text_invalid', { line, column }, error.message)]
  }
}

function cut(findings: readonly LintFinding[]): LintFinding[] {
  const max = limits.LINT_FINDINGS_MAX
  const last = findings[max - 1]
  if (last === undefined || findings.length === max) return [...findings]
  const message = `${findings.length - max} more findings from here on are not listed`
  return [...findings.slice(0, max), finding('findings_omitted', last, message)]
}

function lintRuleList(rules: readonly Rule[]): LintFinding[] {
  const prefixes = new Map<RuleKind, PrefixIndex<Rule>>()
  const prefixRules = rules.filter((rule) => rule.match === 'prefix')
  for (const [kind, members] of Map.groupBy(prefixRules, (rule) => rule.kind)) {
    prefixes.set(kind, new PrefixIndex(members))
  }
  const found = rules
    .flatMap((rule) => [
      lintName(rule),
      lintReach(rule),
      lintBreadth(rule),
      lintCover(rule, prefixes.get(rule.kind)),
    ])
    .filter((one) => one !== undefined)
  if (rules.some(grantsAnything)) return found
  return [finding('grants_nothing', { line: 1, column: 1 }, 'no rule grants anything'), ...found]
}

function grantsAnything({ level, intentions = 'deny' }: Rule): boolean {
  return [level, intentions].some((each) => each !== 'deny' && each !== 'none')
}

/** The rule that would decide if this one were absent. */
function coverOf({ match, segment }: Rule, prefixes: PrefixIndex<Rule> | undefined): Rule | undefined {
  if (match === 'exact') return prefixes?.longestPrefixOf(segment)
  // One character fewer, to exclude the rule itself.
  return segment === '' ? undefined : prefixes?.longestPrefixOf(segment.slice(0, -1))
}

function lintCover(rule: Rule, prefixes: PrefixIndex<Rule> | undefined): LintFinding | undefined {
  if (rule.match === 'scalar') return undefined
  const cover = coverOf(rule, prefixes)
  if (cover !== undefined && rule.level === cover.level && intentionsOf(rule) === intentionsOf(cover)) {
    const message = `${nameOf(rule)} changes nothing: ${nameOf(cover)} on line ${cover.line} already gives the same level`
    return finding('shadowed', rule, message)
  }
  if (cover !== undefined || grantsAnything(rule)) return undefined
  const message = `${nameOf(rule)} denies what no rule here grants; it only affects other policies of a token`
  return finding('deny_without_grant', rule, message)
}

/** A placeholder of a template, such as `${app}` or `{{ .Name }}`; bounded, so that the search is linear. */
const PLACEHOLDER = /\$\{[^{}]{0,64}\}|\{\{[^{}]{0,64}\}\}/

/** A rule that never decides, because nothing is likely to have such a name. */
function lintName(rule: Rule): LintFinding | undefined {
  const { kind, segment } = rule
  const unlikely = (why: string) => finding('unlikely_name', rule, `${nameOf(rule)} ${why}`)
  const [placeholder] = PLACEHOLDER.exec(segment) ?? []
  if (placeholder !== undefined)
    return unlikely(`has ${shown(placeholder)} as ordinary text: nothing fills in placeholders`)
  if (segment.startsWith('/'))
    return unlikely(
      kind === 'key'
        ? 'begins with a slash: the key of /v1/kv/app/x is app/x'
        : 'begins with a slash, and names do not',
    )
  if (kind === 'key' || kind === 'query' || kind === 'event' || !/\s/.test(segment)) return undefined
  return unlikely('has a blank, like a title: the names of services and nodes have none')
}

/** A rule that matches less than it seems to. */
function lintReach(rule: Rule): LintFinding | undefined {
  const { match, kind, segment } = rule
  const wider = (prefix: string) => `write ${kind}_prefix ${JSON.stringify(shown(prefix))}`
  if (match === 'scalar') return undefined
  if (segment.endsWith('*')) {
    const message = `* is an ordinary character here; to match a prefix, ${wider(segment.slice(0, -1))}`
    return finding('wildcard_is_literal', rule, `${nameOf(rule)}: ${message}`)
  }
  if (match !== 'exact' || (segment !== '' && !segment.endsWith('/'))) return undefined
  const message = `matches exactly this name; to match everything below it, ${wider(segment)}`
  return finding('exact_not_prefix', rule, `${nameOf(rule)} ${message}`)
}

/** A rule that covers everything of a kind. */
function lintBreadth(rule: Rule): LintFinding | undefined {
  const { match, kind, segment, level, intentions } = rule
  if (match === 'scalar' && level === 'write') {
    const what = kind === 'acl' ? 'lets its tokens give themselves every right' : `grants all of ${kind}`
    return finding('broad_grant', rule, `${kind} = "write" ${what}`)
  }
  if (match !== 'prefix' || segment !== '') return undefined
  if (level === 'write' || intentions === 'write') {
    const what = level === 'write' ? `every ${kind}` : 'the intentions of every service'
    return finding('broad_grant', rule, `${nameOf(rule)} lets its tokens write ${what}`)
  }
  if (kind !== 'key' || !grantsAnything(rule)) return undefined
  return finding('broad_read', rule, `${nameOf(rule)} lets its tokens read every key`)
}

function intentionsOf(rule: Rule): GivenLevel | undefined {
  if (rule.kind !== 'service') return undefined
  return rule.intentions ?? (grantsAnything(rule) ? 'read' : 'deny')
}

function nameOf(rule: Rule): string {
  return rule.match === 'scalar' ? rule.kind : `${ruleKeyword(rule)} ${JSON.stringify(shown(rule.segment))}`
}

function finding(code: LintCode, { line, column }: Place, message: string): LintFinding {
  return { code, severity: SEVERITIES[code], message, line, column }
}
