import { AclError, limits } from '@latchkey/contract'
import type { Authorizer, CompiledPolicies } from './authorizer.ts'
import { probeQuestions } from './probe-questions.ts'
import type { Question } from './question.ts'
import type { RuleSet } from './rule.ts'

/** What one token would gain and lose; at least one of both. */
export interface RightsChange<Token> {
  readonly token: Token
  readonly gains: readonly Question[]
  readonly losses: readonly Question[]
}

/**
 * Which tokens would gain or lose which rights, were the rules of one policy replaced. One token is looked at per
 * step, so a caller bounds the work by the tokens it passes, and pages by stopping. What is found out for one set of
 * policies serves all tokens that share it, also in later calls with the same comparison.
 *
 * @param authorizersOf a token's rights as they are and as they would be; undefined where the token does not have the
 *   policy, or does not count, as an expired one.
 */
export function* whatIf<Token>(
  tokens: Iterable<Token>,
  comparison: RightsComparison,
  authorizersOf: (token: Token) => { readonly before: Authorizer; readonly after: Authorizer } | undefined,
): Generator<RightsChange<Token>> {
  for (const token of tokens) {
    const authorizers = authorizersOf(token)
    const difference =
      authorizers && comparison.compare(authorizers.before.policies, authorizers.after.policies)
    if (difference !== undefined && difference.gains.length + difference.losses.length > 0) {
      yield { token, ...difference }
    }
  }
}

export interface Difference {
  readonly gains: readonly Question[]
  readonly losses: readonly Question[]
}

/**
 * Compares sets of policies, each pair once, by what rules that differ can change: their segments, and one name below
 * each prefix.
 */
export class RightsComparison {
  readonly #questions: readonly Question[]
  readonly #known = new WeakMap<CompiledPolicies, WeakMap<CompiledPolicies, Difference>>()
  readonly #workOfPair: number
  #workDone = 0

  /**
   * @param before the rules of one policy, as they are.
   * @param after as they would be: the field `Rules` of a request.
   * @throws AclError `batch_too_large` where they differ in more than can be asked about.
   */
  constructor(before: Pick<RuleSet, 'rules'>, after: Pick<RuleSet, 'rules'>) {
    this.#questions = probeQuestions(before, after)
    const count = this.#questions.length
    this.#workOfPair = 2 * count + before.rules.length + after.rules.length
    if (count > limits.WHAT_IF_QUESTIONS_MAX) {
      const message = `Rules differs from the rules of the policy in too much: to compare them takes ${count} questions, and one call asks at most ${limits.WHAT_IF_QUESTIONS_MAX}`
      throw new AclError('batch_too_large', message, { field: 'Rules' })
    }
  }

  /** How many decisions it has made so far, and rules had joined for them. */
  get workDone(): number {
    return this.#workDone
  }

  compare(before: CompiledPolicies, after: CompiledPolicies): Difference {
    const knownBefore = this.#known.get(before) ?? new WeakMap<CompiledPolicies, Difference>()
    this.#known.set(before, knownBefore)
    const known = knownBefore.get(after)
    if (known !== undefined) return known
    this.#workDone += this.#workOfPair
    const gains: Question[] = []
    const losses: Question[] = []
    for (const question of this.#questions) {
      const isAllowed = after.decide(question)
      if (before.decide(question) !== isAllowed) (isAllowed ? gains : losses).push(question)
    }
    const difference = { gains, losses }
    knownBefore.set(after, difference)
    return difference
  }
}
