import { SCALAR_RESOURCES, SEGMENT_RESOURCES } from '@latchkey/contract'
import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { anAuthorizer, anInput } from '@latchkey/testkit/rules/inputs'
import { randomPolicy, randomQuestion } from '@latchkey/testkit/rules/random-rules'
import { expect, test } from 'vitest'
import type { Rule, RuleSet } from '../language/rule.ts'
import { compileAuthorizer } from './authorizer.ts'
import { globalManagementRules } from './generated-rules.ts'
import { accessesOf, type Question } from './question.ts'

/** The allowed accesses. */
function allowed(texts: readonly string[], resource: Question['resource'], segment: string): string {
  const authorizer = anAuthorizer(texts)
  return accessesOf(resource)
    .filter((access) => authorizer.decide({ resource, segment, access }))
    .join(' ')
}

test.each([
  ['deny', ''],
  ['read', 'read'],
  ['list', 'read list'],
  ['write', 'read list write'],
])('an exact key rule with %s allows: %s; write-prefix needs a prefix', (level, expected) => {
  expect(allowed([`key "a" { policy = "${level}" }`], 'key', 'a')).toBe(expected)
  expect(allowed([`key "a" { policy = "${level}" }`], 'key', 'ab')).toBe('')
})

test('an exact rule beats any prefix and a longer prefix beats a shorter one, whatever their levels', () => {
  const rules = [
    'key_prefix "" { policy = "deny" }',
    'key_prefix "a/" { policy = "write" } key_prefix "a/b/" { policy = "deny" } key "a/b/c" { policy = "read" }',
  ]
  expect(allowed(rules, 'key', 'z')).toBe('')
  expect(allowed(rules, 'key', 'a/z')).toBe('read list write write-prefix')
  expect(allowed(rules, 'key', 'a/b/z')).toBe('')
  expect(allowed(rules, 'key', 'a/b/c')).toBe('read')
})

test('write-prefix: a rule at or below the path that grants less than write refuses it', () => {
  const below = ['key_prefix "a/" { policy = "write" }', 'key "a/b/c" { policy = "list" }']
  expect(allowed(below, 'key', 'a/')).toBe('read list write')
  expect(allowed(below, 'key', 'a/b')).toBe('read list write')
  expect(allowed(below, 'key', 'a/c')).toBe('read list write write-prefix')
})

test('segments compare case-sensitively, byte by byte', () => {
  expect(allowed(['key_prefix "A" { policy = "read" }'], 'key', 'a')).toBe('')
  expect(allowed(['key_prefix "é" { policy = "read" }'], 'key', 'e\u0301')).toBe('')
})

test('acl rights need a rule, even under default allow', () => {
  const authorizer = anAuthorizer([], 'allow')
  expect([authorizer.aclRead, authorizer.aclWrite]).toEqual([false, false])
  expect(authorizer.decide({ resource: 'operator', access: 'write' })).toBe(true)
  expect(authorizer.decide({ resource: 'key', segment: 'a', access: 'write-prefix' })).toBe(true)
})

test('acl:write gives nothing else', () => {
  const authorizer = anAuthorizer(['acl = "write"'])
  expect([authorizer.aclRead, authorizer.aclWrite]).toEqual([true, true])
  for (const resource of [...SEGMENT_RESOURCES, 'keyring', 'mesh', 'operator', 'peering'] as const) {
    expect(authorizer.decide({ resource, segment: 'a', access: 'read' })).toBe(false)
  }
})

test('global-management may do everything', () => {
  const authorizer = anAuthorizer([globalManagementRules()])
  for (const resource of [...SEGMENT_RESOURCES, ...SCALAR_RESOURCES]) {
    for (const access of accessesOf(resource)) {
      for (const segment of ['', 'a', '*'])
        expect(authorizer.decide({ resource, segment, access })).toBe(true)
    }
  }
})

test('mesh and peering follow operator until they have a rule of their own', () => {
  expect(allowed(['operator = "read"'], 'mesh', '')).toBe('read')
  expect(allowed(['operator = "write" peering = "deny"'], 'peering', '')).toBe('')
})

test.each([
  ['service "a" { policy = "write" }', 'read'],
  ['service "a" { policy = "deny" }', ''],
  ['service "a" { policy = "deny" intentions = "write" }', 'read write'],
  ['service "a" { policy = "write" intentions = "deny" }', ''],
])('intentions: %s gives: %s', (rules, expected) => {
  expect(allowed([rules], 'intention', 'a')).toBe(expected)
})

test('policy and intentions of one service merge separately', () => {
  const rules = ['service "a" { policy = "deny" }', 'service "a" { policy = "write" intentions = "write" }']
  expect(allowed(rules, 'service', 'a')).toBe('')
  expect(allowed(rules, 'intention', 'a')).toBe('read write')
})

