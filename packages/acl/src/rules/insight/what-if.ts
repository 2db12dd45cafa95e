import { AclError, limits } from '@latchkey/contract'
import { Pace, type Sliced } from '../../turns.ts'
import type { CompiledPolicies } from '../decide/authorizer.ts'
import type { Question } from '../decide/question.ts'
import type { RuleSet } from '../language/rule.ts'
import { findProbeQuestions } from './probe-questions.ts'

/** What one token, or all with one set of policies, would gain and lose. */
export interface Difference {
  readonly gains: readonly Question[]
  readonly losses: readonly Question[]
}

/** Two decisions. */
const STEPS_PER_QUESTION = 2

/**
 * Finds what to ask of two versions of a policy.
 *
 * @param before the rules of one policy, as they are.
 * @param after as they would be: the field `Rules` of a request.
 * @throws AclError `batch_too_large` where they differ in more than can be asked about.
 */
export function* rightsComparison(
  before: Pick<RuleSet, 'rules'>,
  after: Pick<RuleSet, 'rules'>,
): Sliced<RightsComparison> {
  const questions = yield* findProbeQuestions(before, after)
  const count = questions.length
  if (count > limits.WHAT_IF_QUESTIONS_MAX) {
    const message = `Rules differs from the rules of the policy in too much: to compare them takes ${count} questions, and one call asks at most ${limits.WHAT_IF_QUESTIONS_MAX}`
    throw new AclError('batch_too_large', message, { field: 'Rules' })
  }
  return new RightsComparison(questions)
}

/**
 * Compares sets of policies, each pair once, by what rules that differ can change: their segments, and one name below
 * each prefix.
 */
export class RightsComparison {
  private readonly questions: readonly Question[]
  private readonly known = new WeakMap<CompiledPolicies, WeakMap<CompiledPolicies, Difference>>()

  /** Made by {@link rightsComparison}. */
  constructor(questions: readonly Question[]) {
    this.questions = questions
  }

  *compare(before: CompiledPolicies, after: CompiledPolicies): Sliced<Difference> {
    const knownBefore = this.known.get(before) ?? new WeakMap<CompiledPolicies, Difference>()
    this.known.set(before, knownBefore)
    const known = knownBefore.get(after)
    if (known !== undefined) return known
    const pace = new Pace()
    const gains: Question[] = []
    const losses: Question[] = []
    for (const question of this.questions) {
      if (pace.isDue(STEPS_PER_QUESTION)) yield
      const isAllowed = after.decide(question)
      if (before.decide(question) !== isAllowed) (isAllowed ? gains : losses).push(question)
    }
    const difference = { gains, losses }
    knownBefore.set(after, difference)
    return difference
  }
}
