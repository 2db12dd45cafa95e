/** Merges the rules of several policies: the strongest level wins per kind, match and segment. */
import {
  type GivenLevel,
  MERGE_RANK,
  type Rule,
  type RuleKind,
  type RuleLevel,
  type RuleMatch,
} from '../language/rule.ts'
import type { CompiledInput, RuleOrigin } from './policy-source.ts'

/** The winning rule of one kind, match and segment. */
export interface MergedRule {
  readonly segment: string
  readonly match: RuleMatch
  readonly level: RuleLevel
  readonly rank: number
  /** The first rule with this level, in the order of the inputs. */
  readonly rule: Rule
  readonly origin: RuleOrigin
}

/** Merged rules of one resource. */
export interface MergedResource {
  readonly exact: ReadonlyMap<string, MergedRule>
  readonly prefix: ReadonlyMap<string, MergedRule>
}

export interface MergedRules {
  readonly scalars: ReadonlyMap<RuleKind, MergedRule>
  /** By kind; intentions, which derive from service rules, under `intention`. */
  readonly resources: ReadonlyMap<RuleKind | 'intention', MergedResource>
}

interface MutableResource {
  readonly exact: Map<string, MergedRule>
  readonly prefix: Map<string, MergedRule>
}

export function mergePolicies(inputs: readonly CompiledInput[]): MergedRules {
  const scalars = new Map<RuleKind, MergedRule>()
  const resources = new Map<RuleKind | 'intention', MutableResource>()
  const explicitIntentions: MutableResource = { exact: new Map(), prefix: new Map() }
  for (const input of inputs) {
    const origin = originOf(input)
    for (const rule of input.ruleSet.rules) {
      if (rule.match === 'scalar') {
        keepStronger(scalars, rule.kind, rule, rule.level, origin)
        continue
      }
      keepStronger(resourceOf(resources, rule.kind)[rule.match], rule.segment, rule, rule.level, origin)
      if (rule.intentions !== undefined) {
        keepStronger(explicitIntentions[rule.match], rule.segment, rule, rule.intentions, origin)
      }
    }
  }
  const services = resources.get('service')
  if (services !== undefined) resources.set('intention', intentionsOf(services, explicitIntentions))
  return { scalars, resources }
}

/** Drops the rule set, because merging discards most of it. */
function originOf({ key, policyId, policyName, path }: CompiledInput): RuleOrigin {
  return { key, policyId, policyName, path }
}

function resourceOf(
  resources: Map<RuleKind | 'intention', MutableResource>,
  kind: RuleKind,
): MutableResource {
  const existing = resources.get(kind)
  if (existing !== undefined) return existing
  const created: MutableResource = { exact: new Map(), prefix: new Map() }
  resources.set(kind, created)
  return created
}

function keepStronger<Key>(
  rules: Map<Key, MergedRule>,
  key: Key,
  rule: Rule,
  given: GivenLevel,
  origin: RuleOrigin,
): void {
  const rank = MERGE_RANK[given]
  const existing = rules.get(key)
  if (existing !== undefined && existing.rank >= rank) return
  const level = given === 'none' ? 'deny' : given
  rules.set(key, { segment: rule.segment, match: rule.match, level, rank, rule, origin })
}

/** The level for intentions: the explicit level, otherwise derived from the merged service level. */
function intentionsOf(services: MutableResource, explicit: MutableResource): MutableResource {
  const derive = (from: ReadonlyMap<string, MergedRule>, over: ReadonlyMap<string, MergedRule>) =>
    new Map([...from].map(([segment, merged]) => [segment, over.get(segment) ?? withIntentionLevel(merged)]))
  return {
    exact: derive(services.exact, explicit.exact),
    prefix: derive(services.prefix, explicit.prefix),
  }
}

function withIntentionLevel(service: MergedRule): MergedRule {
  return { ...service, level: service.level === 'deny' ? 'deny' : 'read' }
}
