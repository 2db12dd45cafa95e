import { limits } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { compileAuthorizer } from './authorizer.ts'
import { parseRules } from './parse-rules.ts'
import { probeQuestions } from './probe-questions.ts'
import type { Question } from './question.ts'
import type { RuleSet } from './rule.ts'
import { anAuthorizer, anInput } from './testing/inputs.ts'
import { randomPolicy } from './testing/random-rules.ts'
import { chooseSeed, SeededRandom } from './testing/seed.ts'
import { RightsComparison, whatIf } from './what-if.ts'

function brief(questions: readonly Question[]): string[] {
  return questions.map(({ resource, segment = '', access }) => `${resource}:${access} ${segment}`)
}

function changes(beforeText: string, afterText: string, otherText = '') {
  const comparison = new RightsComparison(parseRules(beforeText), parseRules(afterText))
  const authorizers = {
    before: anAuthorizer([beforeText, otherText]),
    after: anAuthorizer([afterText, otherText]),
  }
  return [...whatIf(['token'], comparison, () => authorizers)].map(({ gains, losses }) => ({
    gains: brief(gains),
    losses: brief(losses),
  }))
}

test('gains and losses, on the segment itself and below a prefix', () => {
  expect(changes('key_prefix "a/" { policy = "read" }', 'key_prefix "b/" { policy = "list" }')).toEqual([
    {
      gains: ['key:read b/', 'key:list b/', 'key:read b/other', 'key:list b/other'],
      losses: ['key:read a/', 'key:read a/other'],
    },
  ])
})

test('a token that loses and gains nothing is not listed: another policy grants the same', () => {
  const all = 'key_prefix "" { policy = "write" }'
  expect(changes('key "a" { policy = "write" }', '', all)).toEqual([])
  expect(changes('', 'key "a" { policy = "read" }', all)).toEqual([
    { gains: [], losses: ['key:list a', 'key:write a', 'key:write-prefix a'] },
  ])
})

test('operator bears on mesh and peering, service on intentions', () => {
  expect(changes('operator = "read"', '')[0]?.losses).toEqual([
    'operator:read ',
    'mesh:read ',
    'peering:read ',
  ])
  expect(changes('', 'service "a" { policy = "read" }')[0]?.gains).toEqual([
    'service:read a',
    'intention:read a',
    'intention:read *',
  ])
})

test('rules that stay the same are not asked about, but what surrounds a changed key rule is', () => {
  const stays = 'key_prefix "a/" { policy = "write" }\nkey "b" { policy = "read" }\nacl = "read"\n'
  const questions = probeQuestions(parseRules(stays), parseRules(`${stays}key "a/x" { policy = "read" }`))
  expect(brief(questions)).toEqual([
    'key:read a/x',
    'key:list a/x',
    'key:write a/x',
    'key:write-prefix a/x',
    'key:write-prefix a/',
  ])
})

test('tokens that share a set of policies are compared once', () => {
  const comparison = new RightsComparison(parseRules('acl = "read"'), parseRules('acl = "write"'))
  const authorizers = { before: anAuthorizer(['acl = "read"']), after: anAuthorizer(['acl = "write"']) }
  const found = [...whatIf(['a', 'b'], comparison, () => authorizers)]
  expect(found.map(({ token }) => token)).toEqual(['a', 'b'])
  expect(found[0]?.gains).toBe(found[1]?.gains)
})

test('batch_too_large names field and bound, whatever was there before; the bound itself passes', () => {
  const keys = (count: number) =>
    Array.from({ length: count }, (_, i) => `key "${i}" { policy = "read" }`).join('\n')
  const most = limits.WHAT_IF_QUESTIONS_MAX / 4
  const none = parseRules('')
  expect(() => new RightsComparison(none, parseRules(keys(most)))).not.toThrow()
  for (const [before, after] of [
    [none, parseRules(keys(most + 1))],
    [parseRules(keys(most + 1)), none],
  ] as const) {
    expect(() => new RightsComparison(before, after)).toThrow(
      expect.objectContaining({
        code: 'batch_too_large',
        message: expect.stringContaining(String(limits.WHAT_IF_QUESTIONS_MAX)),
        details: { field: 'Rules' },
      }),
    )
  }
  expect(() => new RightsComparison(parseRules(keys(most + 1)), parseRules(keys(most + 1)))).not.toThrow()
})

test('prefixes within prefixes are asked about once each', () => {
  const nested = Array.from({ length: 200 }, (_, i) => `key_prefix "${'a'.repeat(i)}" { policy = "read" }`)
  const questions = brief(probeQuestions(parseRules(nested.join('\n')), parseRules('')))
  // Itself and one name below it, each asked four things: the one below the longest prefix has no other name.
  expect(questions).toHaveLength(200 * 2 * 4)
  expect(new Set(questions).size).toBe(questions.length)
})

test('tokens that do not have the policy are left out', () => {
  const comparison = new RightsComparison(parseRules(''), parseRules('acl = "read"'))
  expect([...whatIf(['a', 'b'], comparison, () => undefined)]).toEqual([])
})

test('the name asked for below a prefix is one that no rule names', () => {
  const rules = parseRules(
    ['', 'o', 'oth', ...'abcdefghijklmnpqrstuvwxyz0123456789']
      .map((segment) => `key_prefix "${segment}" { policy = "read" }`)
      .join('\n'),
  )
  expect(brief(probeQuestions(rules, parseRules('')))).toContain('key:read \u0100')
})

test('whatever two rule sets decide differently, anywhere, some question of these tells', () => {
  const random = new SeededRandom(chooseSeed('what if'))
  for (let left = 3_000; left > 0; left--) {
    const [before, after] = [aRuleSet(random), aRuleSet(random)]
    const [a, b] = [anAuthorizerOf(before), anAuthorizerOf(after)]
    const differs = (question: Question) => a.decide(question) !== b.decide(question)
    const segments = [...before.rules, ...after.rules].map((rule) => `${rule.segment}a`)
    const elsewhere = segments.flatMap((segment) =>
      (['key', 'service', 'intention', 'node'] as const).map(
        (resource) => ({ resource, segment, access: 'read' }) as const,
      ),
    )
    if (elsewhere.some(differs) && !probeQuestions(before, after).some(differs)) {
      expect.fail(JSON.stringify({ before, after }))
    }
  }
})

function aRuleSet(random: SeededRandom): RuleSet {
  return { rules: randomPolicy(random, 4).map((rule) => ({ ...rule, line: 1, column: 1 })), warnings: [] }
}

function anAuthorizerOf(ruleSet: RuleSet) {
  return compileAuthorizer([anInput(ruleSet)], { defaultPolicy: 'deny' })
}
