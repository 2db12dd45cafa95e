/** Compiled rules, which decide checks and explain decisions. Decisions: rule language. */

import { isScalar, RESOURCE_KINDS, type SegmentResource } from '@latchkey/contract'
import {
  type GivenLevel,
  MERGE_RANK,
  type Rule,
  type RuleKind,
  type RuleLevel,
  type RuleMatch,
} from '../language/rule.ts'
import type { AuthorizerDefaults, CompiledInput, GrantPath, RuleOrigin } from './policy-source.ts'
import { PrefixIndex } from './prefix-index.ts'
import type { Access, Question } from './question.ts'

interface MergedRule {
  readonly segment: string
  readonly match: RuleMatch
  readonly level: RuleLevel
  readonly rank: number
  /** The first rule with this level, in the order of the inputs. */
  readonly rule: Rule
  readonly origin: RuleOrigin
}

interface MergedResource {
  readonly exact: Map<string, MergedRule>
  readonly prefix: Map<string, MergedRule>
}

interface MergedRules {
  readonly scalars: ReadonlyMap<RuleKind, MergedRule>
  /** By kind; intentions, which derive from service rules, under `intention`. */
  readonly resources: ReadonlyMap<RuleKind | 'intention', MergedResource>
}

function mergePolicies(inputs: readonly CompiledInput[]): MergedRules {
  const scalars = new Map<RuleKind, MergedRule>()
  const resources = new Map<RuleKind | 'intention', MergedResource>()
  const explicitIntentions: MergedResource = { exact: new Map(), prefix: new Map() }
  // An origin lacks the rule set, because merging discards most of it.
  for (const { ruleSet, unreadable: _, ...origin } of inputs) {
    for (const rule of ruleSet.rules) {
      const { kind, match, segment, level, intentions } = rule
      if (match === 'scalar') {
        keepStronger(scalars, kind, { rule, origin }, level)
        continue
      }
      const resource = resources.get(kind) ?? { exact: new Map(), prefix: new Map() }
      resources.set(kind, resource)
      keepStronger(resource[match], segment, { rule, origin }, level)
      if (intentions !== undefined) {
        keepStronger(explicitIntentions[match], segment, { rule, origin }, intentions)
      }
    }
  }
  const services = resources.get('service')
  if (services !== undefined) resources.set('intention', intentionsOf(services, explicitIntentions))
  return { scalars, resources }
}

function keepStronger<Key>(
  rules: Map<Key, MergedRule>,
  key: Key,
  { rule, origin }: Pick<MergedRule, 'rule' | 'origin'>,
  given: GivenLevel,
): void {
  const rank = MERGE_RANK[given]
  const existing = rules.get(key)
  if (existing !== undefined && existing.rank >= rank) return
  const level = given === 'none' ? 'deny' : given
  rules.set(key, { segment: rule.segment, match: rule.match, level, rank, rule, origin })
}

/** The level for intentions: the explicit level, otherwise derived from the merged service level. */
function intentionsOf(services: MergedResource, explicit: MergedResource): MergedResource {
  const derive = (from: ReadonlyMap<string, MergedRule>, over: ReadonlyMap<string, MergedRule>) =>
    new Map([...from].map(([segment, merged]) => [segment, over.get(segment) ?? withIntentionLevel(merged)]))
  return { exact: derive(services.exact, explicit.exact), prefix: derive(services.prefix, explicit.prefix) }
}

function withIntentionLevel(service: MergedRule): MergedRule {
  return { ...service, level: service.level === 'deny' ? 'deny' : 'read' }
}

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

export function compileAuthorizer(
  inputs: readonly CompiledInput[],
  defaults: AuthorizerDefaults,
): Authorizer {
  return new Authorizer(new CompiledPolicies(inputs, defaults), () => pathsOf(inputs))
}

type GrantPaths = ReadonlyMap<string, GrantPath>

