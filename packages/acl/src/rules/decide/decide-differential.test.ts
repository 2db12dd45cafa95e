import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { naiveDecide } from '@latchkey/testkit/rules/naive-interpreter'
import { printRules } from '@latchkey/testkit/rules/print-rules'
import { randomPolicy, randomQuestion, randomSegment } from '@latchkey/testkit/rules/random-rules'
import { expect, test } from 'vitest'
import { parseRules } from '../language/parse-rules.ts'
import type { Rule } from '../language/rule.ts'
import { compileAuthorizer } from './authorizer.ts'
import type { CompiledInput } from './policy-source.ts'
import type { Question } from './question.ts'

/** The proof `decisions` sets `LATCHKEY_FUZZ` to ten million. */
const PAIRS = fuzzCount(100_000)
/** Number of policy sets that the other tests draw. */
const SETS = PAIRS / 20
const QUESTIONS_PER_SET = 40
const POLICIES_MAX = 5
const RULES_MAX = 12

/** Prints and parses the rules, which also tests the parser. */
function anInput(rules: readonly Omit<Rule, 'line' | 'column'>[], name: string): CompiledInput {
  const text = printRules({ rules: rules.map((rule) => ({ ...rule, line: 1, column: 1 })) })
  return { key: name, policyId: name, policyName: name, path: { via: 'policy' }, ruleSet: parseRules(text) }
}

test(`DIF-02: ${PAIRS} decisions equal those of a naive implementation of the reference`, {
  timeout: 7_200_000,
}, () => {
  const random = new SeededRandom(chooseSeed('DIF-02'))
  for (let pairs = 0; pairs < PAIRS; ) {
    const policies = Array.from({ length: random.below(POLICIES_MAX + 1) }, () =>
      randomPolicy(random, RULES_MAX),
    )
    const rules = policies.flat()
    const defaultPolicy = random.pick(['allow', 'deny'] as const)
    const authorizer = compileAuthorizer(
      policies.map((policy, index) => anInput(policy, `p${index}`)),
      { defaultPolicy },
    )
    for (let left = QUESTIONS_PER_SET; left > 0; left--, pairs++) {
      const question = randomQuestion(random, rules)
      const expected = naiveDecide(rules, defaultPolicy === 'allow', question)
      if (authorizer.decide(question) !== expected) {
        expect.fail(`${JSON.stringify({ question, expected, defaultPolicy, policies }, null, 1)}`)
      }
    }
  }
})

test('DIF-02: mayReadBelow is true exactly if some key below the prefix may be read', () => {
  const random = new SeededRandom(chooseSeed('DIF-02 below'))
  const answers = new Set<boolean>()
  for (let left = SETS; left > 0; left--) {
    const policies = Array.from({ length: 2 }, () => randomPolicy(random, RULES_MAX))
    const segments = policies.flat().flatMap(({ kind, segment }) => (kind === 'key' ? [segment] : []))
    const defaultPolicy = random.pick(['allow', 'deny'] as const)
    const inputs = policies.map((policy, index) => anInput(policy, `p${index}`))
    const { policies: compiled } = compileAuthorizer(inputs, { defaultPolicy })
    const prefix = random.pick([randomSegment(random), ...segments, ''])
    // No rule names a segment with this suffix, so each such name represents all names that the same rule decides.
    const names = [prefix, ...segments.filter((segment) => segment.startsWith(prefix))]
    const isReadable = names
      .flatMap((name) => [name, `${name}\u0001`])
      .some((segment) => compiled.decide({ resource: 'key', segment, access: 'read' }))
    answers.add(isReadable)
    if (compiled.mayReadBelow(prefix) !== isReadable) {
      expect.fail(`${JSON.stringify({ prefix, isReadable, defaultPolicy, policies }, null, 1)}`)
    }
  }
  expect(answers.size).toBe(2)
})

test('DIF-02: an exact deny wins over everything else a token has, for every kind (CVE-2023-1296 of a peer)', () => {
  const random = new SeededRandom(chooseSeed('DIF-02 deny'))
  for (let left = SETS; left > 0; left--) {
    const policies = Array.from({ length: 3 }, () => randomPolicy(random, RULES_MAX))
    const question = randomQuestion(random, policies.flat())
    // `*` asks about all services at once; other rules may grant reading any.
    if (question.segment === '*') continue
    const denial = denialOf(question)
    const inputs = [...policies, [denial]].map((policy, index) => anInput(policy, `p${index}`))
    expect(compileAuthorizer(inputs, { defaultPolicy: 'allow' }).decide(question)).toBe(false)
  }
})

/** A rule that denies exactly the access in a question. */
function denialOf({ resource, segment = '' }: Question): Omit<Rule, 'line' | 'column'> {
  switch (resource) {
    case 'acl':
    case 'keyring':
    case 'mesh':
    case 'operator':
    case 'peering':
      return { kind: resource, match: 'scalar', segment: '', level: 'deny' }
    case 'intention':
      return { kind: 'service', match: 'exact', segment, level: 'deny', intentions: 'deny' }
    default:
      return { kind: resource, match: 'exact', segment, level: 'deny' }
  }
}

test('decisions do not depend on the order of policies', () => {
  const random = new SeededRandom(chooseSeed('order'))
  for (let left = 2_000; left > 0; left--) {
    const inputs = Array.from({ length: 4 }, (_, index) =>
      anInput(randomPolicy(random, RULES_MAX), `p${index}`),
    )
    const forward = compileAuthorizer(inputs, { defaultPolicy: 'deny' })
    const backward = compileAuthorizer(inputs.toReversed(), { defaultPolicy: 'deny' })
    const segment = randomSegment(random)
    for (const access of ['read', 'list', 'write', 'write-prefix'] as const) {
      const question = { resource: 'key', segment, access } as const
      expect(forward.decide(question)).toBe(backward.decide(question))
    }
  }
})
