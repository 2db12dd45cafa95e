/** Parses rule texts. Decisions: rule language. */

import { AclError } from '@latchkey/contract'
import { atOnce, type Sliced } from '../../turns.ts'
import type { ParseRulesOptions } from './keywords.ts'
import type { RuleSet } from './rule.ts'
import { RuleReader } from './rule-reader.ts'
import { parseSyntax } from './syntax.ts'

/**
 * Reads a rule text. Empty text, blanks and comments alone are valid and grant nothing.
 * Names of kinds and attributes are read without case; segments with case. A level in another case grants nothing.
 *
 * @returns the rules in the order of the text.
 * @throws AclError `rules_invalid` with line and column: what was found there and what was expected.
 */
export function parseRules(text: string, options: ParseRulesOptions = {}): RuleSet {
  return atOnce(readRules(text, options))
}

/** As {@link parseRules}, in slices. */
export function* readRules(text: string, options: ParseRulesOptions = {}): Sliced<RuleSet> {
  const isTolerant = options.lenient === true || options.dialect === 'legacy'
  const reader = new RuleReader({ ...options, lenient: isTolerant })
  yield* reader.readTree(yield* parseSyntax(text, { isTolerant }))
  return reader.ruleSet()
}

/**
 * What is wrong with a rule text that is to be stored, if anything; found before the write is decided, as it takes
 * turns. Blanks alone are no rules.
 */
export function* findRulesProblem(text: string, options?: ParseRulesOptions): Sliced<AclError | undefined> {
  if (text.trim() === '') return undefined
  try {
    yield* readRules(text, options)
    return undefined
  } catch (error) {
    if (error instanceof AclError) return error
    throw error
  }
}

/** Reads the rules of a legacy token; what legacy evaluation ignores becomes a warning. Decisions: rule translation. */
export function parseLegacyRules(text: string): RuleSet {
  return parseRules(text, { dialect: 'legacy' })
}
