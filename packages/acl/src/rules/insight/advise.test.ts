import type { AuthorizeAnswer } from '@latchkey/contract'
import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { anInput } from '@latchkey/testkit/rules/inputs'
import { printRules } from '@latchkey/testkit/rules/print-rules'
import { randomPolicy, randomQuestion } from '@latchkey/testkit/rules/random-rules'
import { expect, test } from 'vitest'
import { compileAuthorizer } from '../decide/authorizer.ts'
import { serviceIdentityRules } from '../decide/generated-rules.ts'
import type { CompiledInput } from '../decide/policy-source.ts'
import type { Question } from '../decide/question.ts'
import { parseRules } from '../language/parse-rules.ts'
import { type Advice, adviceFor } from './advise.ts'

const DEFAULTS = { defaultPolicy: 'deny' } as const

/** An answer as the service shows it. */
function answerOf(
  { resource, segment, access }: Question,
  inputs: readonly CompiledInput[],
): AuthorizeAnswer {
  const { allow, rule } = compileAuthorizer(inputs, DEFAULTS).explain({
    resource,
    access,
    ...(segment ? { segment } : {}),
  })
  const right = { Resource: resource, Access: access, ...(segment ? { Segment: segment } : {}) }
  const Rule = rule && {
    PolicyID: rule.policyId,
    PolicyName: rule.policyName,
    Kind: rule.match === 'prefix' ? `${rule.kind}_prefix` : rule.kind,
    Segment: rule.segment,
    Level: rule.level,
    Line: rule.line,
  }
  const Explanation = { ...(Rule ? { Rule } : {}), Path: [], ...(allow ? {} : { Missing: right }) }
  return { ...right, Allow: allow, Explanation }
}

const advise = (text: string, resource: string, access: string, segment?: string): Advice | undefined =>
  adviceFor(answerOf({ resource, access, segment } as Question, [anInput(text)]))

test.each([
  ['', 'acl', 'write', undefined, { add: 'acl = "write"' }],
  ['operator = "read"', 'mesh', 'write', undefined, { add: 'mesh = "write"' }],
  ['', 'key', 'write', 'web/port', { add: 'key "web/port" { policy = "write" }' }],
  ['', 'key', 'list', 'web/', { add: 'key_prefix "web/" { policy = "list" }' }],
  ['', 'key', 'write-prefix', 'web/', { add: 'key_prefix "web/" { policy = "write" }' }],
  ['', 'service', 'read', '', { add: 'service "" { policy = "read" }' }],
  ['', 'key', 'read', 'a${b"', { add: 'key "a\\u0024{b\\"" { policy = "read" }' }],
  ['', 'intention', 'read', 'web', { add: 'service "web" { policy = "read" }' }],
  ['', 'intention', 'write', 'web', { add: 'service "web" { policy = "read" intentions = "write" }' }],
  ['', 'intention', 'write', '*', { add: 'service_prefix "" { policy = "read" intentions = "write" }' }],
] as const)(
  'beside "%s", %s:%s %s is allowed by a rule of its own',
  (text, resource, access, segment, advice) => {
    expect(advise(text, resource, access, segment)).toEqual(advice)
  },
)

test.each([
  ['a deny of the same name wins', 'key "a" { policy = "deny" }', 'key', 'write', 'a', 'policy = "write"'],
  ['a second rule is a duplicate', 'key "a" { policy = "read" }', 'key', 'write', 'a', 'policy = "write"'],
  ['so is a second level', 'acl = "read"', 'acl', 'write', undefined, 'acl = "write"'],
  ['an exact rule hides a prefix', 'key "a" { policy = "read" }', 'key', 'list', 'a', 'policy = "list"'],
  [
    'a rule below the prefix stays',
    'key_prefix "" { policy = "read" }\nkey "a/b" { policy = "deny" }',
    'key',
    'write-prefix',
    'a/',
    'policy = "write"',
  ],
  [
    'a rule for one service would hide its prefix',
    'service_prefix "" { policy = "write" }',
    'intention',
    'write',
    'web',
    'intentions = "write"',
  ],
] as const)('%s: the rule that decides must change', (_, text, resource, access, segment, change) => {
  expect(advise(text, resource, access, segment)).toEqual({ change })
})

test('a prefix that denies does not decide beside a rule of its own', () => {
  expect(advise('key_prefix "web/" { policy = "deny" }', 'key', 'read', 'web/port')).toEqual({
    add: 'key "web/port" { policy = "read" }',
  })
})

test('a rule of an identity, which is in no policy, is not changed', () => {
  const identity = { ...anInput(serviceIdentityRules('web')), policyId: '' }
  const question = { resource: 'intention', access: 'write', segment: 'web' } as const
  const add = 'service "web" { policy = "read" intentions = "write" }'
  expect(adviceFor(answerOf(question, [identity]))).toEqual({ add })
  expect(compileAuthorizer([identity, anInput(add)], DEFAULTS).decide(question)).toBe(true)
})

test('no rule helps where the rules cannot be read, and an allowed check needs none', () => {
  const answer = answerOf({ resource: 'acl', access: 'read' }, [])
  const Path = ['rules that cannot be read: found "x"']
  expect(adviceFor({ ...answer, Explanation: { ...answer.Explanation, Path } })).toBeUndefined()
  expect(advise('acl = "read"', 'acl', 'read')).toBeUndefined()
  expect(
    adviceFor({ ...answer, Explanation: { Path: [], Missing: { Resource: 'x', Access: 'read' } } }),
  ).toBe(undefined)
})

test('appended to any policy of the token, the advised rule is accepted and allows the question', () => {
  const random = new SeededRandom(chooseSeed('advice'))
  const given = { add: 0, change: 0 }
  for (let left = 6_000; left > 0; left--) {
    const policies = Array.from({ length: 2 }, () => randomPolicy(random, 8))
    const texts = policies.map((rules) =>
      printRules({ rules: rules.map((rule) => ({ ...rule, line: 1, column: 1 })) }),
    )
    const inputs = texts.map((text, index) => anInput(text, `p${index}`))
    const question = randomQuestion(random, policies.flat())
    const advice = adviceFor(answerOf(question, inputs))
    if (advice === undefined) continue
    if ('change' in advice) {
      given.change++
      continue
    }
    given.add++
    for (const [index, text] of texts.entries()) {
      const appended = inputs.with(index, anInput(parseRules(`${text}\n${advice.add}`), `p${index}`))
      if (!compileAuthorizer(appended, DEFAULTS).decide(question)) {
        expect.fail(JSON.stringify({ question, advice, texts }, null, 1))
      }
    }
  }
  expect(given.add).toBeGreaterThan(1_000)
  expect(given.change).toBeGreaterThan(300)
})
