import type { Authorizer } from './authorizer.ts'
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
 * Which tokens would gain or lose which rights, were the rules of one policy replaced. Asked are the segments that
 * the rules name, before and after, and one name below each prefix. One token is looked at per step, so a caller
 * bounds the work by the tokens it passes, and pages by stopping.
 *
 * @param authorizersOf a token's rights as they are and as they would be; undefined where the token does not have the
 *   policy, or does not count, as an expired one.
 */
export function* whatIf<Token>(
  tokens: Iterable<Token>,
  replacement: RulesReplacement,
  authorizersOf: (token: Token) => { readonly before: Authorizer; readonly after: Authorizer } | undefined,
): Generator<RightsChange<Token>> {
  const questions = probeQuestions(replacement.before, replacement.after)
  for (const token of tokens) {
    const authorizers = authorizersOf(token)
    if (authorizers === undefined) continue
    const { before, after } = authorizers
    const changed = questions.filter((question) => before.decide(question) !== after.decide(question))
    if (changed.length === 0) continue
    const gains = changed.filter((question) => after.decide(question))
    yield { token, gains, losses: changed.filter((question) => !gains.includes(question)) }
  }
}
