/** Proves that a conversion preserves every decision: the policies are read and merged as a server does. */
import {
  accessesOf,
  authorizerOf,
  BLANK_TOKEN,
  compileAuthorizer,
  createPolicy,
  createRole,
  Directory,
  EMPTY_CONTENT,
  EMPTY_DIRECTORY,
  findRulesProblem,
  nodeIdentityRules,
  probeQuestions,
  type Question,
  type Rule,
  readText,
  SeededRandom,
  serviceIdentityRules,
} from '@latchkey/acl'
import { SCALAR_RESOURCES, SEGMENT_RESOURCES } from '@latchkey/contract'
import { readAsSource } from '../../rules/source-reading.ts'
import type { ConversionPlan } from '../files/plan-schema.ts'
import { isLeftOut } from '../identities.ts'
import { acceptedGroups, type Conversion } from '../make-conversion.ts'

export type ConversionProof = ConversionPlan['proof']

const DEFAULT_POLICIES = ['deny', 'allow'] as const
const DIFFERENCES_MAX = 20
const COMMON: readonly Question[] = [
  { resource: 'acl', access: 'read' },
  { resource: 'acl', access: 'write' },
  { resource: 'operator', access: 'read' },
  { resource: 'mesh', access: 'write' },
  { resource: 'key', access: 'write-prefix' },
  { resource: 'key', segment: 'latchkey/convert', access: 'read' },
  { resource: 'intention', segment: '*', access: 'read' },
  { resource: 'intention', segment: '*', access: 'write' },
]
const NOTHING = { rules: [] }
const LEGACY_SOURCE = { key: 'rules', policyId: '', policyName: '', path: { via: 'legacy-rules' } } as const
const DATACENTER = 'dc1'

/** @throws AclError if a service would refuse a policy or role because of its name, rules or links. */
export function proveConversion(
  conversion: Conversion,
  { questions, seed }: { readonly questions: number; readonly seed: number },
): ConversionProof {
  const random = new SeededRandom(seed)
  const directory = directoryOf(conversion, random)
  const rulesOf = new Map(
    conversion.policies.map(({ name, rules }) => [name, readText(rules, 'current').ruleSet.rules]),
  )
  const policiesOf = new Map(conversion.roles.map(({ name, policies }) => [name, policies]))
  const differences: ConversionProof['differences'][number][] = []
  const counts = { tokens: 0, texts: 0, probes: 0, random: 0, leftOut: 0, differenceCount: 0 }
  for (const group of acceptedGroups(conversion)) {
    counts.tokens += group.tokens.length
    const linked = [...group.policies, ...group.roles.flatMap((name) => policiesOf.get(name) ?? [])]
    const ofIdentities = [
      ...group.serviceIdentities.map(({ ServiceName }) => serviceIdentityRules(ServiceName)),
      ...group.nodeIdentities.map(({ NodeName }) => nodeIdentityRules(NodeName)),
    ].flatMap((text) => readText(text, 'current').ruleSet.rules)
    const granted = [...linked.flatMap((name) => rulesOf.get(name) ?? []), ...ofIdentities]
    const idsOf = (kind: 'policies' | 'roles') =>
      directory[kind].filter(({ Name }) => group[kind].includes(Name)).map(({ ID }) => ({ ID }))
    const token = {
      ...BLANK_TOKEN,
      Policies: idsOf('policies'),
      Roles: idsOf('roles'),
      ServiceIdentities: group.serviceIdentities,
      NodeIdentities: group.nodeIdentities,
    }
    const datacenter = group.nodeIdentities[0]?.Datacenter ?? DATACENTER
    const after = DEFAULT_POLICIES.map((defaultPolicy) =>
      authorizerOf(token, directory.lookup, { datacenter, defaultPolicy }),
    )
    for (const text of group.texts) {
      counts.texts += 1
      // A text that the source service refuses denies everything, which no policy equals.
      const rules = readAsSource(text)?.rules
      const unreadable = rules === undefined ? { unreadable: 'refused' } : {}
      const ruleSet = { rules: rules ?? [], warnings: [] }
      const before = DEFAULT_POLICIES.map((defaultPolicy) =>
        compileAuthorizer([{ ...LEGACY_SOURCE, ...unreadable, ruleSet }], { defaultPolicy }),
      )
      const probes = [
        ...COMMON,
        ...probeQuestions(ruleSet, NOTHING),
        ...probeQuestions(NOTHING, { rules: granted }),
      ]
      const near = [...ruleSet.rules, ...granted]
      const more = Array.from({ length: questions }, () => boundaryQuestion(random, near))
      counts.probes += probes.length
      counts.random += more.length
      for (const question of [...probes, ...more]) {
        for (const [i, defaultPolicy] of DEFAULT_POLICIES.entries()) {
          const was = before[i]?.decide(question) ?? false
          const is = after[i]?.decide(question) ?? false
          if (was === is) continue
          if (was && isLeftOut(group, question)) {
            counts.leftOut += 1
            continue
          }
          counts.differenceCount += 1
          const [first] = group.tokens
          if (differences.length < DIFFERENCES_MAX && first !== undefined) {
            const facts = { token: first, group: group.name, question, defaultPolicy }
            differences.push({ ...facts, before: was, after: is })
          }
        }
      }
    }
  }
  return { seed, ...counts, differences }
}

