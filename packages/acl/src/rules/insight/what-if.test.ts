import { limits } from '@latchkey/contract'
import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { anAuthorizer, anInput } from '@latchkey/testkit/rules/inputs'
import { randomPolicy } from '@latchkey/testkit/rules/random-rules'
import { expect, test } from 'vitest'
import { compileAuthorizer } from '../decide/authorizer.ts'
import type { Question } from '../decide/question.ts'
import { parseRules } from '../language/parse-rules.ts'
import type { RuleSet } from '../language/rule.ts'
import { probeQuestions, RightsComparison } from './what-if.ts'

function brief(questions: readonly Question[]): string[] {
  return questions.map(({ resource, segment = '', access }) => `${resource}:${access} ${segment}`)
}

function aComparison(before: RuleSet, after: RuleSet): RightsComparison {
  return new RightsComparison(before, after)
}

function changes(beforeText: string, afterText: string, otherText = '') {
  const comparison = aComparison(parseRules(beforeText), parseRules(afterText))
  const authorizers = {
    before: anAuthorizer([beforeText, otherText]),
    after: anAuthorizer([afterText, otherText]),
  }
  const { before, after } = authorizers
  const { gains, losses } = comparison.compare(before.policies, after.policies)
  return { gains: brief(gains), losses: brief(losses) }
}

test('finds gains and losses on the segment itself and below a prefix', () => {
  expect(changes('key_prefix "a/" { policy = "read" }', 'key_prefix "b/" { policy = "list" }')).toEqual({
    gains: ['key:read b/', 'key:list b/', 'key:read b/other', 'key:list b/other'],
    losses: ['key:read a/', 'key:read a/other'],
  })
})

test('nothing is lost or gained where another policy grants the same', () => {
  const all = 'key_prefix "" { policy = "write" }'
  expect(changes('key "a" { policy = "write" }', '', all)).toEqual({ gains: [], losses: [] })
  expect(changes('', 'key "a" { policy = "read" }', all)).toEqual({
    gains: [],
    losses: ['key:list a', 'key:write a', 'key:write-prefix a'],
  })
})

test('operator affects mesh and peering, service affects intentions', () => {
  expect(changes('operator = "read"', '').losses).toEqual(['operator:read ', 'mesh:read ', 'peering:read '])
  expect(changes('', 'service "a" { policy = "read" }').gains).toEqual([
    'service:read a',
    'intention:read a',
    'intention:read *',
  ])
})

test('asks nothing about unchanged rules except the prefixes of a changed key rule', () => {
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
  const comparison = aComparison(parseRules('acl = "read"'), parseRules('acl = "write"'))
  const [before, after] = [anAuthorizer(['acl = "read"']), anAuthorizer(['acl = "write"'])]
  const compare = () => comparison.compare(before.policies, after.policies)
  expect(compare().gains).toHaveLength(1)
  expect(compare()).toBe(compare())
})

test('batch_too_large names field and bound, whichever side is large; the bound itself passes', () => {
  const keys = (count: number) =>
    Array.from({ length: count }, (_, i) => `key "${i}" { policy = "read" }`).join('\n')
  const most = limits.WHAT_IF_QUESTIONS_MAX / 4
  const none = parseRules('')
  expect(() => aComparison(none, parseRules(keys(most)))).not.toThrow()
  for (const [before, after] of [
    [none, parseRules(keys(most + 1))],
    [parseRules(keys(most + 1)), none],
  ] as const) {
    expect(() => aComparison(before, after)).toThrow(
      expect.objectContaining({
        code: 'batch_too_large',
        message: expect.stringContaining(String(limits.WHAT_IF_QUESTIONS_MAX)),
        details: { field: 'Rules' },
      }),
    )
  }
  expect(() => aComparison(parseRules(keys(most + 1)), parseRules(keys(most + 1)))).not.toThrow()
})

test('asks about each of nested prefixes once', () => {
  const nested = Array.from({ length: 200 }, (_, i) => `key_prefix "${'a'.repeat(i)}" { policy = "read" }`)
  const questions = brief(probeQuestions(parseRules(nested.join('\n')), parseRules('')))
  // Four questions about each prefix, and four about one name below it.
  expect(questions).toHaveLength(200 * 2 * 4)
  expect(new Set(questions).size).toBe(questions.length)
})

test('the name asked about below a prefix is named by no rule', () => {
  const rules = parseRules(
    ['', 'o', 'oth', ...'abcdefghijklmnpqrstuvwxyz0123456789']
      .map((segment) => `key_prefix "${segment}" { policy = "read" }`)
      .join('\n'),
  )
  expect(brief(probeQuestions(rules, parseRules('')))).toContain('key:read \u0100')
})

test('if two rule sets differ on any name, some probe question tells them apart', () => {
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
