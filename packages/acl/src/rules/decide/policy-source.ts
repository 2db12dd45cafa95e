/** A rule text that applies to a token, and how the token has it. */
import type { RuleSet } from '../language/rule.ts'

/**
 * How a token has a policy. `role`: the role that links to it; `namespace`: the namespace whose defaults link to it;
 * both absent: linked directly.
 */
export interface GrantPath {
  readonly via: 'policy' | 'service-identity' | 'node-identity' | 'legacy-rules' | 'legacy-management'
  readonly identity?: string
  readonly role?: { readonly id: string; readonly name: string }
  readonly namespace?: string
}

export interface PolicySource {
  /** Equal keys mean equal rules: the record and its version, or the inputs of a generated text. */
  readonly key: string
  /** Empty for identities and legacy rules. */
  readonly policyId: string
  readonly policyName: string
  readonly path: GrantPath
  readonly text: string
  readonly dialect: 'current' | 'legacy'
  /** Why the text was not read; as in {@link CompiledInput}. */
  readonly unreadable?: string
}

/**
 * The order in which sources are compiled: by name, because ids are random. The same rule then explains a decision
 * wherever the same policies exist. Sources without a name, and policies with the same name in two namespaces, are
 * ordered by key.
 */
export function compareSources(a: PolicySource, b: PolicySource): number {
  if (a.policyName !== b.policyName) return a.policyName < b.policyName ? -1 : 1
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

export interface CompiledInput extends Omit<PolicySource, 'text' | 'dialect'> {
  readonly ruleSet: RuleSet
  /**
   * Why the stored text cannot be parsed. The text might deny anything, so everything is denied; in the reference,
   * every use of such a token fails.
   */
  readonly unreadable?: string
}

export type RuleOrigin = Omit<CompiledInput, 'ruleSet' | 'unreadable'>

export interface AuthorizerDefaults {
  readonly defaultPolicy: 'allow' | 'deny'
}
