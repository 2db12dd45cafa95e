/** Parses stored rule texts for the compiler. */
import { AclError } from '@latchkey/contract'
import { parseRules } from '../language/parse-rules.ts'
import { EMPTY_RULE_SET } from '../language/rule.ts'
import { type Authorizer, compileAuthorizer } from './authorizer.ts'
import {
  type EffectivePoliciesOptions,
  effectivePolicies,
  type LinkLookup,
  type TokenLinks,
} from './effective-policies.ts'
import type { AuthorizerDefaults, CompiledInput, PolicySource } from './policy-source.ts'

export type ReadText = Pick<CompiledInput, 'ruleSet' | 'unreadable'>

/**
 * Parses a stored text leniently, because another version may have accepted it. If this also fails, the token can do
 * nothing.
 */
export function readText(text: string, dialect: PolicySource['dialect']): ReadText {
  if (text === '') return { ruleSet: EMPTY_RULE_SET }
  try {
    // Decisions do not use the warnings.
    return { ruleSet: { rules: parseRules(text, { dialect, lenient: true }).rules, warnings: [] } }
  } catch (error) {
    if (!(error instanceof AclError)) throw error
    return { ruleSet: EMPTY_RULE_SET, unreadable: error.message }
  }
}

/** The authorizer of one token, compiled for this call. A service caches compiled policies instead. */
export function authorizerOf(
  token: TokenLinks,
  lookup: LinkLookup,
  options: EffectivePoliciesOptions & AuthorizerDefaults,
): Authorizer {
  const inputs = effectivePolicies(token, lookup, options).map((source): CompiledInput => {
    const { text, dialect, ...rest } = source
    if (source.unreadable !== undefined) return { ...rest, ruleSet: EMPTY_RULE_SET }
    return { ...rest, ...readText(text, dialect) }
  })
  return compileAuthorizer(inputs, options)
}
