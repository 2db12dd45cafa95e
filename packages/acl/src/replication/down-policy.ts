/**
 * How long the primary's answer about a token is valid if tokens are not replicated. Decisions: tokens of the primary.
 */

/**
 * What to do with an old answer. `extend-cache`: query the primary again, and use the old answer if the primary is
 * unreachable. `async-cache`: use the old answer at once, and query the primary in the background. `deny`: use only a
 * new answer.
 */
export type DownPolicy = 'extend-cache' | 'async-cache' | 'deny'

/** How long an answer is used without a new query. A deleted token may keep working for this long. */
export const TOKEN_ANSWER_MS = 30_000

/**
 * Whether to use an answer of this age, or to query the primary. `extend`: query, and use the old answer if
 * there is no new one. @param ageMs `undefined` for a secret that the primary has never known, which no
 * policy makes valid.
 */
export function judgeAnswer(
  ageMs: number | undefined,
  policy: DownPolicy,
): 'use' | 'use-and-ask' | 'extend' | 'ask' {
  if (ageMs === undefined) return 'ask'
  if (ageMs >= 0 && ageMs < TOKEN_ANSWER_MS) return 'use'
  return ({ 'extend-cache': 'extend', 'async-cache': 'use-and-ask', deny: 'ask' } as const)[policy]
}
