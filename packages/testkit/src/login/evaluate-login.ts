import type { AuthMethodRecord, BindingRuleRecord, Directory, LoginEvaluation } from '@latchkey/acl'
import {
  attributesOf,
  beginEvaluation,
  concludeEvaluation,
  evaluateRule,
  prepareNamespaceRule,
  prepareRule,
} from '@latchkey/acl'

/** Evaluates a login at a method with the given rules, as the service does. */
export function evaluateLogin(
  method: AuthMethodRecord,
  records: readonly BindingRuleRecord[],
  claims: Readonly<Record<string, unknown>>,
  { directory, hasNamespaces = false }: { readonly directory: Directory; readonly hasNamespaces?: boolean },
): LoginEvaluation {
  const attributes = attributesOf(method)
  const namespaceRules = method.NamespaceRules.map((rule) => prepareNamespaceRule(rule, attributes))
  const begun = beginEvaluation({ method, namespaceRules }, claims, directory, hasNamespaces)
  const sorted = begun.fault ? [] : records.toSorted((a, b) => (a.ID < b.ID ? -1 : 1))
  const rules = sorted.map((rule) => evaluateRule(prepareRule(rule, attributes), begun))
  return concludeEvaluation(begun, rules)
}
