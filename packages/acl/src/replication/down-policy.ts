/** How long an answer of the primary about a token counts, where tokens are not replicated. Decisions: tokens of the primary. */

/**
 * What counts once an answer is old. `extend-cache`: the primary is asked again, and while it cannot be, the old answer counts.
 * `async-cache`: the old answer counts at once, while the primary is asked. `deny`: nothing counts but a new answer.
 */
export type DownPolicy = 'extend-cache' | 'async-cache' | 'deny'

/** How long an answer counts without another question: a token that was deleted may work for as long. */
export const TOKEN_ANSWER_MS = 30_000

/**
 * Whether to use an answer of a certain age, or to ask. `extend`: ask, and use the old answer if there is no new one.
 *
 * @param ageMs `undefined` for a secret that the primary never knew: no policy makes it valid.
 */
export function judgeAnswer(
  ageMs: number | undefined,
  policy: DownPolicy,
): 'use' | 'use-and-ask' | 'extend' | 'ask' {
  if (ageMs === undefined) return 'ask'
  if (ageMs >= 0 && ageMs < TOKEN_ANSWER_MS) return 'use'
  return ({ 'extend-cache': 'extend', 'async-cache': 'use-and-ask', deny: 'ask' } as const)[policy]
}
