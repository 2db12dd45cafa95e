import { AclError, limits } from '@latchkey/contract'
import type { CompiledPolicies } from '../decide/authorizer.ts'
import type { Question } from '../decide/question.ts'
import type { RuleSet } from '../language/rule.ts'
import { probeQuestions } from './probe-questions.ts'

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
   * @throws AclError `batch_too_large` if they differ in too many rules.
   */
  constructor(before: Pick<RuleSet, 'rules'>, after: Pick<RuleSet, 'rules'>) {
    this.questions = probeQuestions(before, after)
    const { WHAT_IF_QUESTIONS_MAX: max } = limits
    if (this.size <= max) return
    const message = `Rules differs too much from the rules of the policy: the comparison takes ${this.size} questions, at most ${max} are allowed`
    throw new AclError('batch_too_large', message, { field: 'Rules' })
  }

  /** Number of questions. */
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
