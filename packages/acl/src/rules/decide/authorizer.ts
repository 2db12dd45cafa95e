/** Compiled rules, which decide checks and explain decisions. Decisions: rule language. */
import { isScalar, RESOURCE_KINDS, type SegmentResource } from '@latchkey/contract'
import type { RuleKind, RuleLevel, RuleMatch } from '../language/rule.ts'
import { type MergedRule, type MergedRules, mergePolicies } from './merge-rules.ts'
import type { AuthorizerDefaults, CompiledInput, GrantPath } from './policy-source.ts'
import type { Access, Question } from './question.ts'
import { MERGED_RULE_BYTES, ResourceRules } from './resource-rules.ts'

/** A decision and its reason. */
export interface DecisionExplanation {
  readonly allow: boolean
  /** Absent if the default policy decided. */
  readonly rule?: {
    readonly policyId: string
    readonly policyName: string
    readonly kind: RuleKind
    readonly match: RuleMatch
    readonly segment: string
    /** For intentions, the level that the service rule implies. */
    readonly level: RuleLevel
    readonly line: number
  }
  /** How the token has the deciding rule, or that the default policy decided, or that a rule text is unreadable. */
  readonly path:
    | GrantPath
    | { readonly via: 'default' }
    | { readonly via: 'unreadable'; readonly reason: string }
  /** Set on a denial: what the token would need. */
  readonly missing?: Question
}

/** Memory of a set without rules: its objects and cache entry. */
const COMPILED_BYTES = 1_500

/** The compiled rules of one set of policies, shared by every token with that set. */
export class CompiledPolicies {
  readonly aclRead: boolean
  readonly aclWrite: boolean
  readonly defaultAllow: boolean
  /** Approximate memory. */
  readonly bytes: number
  /** Why a rule text of the set is unreadable; if present, everything is denied. */
  readonly unreadable: string | undefined
  private readonly scalars: MergedRules['scalars']
  private readonly resources: ReadonlyMap<string, ResourceRules>

  /** @param inputs the order does not affect decisions; among rules that decide alike, the first is the explanation. */
  constructor(inputs: readonly CompiledInput[], { defaultPolicy }: AuthorizerDefaults) {
    const { scalars, resources } = mergePolicies(inputs)
    this.scalars = scalars
    this.resources = new Map([...resources].map(([kind, rules]) => [kind, new ResourceRules(rules)]))
    this.defaultAllow = defaultPolicy === 'allow'
    this.unreadable = inputs.find((input) => input.unreadable !== undefined)?.unreadable
    const bytes = COMPILED_BYTES + scalars.size * MERGED_RULE_BYTES
    this.bytes = [...this.resources.values()].reduce((sum, rules) => sum + rules.bytes, bytes)
    this.aclRead = this.decide({ resource: 'acl', access: 'read' })
    this.aclWrite = this.decide({ resource: 'acl', access: 'write' })
  }

  decide(question: Question): boolean {
    if (this.unreadable !== undefined) return false
    const rule = this.decidingRule(question)
    if (rule !== undefined) return grants(rule.level, question.access)
    // The default policy never grants acl rights.
    return this.defaultAllow && question.resource !== 'acl'
  }

  /**
   * Whether the rules allow reading any possible key with this prefix. If not, the stored keys need not be examined.
   */
  mayReadBelow(prefix: string): boolean {
    if (this.unreadable !== undefined) return false
    const rule = this.resources.get('key')?.ruleForReadingBelow(prefix)
    return rule === undefined ? this.defaultAllow : rule.level !== 'deny'
  }

  /** Whether the rules allow reading anything of a kind. */
  mayReadAny(resource: SegmentResource): boolean {
    if (this.unreadable !== undefined) return false
    const rule = this.resources.get(resource)?.readAny
    return rule === undefined ? this.defaultAllow : grants(rule.level, 'read')
  }

  /** Whether the rules allow writing anything of a kind. If not, the records in a request need not be examined. */
  mayWriteAny(resource: SegmentResource): boolean {
    if (this.unreadable !== undefined) return false
    return this.defaultAllow || this.resources.get(resource)?.grantsWrite === true
  }

  /** The rule that decides, whether it grants or denies; undefined if the default policy decides. */
  decidingRule({ resource, segment = '', access }: Question): MergedRule | undefined {
    if (isScalar(resource)) {
      const own = this.scalars.get(resource)
      const kind = RESOURCE_KINDS[resource]
      return own === undefined && 'follows' in kind ? this.scalars.get(kind.follows) : own
    }
    const rules = this.resources.get(resource)
    if (resource === 'intention' && segment === '*')
      return access === 'read' ? rules?.readAny : rules?.writeAll
    return access === 'write-prefix' ? rules?.ruleForWritingBelow(segment) : rules?.ruleFor(segment)
  }
}

/** One token's rights: the compiled policies, and how the token has each of them. */
export class Authorizer {
  /** Precomputed, because nearly every request needs it. */
  readonly aclRead: boolean
  readonly aclWrite: boolean
  readonly policies: CompiledPolicies
  private readonly findPaths: () => GrantPaths
  private paths: GrantPaths | undefined

  /** @param findPaths finds how the token has each source; run once, and only for explanations. */
  constructor(compiled: CompiledPolicies, findPaths: () => GrantPaths) {
    this.aclRead = compiled.aclRead
    this.aclWrite = compiled.aclWrite
    this.policies = compiled
    this.findPaths = findPaths
  }

  decide(question: Question): boolean {
    return this.policies.decide(question)
  }

  /** Like {@link Authorizer.decide}, with the reason. */
  explain(question: Question): DecisionExplanation {
    const allow = this.decide(question)
    const missing = allow ? {} : { missing: question }
    const { unreadable } = this.policies
    if (unreadable !== undefined) {
      return { allow, path: { via: 'unreadable', reason: unreadable }, ...missing }
    }
    const merged = this.policies.decidingRule(question)
    if (merged === undefined) return { allow, path: { via: 'default' }, ...missing }
    const { rule, origin, level } = merged
    const { policyId, policyName } = origin
    const { kind, match, segment, line } = rule
    this.paths ??= this.findPaths()
    return {
      allow,
      rule: { policyId, policyName, kind, match, segment, level, line },
      path: this.paths.get(origin.key) ?? origin.path,
      ...missing,
    }
  }
}

/** Compiles the rules that act on a token. */
export function compileAuthorizer(
  inputs: readonly CompiledInput[],
  defaults: AuthorizerDefaults,
): Authorizer {
  return new Authorizer(new CompiledPolicies(inputs, defaults), () => pathsOf(inputs))
}

/** Keyed by source. */
type GrantPaths = ReadonlyMap<string, GrantPath>

/** Finds how a token has each source: the first path if there are several. */
export function pathsOf(sources: readonly { readonly key: string; readonly path: GrantPath }[]): GrantPaths {
  const paths = new Map<string, GrantPath>()
  for (const { key, path } of sources) {
    if (!paths.has(key)) paths.set(key, path)
  }
  return paths
}

/** The accesses that each level includes. */
const GRANTED: Readonly<Record<RuleLevel, readonly Access[]>> = {
  write: ['read', 'list', 'write', 'write-prefix'],
  list: ['read', 'list'],
  read: ['read'],
  deny: [],
}

function grants(level: RuleLevel, access: Access): boolean {
  return GRANTED[level].includes(access)
}