/** Finds how a token has each source: the first path if there are several. */
export function pathsOf(sources: readonly { readonly key: string; readonly path: GrantPath }[]): GrantPaths {
  const paths = new Map<string, GrantPath>()
  for (const { key, path } of sources) {
    if (!paths.has(key)) paths.set(key, path)
  }
  return paths
}

const GRANTED: Readonly<Record<RuleLevel, readonly Access[]>> = {
  write: ['read', 'list', 'write', 'write-prefix'],
  list: ['read', 'list'],
  read: ['read'],
  deny: [],
}

function grants(level: RuleLevel, access: Access): boolean {
  return GRANTED[level].includes(access)
}

/** Measured memory of a merged rule, including its source rule and index entries. */
const MERGED_RULE_BYTES = 300

class ResourceRules {
  readonly bytes: number
  readonly grantsWrite: boolean
  /** The rule for reading intentions of any service (`*`): one that grants it, otherwise the catch-all that denies it. */
  readonly readAny: MergedRule | undefined
  /** The rule for writing intentions of all services (`*`): one that denies it, otherwise the catch-all that grants it. */
  readonly writeAll: MergedRule | undefined
  private readonly exact: ReadonlyMap<string, MergedRule>
  private readonly prefixes: PrefixIndex<MergedRule>
  /** Exact and prefix rules that grant less than write, for questions about all names below a path. */
  private readonly notWritable: PrefixIndex<MergedRule>
  private readonly readable: PrefixIndex<MergedRule>

  constructor({ exact, prefix }: MergedResource) {
    const all = [...prefix.values(), ...exact.values()]
    const notWritable = all.filter(({ level }) => level !== 'write')
    const readable = all.filter(({ level }) => level !== 'deny')
    const everything = prefix.get('')
    this.bytes = all.reduce((bytes, { segment }) => bytes + MERGED_RULE_BYTES + segment.length, 0)
    this.grantsWrite = notWritable.length < all.length
    this.readAny = firstOf(readable, everything)
    this.writeAll = firstOf(notWritable, everything)
    this.exact = exact
    this.prefixes = new PrefixIndex([...prefix.values()])
    this.notWritable = new PrefixIndex(distinct(notWritable))
    this.readable = new PrefixIndex(distinct(readable))
  }

  /** The rule for one name: the exact rule, otherwise the longest prefix, otherwise none. */
  ruleFor(segment: string): MergedRule | undefined {
    return this.exact.get(segment) ?? this.prefixes.longestPrefixOf(segment)
  }

  /**
   * The rule that decides whether all names below a path may be written: any rule at or below the path that does not
   * grant write, which a rule for the path cannot change; otherwise the longest prefix of the path.
   */
  ruleForWritingBelow(path: string): MergedRule | undefined {
    return this.notWritable.firstStartingWith(path) ?? this.prefixes.longestPrefixOf(path)
  }

  /**
   * The rule that decides whether any name below a path may be read: the longest prefix of the path if it grants read,
   * otherwise any rule at or below the path that does, otherwise the prefix.
   */
  ruleForReadingBelow(path: string): MergedRule | undefined {
    const covering = this.prefixes.longestPrefixOf(path)
    if (covering !== undefined && covering.level !== 'deny') return covering
    return this.readable.firstStartingWith(path) ?? covering
  }
}

/** The catch-all if it is among the rules, otherwise the first rule, otherwise the catch-all. */
function firstOf(rules: readonly MergedRule[], everything: MergedRule | undefined): MergedRule | undefined {
  return everything !== undefined && rules.includes(everything) ? everything : (rules[0] ?? everything)
}

/** Keeps one rule per segment: the exact and the prefix rule for one name give the same answer. */
function distinct(rules: readonly MergedRule[]): readonly MergedRule[] {
  const bySegment = new Map<string, MergedRule>()
  for (const rule of rules) if (!bySegment.has(rule.segment)) bySegment.set(rule.segment, rule)
  return [...bySegment.values()]
}
