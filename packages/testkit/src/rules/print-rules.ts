import { encodeHclString, type GivenLevel, type Rule, type RuleSet, ruleKeyword } from '@latchkey/acl'

/**
 * The canonical HCL text of a rule set: only its rules, in order. Parsing it produces the same rules, except for positions
 * (FUZ-04).
 */
export function printRules(ruleSet: Pick<RuleSet, 'rules'>): string {
  return ruleSet.rules.map((rule) => `${printRule(rule)}\n`).join('')
}

function printRule(rule: Rule): string {
  if (rule.match === 'scalar') return `${rule.kind} = "${levelText(rule.level)}"`
  const attributes = [`  policy = "${levelText(rule.level)}"`]
  if (rule.intentions !== undefined) attributes.push(`  intentions = "${levelText(rule.intentions)}"`)
  return [`${ruleKeyword(rule)} ${encodeHclString(rule.segment)} {`, ...attributes, '}'].join('\n')
}

/** `none` prints as a level in the wrong case. */
function levelText(level: GivenLevel): string {
  return level === 'none' ? 'READ' : level
}
