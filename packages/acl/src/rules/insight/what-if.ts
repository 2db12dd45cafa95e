import { AclError, limits, RESOURCE_KINDS } from '@latchkey/contract'
import type { CompiledPolicies } from '../decide/authorizer.ts'
import { PrefixIndex } from '../decide/prefix-index.ts'
import { type Access, accessesOf, type Question, type Resource } from '../decide/question.ts'
import { type Rule, type RuleSet, ruleKeyword } from '../language/rule.ts'

/** The rights that tokens with one set of policies would gain and lose. */
export interface Difference {
  readonly gains: readonly Question[]
  readonly losses: readonly Question[]
}

/** Compares sets of policies, each pair once, with the questions that the differing rules can affect. */
export class RightsComparison {
  private readonly questions: readonly Question[]
  private readonly known = new Map<CompiledPolicies, Map<CompiledPolicies, Difference>>()

  /**
   * @param before the current rules of the policy.
   * @param after the proposed rules: the field `Rules` of a request.
   */
  constructor(before: Pick<RuleSet, 'rules'>, after: Pick<RuleSet, 'rules'>) {
    this.questions = probeQuestions(before, after)
    const { WHAT_IF_QUESTIONS_MAX: max } = limits
    if (this.size <= max) return
    const message = `Rules differs too much from the rules of the policy: the comparison takes ${this.size} questions, at most ${max} are allowed`
    throw new AclError('batch_too_large', message, { field: 'Rules' })
  }

  get size(): number {
    return this.questions.length
  }

  compare(before: CompiledPolicies, after: CompiledPolicies): Difference {
    const knownBefore = this.known.get(before) ?? new Map<CompiledPolicies, Difference>()
    this.known.set(before, knownBefore)
    const known = knownBefore.get(after)
    if (known !== undefined) return known
    const gains: Question[] = []
    const losses: Question[] = []
    for (const question of this.questions) {
      const isAllowed = after.decide(question)
      if (before.decide(question) !== isAllowed) (isAllowed ? gains : losses).push(question)
    }
    const difference = { gains, losses }
    knownBefore.set(after, difference)
    return difference
  }
}

/** Suffixes for a name below a prefix. The first one that no rule uses is chosen. */
const PROBES = ['other', ...'abcdefghijklmnpqrstuvwxyz0123456789']
const FIRST_SPARE_LETTER = 0x100

/**
 * Builds questions about every rule that only one of the sets has: about its segment and, for a prefix, about a longer
 * name that neither set contains. For a key rule, also whether everything below each named prefix of its segment may be
 * written. Each question occurs once, in the order of the rules.
 */
export function probeQuestions(before: Rules, after: Rules): Question[] {
  const segmentRules = [...before.rules, ...after.rules].filter((rule) => rule.match !== 'scalar')
  const segments = new Set(segmentRules.map((rule) => rule.segment))
  const named: NamedSegments = new PrefixIndex([...segments].map((segment) => ({ segment })))
  const questions = new Map<string, Question>()
  const ask = (resource: Resource, segment: string, access: Access) => {
    const question = segment === '' ? { resource, access } : { resource, segment, access }
    questions.set(JSON.stringify([resource, segment, access]), question)
  }
  const around = new Set<string>()
  for (const rule of [...withoutThoseOf(before, after), ...withoutThoseOf(after, before)]) {
    for (const resource of resourcesOf(rule)) {
      for (const segment of probesOf(rule, resource, named)) {
        for (const access of accessesOf(resource)) ask(resource, segment, access)
      }
    }
    if (rule.kind !== 'key') continue
    // The named segments that are prefixes of this one; those of an earlier one were already covered with it.
    let rest: string | undefined = rule.segment
    while (rest) {
      rest = named.longestPrefixOf(rest.slice(0, -1))?.segment
      if (rest === undefined || around.has(rest)) break
      around.add(rest)
      ask('key', rest, 'write-prefix')
    }
  }
  return [...questions.values()]
}

type Rules = Pick<RuleSet, 'rules'>

function withoutThoseOf({ rules }: Rules, others: Rules): Rule[] {
  const known = new Set(others.rules.map(meaningOf))
  return rules.filter((rule) => !known.has(meaningOf(rule)))
}

function meaningOf(rule: Rule): string {
  return JSON.stringify([ruleKeyword(rule), rule.segment, rule.level, rule.intentions])
}

/**
 * The resources that a rule affects: service rules also affect intentions, operator rules the kinds that follow
 * operator.
 */
function resourcesOf({ kind }: Rule): readonly Resource[] {
  const others = Object.entries(RESOURCE_KINDS).filter(
    ([, row]) => ('rule' in row && row.rule === kind) || ('follows' in row && row.follows === kind),
  )
  return [kind, ...others.map(([other]) => other as Resource)]
}

function probesOf(rule: Rule, resource: Resource, named: NamedSegments): readonly string[] {
  if (rule.match === 'scalar') return ['']
  const names = rule.match === 'exact' ? [rule.segment] : [rule.segment, unnamedBelow(rule.segment, named)]
  return resource === 'intention' ? [...names, '*'] : names
}

type NamedSegments = PrefixIndex<{ readonly segment: string }>

/** A name that extends a prefix by a character that no named segment has at this position. */
function unnamedBelow(prefix: string, named: NamedSegments): string {
  const isFree = (probe: string) => named.firstStartingWith(prefix + probe.charAt(0)) === undefined
  const probe = PROBES.find(isFree)
  if (probe !== undefined) return prefix + probe
  let letter = FIRST_SPARE_LETTER
  while (!isFree(String.fromCharCode(letter))) letter++
  return prefix + String.fromCharCode(letter)
}
