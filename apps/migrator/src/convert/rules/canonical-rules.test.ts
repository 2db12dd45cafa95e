import {
  compileAuthorizer,
  EMPTY_RULE_SET,
  parseLegacyRules,
  parseRules,
  probeQuestions,
} from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { anInput } from '@latchkey/testkit/rules/inputs'
import { randomHcl, randomJson } from '@latchkey/testkit/rules/random-texts'
import { describe, expect, test } from 'vitest'
import { canonicalRules, printPolicy } from './canonical-rules.ts'

const canonical = (text: string) => printPolicy(canonicalRules(parseLegacyRules(text)))

describe('texts that decide equally have one form', () => {
  test.each([
    [
      'order and layout',
      'node "" {policy="read"} key "a" {policy="write"}',
      '{"key":{"a":{"policy":"write"}},"node":{"":{"policy":"read"}}}',
    ],
    [
      'a rule that its prefix gives already',
      'key "a" {policy="read"} key "a/b" {policy="read"}',
      'key "a" {policy="read"}',
    ],
    [
      'what legacy evaluation ignores',
      'acl = "write" key_prefix "" {policy="write"} key "a" {policy="read"}',
      'key "a" {policy="read"}',
    ],
    ['a segment named twice', 'key "a" {policy="read"} key "a" {policy="deny"}', 'key "a" {policy="deny"}'],
    [
      'intentions as the level implies',
      'service "a" {policy="write" intentions="read"}',
      'service "a" {policy="write"}',
    ],
    ['a misspelled level', 'key "a" {policy="READ"}', 'key "a" {policy="deny"}'],
    [
      'the same level again below another',
      'key "" {policy="read"} key "a" {policy="deny"} key "a/b" {policy="deny"}',
      'key "a" {policy="deny"} key "" {policy="read"}',
    ],
  ])('%s', (_, one, other) => {
    expect(canonical(one)).toBe(canonical(other))
  })
})

describe('texts that decide differently do not', () => {
  test.each([
    ['another level', 'key "a" {policy="list"}', 'key "a" {policy="read"}'],
    ['a denial of what nothing grants: default allow would grant it', 'key "a" {policy="deny"}', ''],
    [
      'the level of a shorter prefix again, below another',
      'key "" {policy="read"} key "a" {policy="deny"} key "a/b" {policy="read"}',
      'key "" {policy="read"} key "a" {policy="deny"}',
    ],
    ['intentions', 'service "a" {policy="write" intentions="write"}', 'service "a" {policy="write"}'],
    [
      'the same level with other intentions, below',
      'service "" {policy="read"} service "a" {policy="read" intentions="deny"}',
      'service "" {policy="read"}',
    ],
    ['capitals of a segment', 'key "A" {policy="read"}', 'key "a" {policy="read"}'],
  ])('%s', (_, one, other) => {
    expect(canonical(one)).not.toBe(canonical(other))
  })
})

test('the form is a valid policy that decides as the text, and no shorter one does', () => {
  const random = new SeededRandom(chooseSeed('canonical rules'))
  for (let left = fuzzCount(1_000); left > 0; left--) {
    const text = random.chance(0.7) ? randomHcl(random) : randomJson(random)
    const legacy = readable(text)
    if (legacy === undefined) continue
    const rules = canonicalRules(legacy)
    const policy = parseRules(printPolicy(rules))
    expect(differs(legacy, policy), text).toBe(false)
    for (const rule of rules) {
      const without = parseRules(printPolicy(rules.filter((each) => each !== rule)))
      expect(differs(policy, without), `${rule.text} of ${text}`).toBe(true)
    }
  }
})

function readable(text: string) {
  try {
    return parseLegacyRules(text)
  } catch (error) {
    if (error instanceof AclError) return undefined
    throw error
  }
}

function differs(a: ReturnType<typeof parseRules>, b: ReturnType<typeof parseRules>): boolean {
  const questions = [...probeQuestions(a, EMPTY_RULE_SET), ...probeQuestions(EMPTY_RULE_SET, b)]
  return (['allow', 'deny'] as const).some((defaultPolicy) => {
    const [before, after] = [a, b].map((rules) => compileAuthorizer([anInput(rules)], { defaultPolicy }))
    return questions.some((question) => before?.decide(question) !== after?.decide(question))
  })
}
