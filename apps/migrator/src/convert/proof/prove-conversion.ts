/**
 * Proves that a conversion preserves every decision: compares the legacy rules of each token with the proposed policies,
 * which are parsed from the written texts and merged through the token's links as the server merges them.
 */
import {
  BLANK_TOKEN,
  type CompiledInput,
  compileAuthorizer,
  createPolicy,
  createRole,
  Directory,
  EMPTY_CONTENT,
  EMPTY_DIRECTORY,
  effectivePolicies,
  findRulesProblem,
  fromLegacyToken,
  type PolicyRecord,
  probeQuestions,
  type Question,
  type ReadText,
  type RoleRecord,
  readText,
  SeededRandom,
  type TokenRecord,
} from '@latchkey/acl'
import { acceptedGroups, type Conversion, type TokenGroup } from '../conversion.ts'
import type { ConversionPlan } from '../files/plan-schema.ts'
import { boundaryQuestion } from './boundary-questions.ts'

export type ConversionProof = ConversionPlan['proof']
type DecisionDifference = ConversionProof['differences'][number]

interface ProofOptions {
  /** Random questions for each rule text. */
  readonly questions: number
  readonly seed: number
}

const DEFAULT_POLICIES = ['deny', 'allow'] as const
/** Maximum number of differences to name. */
const DIFFERENCES_MAX = 20
/** Questions for every text, besides those derived from its rules. */
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

/**
 * @throws AclError if a service would refuse a policy or role because of its name, rules or links.
 */
export function proveConversion(conversion: Conversion, { questions, seed }: ProofOptions): ConversionProof {
  const random = new SeededRandom(seed)
  const service = new ProposedService(conversion, random)
  const differences: DecisionDifference[] = []
  const counts = { tokens: 0, texts: 0, probes: 0, random: 0, differences: 0 }
  for (const group of acceptedGroups(conversion)) {
    counts.tokens += group.tokens.length
    const after = DEFAULT_POLICIES.map((defaultPolicy) =>
      service.authorizerOf(service.token(group), defaultPolicy),
    )
    const ruleSet = service.rulesOf(service.token(group))
    for (const text of group.texts) {
      counts.texts += 1
      const legacy = fromLegacyToken({ ...BLANK_LEGACY, Rules: text })
      const before = DEFAULT_POLICIES.map((defaultPolicy) => service.authorizerOf(legacy, defaultPolicy))
      const rules = service.rulesOf(legacy)
      const probes = [
        ...COMMON,
        ...probeQuestions({ rules }, NOTHING),
        ...probeQuestions(NOTHING, { rules: ruleSet }),
      ]
      const near = [...rules, ...ruleSet]
      const more = Array.from({ length: questions }, () => boundaryQuestion(random, near))
      counts.probes += probes.length
      counts.random += more.length
      for (const question of [...probes, ...more]) {
        for (const [i, defaultPolicy] of DEFAULT_POLICIES.entries()) {
          const was = before[i]?.decide(question) ?? false
          const is = after[i]?.decide(question) ?? false
          if (was === is) continue
          counts.differences += 1
          const [token] = group.tokens
          if (differences.length < DIFFERENCES_MAX && token !== undefined) {
            differences.push({ token, group: group.name, question, defaultPolicy, before: was, after: is })
          }
        }
      }
    }
  }
  const { differences: differenceCount, ...rest } = counts
  return { seed, ...rest, differenceCount, differences }
}

const NOTHING = { rules: [] }
const BLANK_LEGACY = { ID: 'proof', Name: '', Type: 'client', CreateIndex: 0, ModifyIndex: 0 } as const
const NAMESPACE = 'default'
const DATACENTER = 'dc1'

/** A directory with the proposed policies and roles, created under the rules of the service. */
class ProposedService {
  private readonly directory: Directory
  private readonly policies: readonly PolicyRecord[]
  private readonly roles: readonly RoleRecord[]
  /** Parsed policies, cached because many groups may share them. */
  private readonly read = new Map<string, ReadText>()

  constructor({ policies, roles }: Conversion, random: SeededRandom) {
    const context = { random, namespace: NAMESPACE }
    this.policies = policies.map(({ name, description, rules }) =>
      createPolicy(
        { Name: name, Description: description, Rules: rules },
        { ...context, directory: EMPTY_DIRECTORY, rulesProblem: findRulesProblem(rules) },
      ),
    )
    const directory = new Directory({ ...EMPTY_CONTENT, policies: this.policies }, 0)
    this.roles = roles.map(({ name, description, policies: linked }) =>
      createRole(
        {
          Name: name,
          Description: description,
          Policies: linked.map((Name) => ({ Name })),
        },
        { ...context, directory },
      ),
    )
    this.directory = new Directory({ ...EMPTY_CONTENT, policies: this.policies, roles: this.roles }, 0)
  }

  /** A token with the links of a group. */
  token({ policies, roles }: TokenGroup): TokenRecord {
    const idsOf = (
      records: readonly { readonly ID: string; readonly Name: string }[],
      names: readonly string[],
    ) => names.flatMap((name) => records.filter(({ Name }) => Name === name).map(({ ID }) => ({ ID })))
    return {
      ...BLANK_TOKEN,
      Policies: idsOf(this.policies, policies),
      Roles: idsOf(this.roles, roles),
    }
  }

  authorizerOf(token: TokenRecord, defaultPolicy: 'allow' | 'deny') {
    return compileAuthorizer(this.inputsOf(token), { defaultPolicy })
  }

  rulesOf(token: TokenRecord) {
    return this.inputsOf(token).flatMap(({ ruleSet }) => ruleSet.rules)
  }

  private inputsOf(token: TokenRecord): CompiledInput[] {
    return effectivePolicies(token, this.directory, { datacenter: DATACENTER }).map(
      ({ text, dialect, ...rest }) => ({ ...rest, ...this.readOnce(text, dialect) }),
    )
  }

  private readOnce(text: string, dialect: 'current' | 'legacy'): ReadText {
    if (dialect === 'legacy') return readText(text, dialect)
    const known = this.read.get(text) ?? readText(text, dialect)
    this.read.set(text, known)
    return known
  }
}