function directoryOf(conversion: Conversion, random: SeededRandom) {
  const context = { random, namespace: 'default' }
  const policies = conversion.policies.map(({ name, description, rules }) =>
    createPolicy(
      { Name: name, Description: description, Rules: rules },
      { ...context, directory: EMPTY_DIRECTORY, rulesProblem: findRulesProblem(rules) },
    ),
  )
  const directory = new Directory({ ...EMPTY_CONTENT, policies }, 0)
  const roles = conversion.roles.map(({ name, description, policies: linked }) =>
    createRole(
      { Name: name, Description: description, Policies: linked.map((Name) => ({ Name })) },
      { ...context, directory },
    ),
  )
  return { policies, roles, lookup: new Directory({ ...EMPTY_CONTENT, policies, roles }, 0) }
}

const LETTERS = ['a', 'z', '0', '-', '/', '_', '*', '"', ' ', 'é', '\u{ffff}'] as const

/** A random question near the boundaries of rules: their segments, with one letter removed, added or changed. */
function boundaryQuestion(random: SeededRandom, rules: readonly Pick<Rule, 'kind' | 'segment'>[]): Question {
  const near = rules.length > 0 ? random.pick(rules) : undefined
  if (near === undefined || random.chance(0.1)) {
    return { resource: random.pick(SCALAR_RESOURCES), access: random.pick(['read', 'write']) }
  }
  // Sometimes another kind of resource: a rule must not affect other kinds.
  const resource = random.chance(0.15)
    ? random.pick(SEGMENT_RESOURCES)
    : near.kind === 'service' && random.chance(0.4)
      ? 'intention'
      : (SEGMENT_RESOURCES.find((each) => each === near.kind) ?? random.pick(SCALAR_RESOURCES))
  if (SCALAR_RESOURCES.some((each) => each === resource)) {
    return { resource, access: random.pick(['read', 'write']) }
  }
  const segment = random.chance(0.05) ? '*' : beside(random, near.segment)
  return { resource, access: random.pick(accessesOf(resource)), ...(segment === '' ? {} : { segment }) }
}

function beside(random: SeededRandom, segment: string): string {
  switch (random.below(5)) {
    case 0:
      return segment
    case 1:
      return segment + random.pick(LETTERS)
    case 2:
      return segment.slice(0, -1)
    case 3:
      return segment.slice(0, -1) + random.pick(LETTERS)
    default:
      return segment.slice(0, random.below(segment.length + 1))
  }
}
