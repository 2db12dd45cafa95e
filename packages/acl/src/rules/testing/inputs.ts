/** Builders for tests of decisions. */
import { type Authorizer, compileAuthorizer } from '../authorizer.ts'
import { parseRules } from '../parse-rules.ts'
import type { AuthorizerDefaults, CompiledInput } from '../policy-source.ts'
import type { RuleSet } from '../rule.ts'

/** A policy whose id and name are given; linked directly. */
export function anInput(rules: string | RuleSet, name = 'p'): CompiledInput {
  const ruleSet = typeof rules === 'string' ? parseRules(rules) : rules
  return { key: name, policyId: name, policyName: name, path: { via: 'policy' }, ruleSet }
}

/** The authorizer of policies with these texts, named p0, p1 … */
export function anAuthorizer(
  texts: readonly string[],
  defaultPolicy: AuthorizerDefaults['defaultPolicy'] = 'deny',
): Authorizer {
  return compileAuthorizer(
    texts.map((text, index) => anInput(text, `p${index}`)),
    { defaultPolicy },
  )
}
