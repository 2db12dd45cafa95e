import { expect, test } from 'vitest'
import { judgeAnswer, TOKEN_ANSWER_MS } from './down-policy.ts'

test.each(['extend-cache', 'async-cache', 'deny'] as const)(
  '%s: an answer counts for 30 seconds',
  (policy) => {
    expect(judgeAnswer(0, policy)).toBe('use')
    expect(judgeAnswer(TOKEN_ANSWER_MS - 1, policy)).toBe('use')
    expect(judgeAnswer(TOKEN_ANSWER_MS, policy)).not.toBe('use')
  },
)

test('afterwards the policy decides', () => {
  const judge = (policy: Parameters<typeof judgeAnswer>[1]) => judgeAnswer(TOKEN_ANSWER_MS, policy)
  expect([judge('extend-cache'), judge('async-cache'), judge('deny')]).toEqual([
    'extend',
    'use-and-ask',
    'ask',
  ])
})

test.each(['extend-cache', 'async-cache', 'deny'] as const)(
  '%s: a secret that was never known is asked for',
  (policy) => {
    expect(judgeAnswer(undefined, policy)).toBe('ask')
  },
)

test('an answer from the future, after a step of the clock, does not count for longer', () => {
  expect(judgeAnswer(-1, 'deny')).toBe('ask')
})