test('intentions of *: any grant allows read; write needs the catch-all and every other rule to grant it', () => {
  const all = 'service_prefix "" { policy = "read" intentions = "write" }'
  expect(allowed(['service "a" { policy = "read" }'], 'intention', '*')).toBe('read')
  expect(allowed([all], 'intention', '*')).toBe('read write')
  expect(allowed([all, 'service "a" { policy = "read" }'], 'intention', '*')).toBe('read')
  expect(allowed(['service "a" { policy = "read" intentions = "write" }'], 'intention', '*')).toBe('read')
})

test('an unreadable text denies everything, and the explanation says why', () => {
  const inputs = [
    anInput('key_prefix "" { policy = "write" }', 'p0'),
    { ...anInput('', 'p1'), unreadable: 'broken' },
  ]
  const authorizer = compileAuthorizer(inputs, { defaultPolicy: 'allow' })
  const question = { resource: 'key', segment: 'a', access: 'read' } as const
  expect(authorizer.explain(question)).toEqual({
    allow: false,
    path: { via: 'unreadable', reason: 'broken' },
    missing: question,
  })
})

test('an explanation names policy, rule and line, and the missing right of a denial', () => {
  const authorizer = anAuthorizer([
    'acl = "read"',
    'key "b" { policy = "deny" }\nkey_prefix "a" { policy = "read" }',
  ])
  const question = { resource: 'key', segment: 'ab', access: 'write' } as const
  expect(authorizer.explain(question)).toEqual({
    allow: false,
    rule: {
      policyId: 'p1',
      policyName: 'p1',
      kind: 'key',
      match: 'prefix',
      segment: 'a',
      level: 'read',
      line: 2,
    },
    path: { via: 'policy' },
    missing: question,
  })
  expect(authorizer.explain({ resource: 'node', segment: 'n', access: 'read' })).toMatchObject({
    allow: false,
    path: { via: 'default' },
  })
  expect(authorizer.explain({ resource: 'acl', access: 'read' }).missing).toBeUndefined()
})

test('of several rules that decide alike, an explanation names the first policy, and the one that no other rule can change', () => {
  const named = (question: Question, ...texts: readonly string[]) => {
    const { rule } = anAuthorizer(texts).explain(question)
    return `${rule?.policyId} ${rule?.segment} ${rule?.level}`
  }
  const read: Question = { resource: 'key', segment: 'a', access: 'read' }
  const same = 'key "a" { policy = "read" }'
  expect(named(read, same, same)).toBe('p0 a read')
  const below: Question = { resource: 'key', segment: 'a/b/', access: 'write-prefix' }
  const denial = 'key "a/b/c" { policy = "deny" }'
  expect(named(below, denial, 'key_prefix "a/" { policy = "read" }')).toBe('p0 a/b/c deny')
  const all: Question = { resource: 'intention', segment: '*', access: 'write' }
  const one = 'service_prefix "a" { policy = "deny" }'
  expect(named(all, one, 'service_prefix "" { policy = "read" }')).toBe('p1  read')
})

test('the rule named by an explanation decides the same alone, and without it another decides', () => {
  const random = new SeededRandom(chooseSeed('explain'))
  let explained = 0
  for (let left = 40_000; left > 0; left--) {
    const sets = Array.from({ length: 3 }, () => aRuleSet(randomPolicy(random, 8)))
    const inputs = sets.map((ruleSet, index) => anInput(ruleSet, `p${index}`))
    const defaults = { defaultPolicy: random.pick(['allow', 'deny'] as const) }
    const question = randomQuestion(
      random,
      sets.flatMap((set) => set.rules),
    )
    const { allow, rule } = compileAuthorizer(inputs, defaults).explain(question)
    if (rule === undefined) continue
    explained++
    const isNamed = (policyId: string, candidate: Rule) =>
      policyId === rule.policyId && candidate.line === rule.line
    const only = (keep: (policyId: string, candidate: Rule) => boolean) =>
      compileAuthorizer(
        inputs.map((input) => ({
          ...input,
          ruleSet: withRules(input.ruleSet, (candidate) => keep(input.policyId, candidate)),
        })),
        defaults,
      )
    const alone = only(isNamed)
    const without = only((policyId, candidate) => !isNamed(policyId, candidate)).explain(question)
    if (alone.decide(question) !== allow) expect.fail(`alone: ${JSON.stringify({ question, rule, inputs })}`)
    const isStillNamed = without.rule?.policyId === rule.policyId && without.rule.line === rule.line
    if (isStillNamed) expect.fail(`without: ${JSON.stringify({ question, rule, inputs })}`)
  }
  expect(explained).toBeGreaterThan(10_000)
})

/** Puts each rule on its own line. */
function aRuleSet(rules: readonly Omit<Rule, 'line' | 'column'>[]): RuleSet {
  return { rules: rules.map((rule, index) => ({ ...rule, line: index + 1, column: 1 })), warnings: [] }
}

function withRules(ruleSet: RuleSet, keep: (rule: Rule) => boolean): RuleSet {
  return { ...ruleSet, rules: ruleSet.rules.filter(keep) }
}
