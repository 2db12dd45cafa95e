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

export interface MergedRule {
  readonly segment: string
  readonly match: RuleMatch
  readonly level: RuleLevel
  readonly rank: number
  /** The first rule with this level, in the order of the inputs. */
  readonly rule: Rule
  readonly origin: RuleOrigin
}

export interface MergedResource {
  readonly exact: Map<string, MergedRule>
  readonly prefix: Map<string, MergedRule>
}

export interface MergedRules {
  readonly scalars: ReadonlyMap<RuleKind, MergedRule>
  /** By kind; intentions, which derive from service rules, under `intention`. */
  readonly resources: ReadonlyMap<RuleKind | 'intention', MergedResource>
}

export function mergePolicies(inputs: readonly CompiledInput[]): MergedRules {
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
