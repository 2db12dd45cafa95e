import type { Authorizer, DecisionExplanation } from './authorizer.ts'
import type { Question } from './question.ts'

/** A token that may do what was asked, and why. */
export interface AllowedToken<Token> {
  readonly token: Token
  readonly explanation: DecisionExplanation
}

/**
 * The tokens that may do something, in the order given. One token is looked at per step, so a caller bounds the work
 * by the tokens it passes, and pages by stopping.
 *
 * @param authorizerOf the rights of a token, or undefined where it does not count, as an expired one.
 */
export function* whoCan<Token>(
  tokens: Iterable<Token>,
  question: Question,
  authorizerOf: (token: Token) => Authorizer | undefined,
): Generator<AllowedToken<Token>> {
  for (const token of tokens) {
    const explanation = authorizerOf(token)?.explain(question)
    if (explanation?.allow === true) yield { token, explanation }
  }
}
