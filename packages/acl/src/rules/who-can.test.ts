import { expect, test } from 'vitest'
import { anAuthorizer } from './testing/inputs.ts'
import { whoCan } from './who-can.ts'

const question = { resource: 'key', segment: 'a', access: 'read' } as const

test('gives the tokens that may, in their order, each with the reason', () => {
  const rules: Readonly<Record<string, string>> = {
    reader: 'key_prefix "" { policy = "read" }',
    stranger: 'node "a" { policy = "read" }',
    denied: 'key_prefix "" { policy = "read" }\nkey "a" { policy = "deny" }',
    writer: '\nkey "a" { policy = "write" }',
  }
  const found = [...whoCan(Object.keys(rules), question, (token) => anAuthorizer([rules[token] ?? '']))]
  expect(found.map(({ token, explanation }) => [token, explanation.rule?.line])).toEqual([
    ['reader', 1],
    ['writer', 2],
  ])
})

test('tokens without an authorizer, as expired ones, do not count, even under default allow', () => {
  const found = [
    ...whoCan(['expired', 'anyone'], question, (token) =>
      token === 'expired' ? undefined : anAuthorizer([], 'allow'),
    ),
  ]
  expect(found.map(({ token }) => token)).toEqual(['anyone'])
})

test('looks at no more tokens than are asked for', () => {
  const seen: number[] = []
  for (const { token } of whoCan([1, 2, 3], question, (token) => {
    seen.push(token)
    return anAuthorizer(['key "a" { policy = "read" }'])
  })) {
    if (token === 2) break
  }
  expect(seen).toEqual([1, 2])
})
