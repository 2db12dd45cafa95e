import { encodeHclString, type GivenLevel, type Rule, type RuleSet, ruleKeyword } from '@latchkey/acl'

/**
 * The canonical text of a rule set: HCL, one rule after the other in its order, nothing that is not a rule.
 * Reading it gives the same rules again, places aside (FUZ-04).
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

/** A level that is none is any in another case. */
function levelText(level: GivenLevel): string {
  return level === 'none' ? 'READ' : level
}
