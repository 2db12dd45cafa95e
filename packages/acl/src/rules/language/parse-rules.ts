/** Parses rule texts. Decisions: rule language. */

import { AclError } from '@latchkey/contract'
import type { ParseRulesOptions } from './keywords.ts'
import type { RuleSet } from './rule.ts'
import { RuleReader } from './rule-reader.ts'
import { parseSyntax } from './syntax.ts'

/**
 * Parses a rule text. A text of only blanks and comments is valid and grants nothing. Kinds and attributes
 * are case-insensitive, segments case-sensitive. A level in the wrong case grants nothing.
 * @returns the rules in the order of the text.
 */
export function parseRules(text: string, options: ParseRulesOptions = {}): RuleSet {
  const isTolerant = options.lenient === true || options.dialect === 'legacy'
  const reader = new RuleReader({ ...options, lenient: isTolerant })
  reader.readTree(parseSyntax(text, { isTolerant }))
  return reader.ruleSet()
}

/** Finds the error in a rule text that is to be stored. A text of only blanks is valid. */
export function findRulesProblem(text: string, options?: ParseRulesOptions): AclError | undefined {
  if (text.trim() === '') return undefined
  try {
    parseRules(text, options)
    return undefined
  } catch (error) {
    if (error instanceof AclError) return error
    throw error
  }
}

/** Parses legacy rules. Anything that legacy evaluation ignores becomes a warning. Decisions: rule translation. */
export function parseLegacyRules(text: string): RuleSet {
  return parseRules(text, { dialect: 'legacy' })
}
