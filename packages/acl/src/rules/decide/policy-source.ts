/** A rule text that acts on a token, and how the token has it. */
import type { RuleSet } from '../language/rule.ts'

/**
 * How a token has a policy.
 * `role`: the role that carries it; `namespace`: the namespace whose defaults carry it; both absent: linked directly.
 */
export interface GrantPath {
  readonly via: 'policy' | 'service-identity' | 'node-identity' | 'legacy-rules' | 'legacy-management'
  /** Name of the service or node of an identity. */
  readonly identity?: string
  readonly role?: { readonly id: string; readonly name: string }
  readonly namespace?: string
}

/** One text with all that a decision depends on. */
export interface PolicySource {
  /** Equal keys mean equal rules: record and version, or what generated text is made of. */
  readonly key: string
  /** Empty for texts that are no policy: identities and legacy rules. */
  readonly policyId: string
  readonly policyName: string
  readonly path: GrantPath
  readonly text: string
  readonly dialect: 'current' | 'legacy'
  /** Set where no text was looked at, and why: as in {@link CompiledInput}. */
  readonly unreadable?: string
}

/** A source, read. */
export interface CompiledInput extends Omit<PolicySource, 'text' | 'dialect'> {
  readonly ruleSet: RuleSet
  /**
   * Set where the stored text cannot be read: why. It might deny anything, so everything is denied; in the reference,
   * every use of such a token fails.
   */
  readonly unreadable?: string
}

/** Which source a rule is of. */
export type RuleOrigin = Omit<CompiledInput, 'ruleSet' | 'unreadable'>

/** What decides where no rule does. */
export interface AuthorizerDefaults {
  readonly defaultPolicy: 'allow' | 'deny'
}
