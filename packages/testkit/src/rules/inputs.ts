/** Builders for tests of decisions. */

import type { AuthorizerDefaults, CompiledInput, RuleSet } from '@latchkey/acl'
import { type Authorizer, compileAuthorizer, parseRules } from '@latchkey/acl'

/** A directly linked policy, with the same text as id and name. */
export function anInput(rules: string | RuleSet, name = 'p'): CompiledInput {
  const ruleSet = typeof rules === 'string' ? parseRules(rules) : rules
  return { key: name, policyId: name, policyName: name, path: { via: 'policy' }, ruleSet }
}

/** The authorizer of policies with these rule texts, named p0, p1 … */
export function anAuthorizer(
  texts: readonly string[],
  defaultPolicy: AuthorizerDefaults['defaultPolicy'] = 'deny',
): Authorizer {
  return compileAuthorizer(
    texts.map((text, index) => anInput(text, `p${index}`)),
    { defaultPolicy },
  )
}
