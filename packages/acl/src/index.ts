export {
  type HashedPolicy,
  type HashedRole,
  type HashedToken,
  policyHash,
  roleHash,
  tokenHash,
} from './hash.ts'
export { Authorizer, compileAuthorizer, type DecisionExplanation } from './rules/authorizer.ts'
export {
  type AuthorizerCache,
  type AuthorizerCacheOptions,
  createAuthorizerCache,
} from './rules/authorizer-cache.ts'
export {
  type EffectivePoliciesOptions,
  effectivePolicies,
  type LinkLookup,
  type TokenLinks,
} from './rules/effective-policies.ts'
export { globalManagementRules, nodeIdentityRules, serviceIdentityRules } from './rules/generated-rules.ts'
export { type ParseRulesOptions, parseLegacyRules, parseRules } from './rules/parse-rules.ts'
export type { AuthorizerDefaults, CompiledInput, GrantPath, PolicySource } from './rules/policy-source.ts'
export { printRules } from './rules/print-rules.ts'
export { type Access, accessesOf, parseQuestion, type Question, type Resource } from './rules/question.ts'
export type { Rule, RuleKind, RuleLevel, RuleMatch, RuleSet, RuleWarning } from './rules/rule.ts'
