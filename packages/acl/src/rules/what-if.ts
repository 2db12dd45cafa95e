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

/** The rules of one policy, as they are and as they would be. */
export interface RulesReplacement {
  readonly before: Pick<RuleSet, 'rules'>
  readonly after: Pick<RuleSet, 'rules'>
}

/**
 * Which tokens would gain or lose which rights, were the rules of one policy replaced. Asked are the segments of the
 * rules that differ, and one name below each prefix. One token is looked at per step, so a caller bounds the work by
 * the tokens it passes, and pages by stopping. What is found out for one set of policies serves all tokens that share
 * it, also in later calls with the same replacement.
 *
 * @param authorizersOf a token's rights as they are and as they would be; undefined where the token does not have the
 *   policy, or does not count, as an expired one.
 */
export function* whatIf<Token>(
  tokens: Iterable<Token>,
  replacement: RulesReplacement,
  authorizersOf: (token: Token) => { readonly before: Authorizer; readonly after: Authorizer } | undefined,
): Generator<RightsChange<Token>> {
  const comparison = comparisonOf(replacement)
  for (const token of tokens) {
    const authorizers = authorizersOf(token)
    const difference =
      authorizers && comparison.compare(authorizers.before.policies, authorizers.after.policies)
    if (difference !== undefined && difference.gains.length + difference.losses.length > 0) {
      yield { token, ...difference }
    }
  }
}

interface Difference {
  readonly gains: readonly Question[]
  readonly losses: readonly Question[]
}

const comparisons = new WeakMap<RulesReplacement, RightsComparison>()

function comparisonOf(replacement: RulesReplacement): RightsComparison {
  const known = comparisons.get(replacement)
  if (known !== undefined) return known
  const created = new RightsComparison(probeQuestions(replacement.before, replacement.after))
  comparisons.set(replacement, created)
  return created
}

/** Compares sets of policies by a list of questions, each pair once. */
class RightsComparison {
  readonly #questions: readonly Question[]
  readonly #known = new WeakMap<CompiledPolicies, WeakMap<CompiledPolicies, Difference>>()

  constructor(questions: readonly Question[]) {
    this.#questions = questions
  }

  compare(before: CompiledPolicies, after: CompiledPolicies): Difference {
    const knownBefore = this.#known.get(before) ?? new WeakMap<CompiledPolicies, Difference>()
    this.#known.set(before, knownBefore)
    const known = knownBefore.get(after)
    if (known !== undefined) return known
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
