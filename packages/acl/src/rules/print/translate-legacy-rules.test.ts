import { AclError } from '@latchkey/contract'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { anInput } from '@latchkey/testkit/rules/inputs'
import { randomHcl, randomJson } from '@latchkey/testkit/rules/random-texts'
import { expect, test } from 'vitest'
import { compileAuthorizer } from '../decide/authorizer.ts'
import { probeQuestions } from '../insight/what-if.ts'
import { parseLegacyRules, parseRules } from '../language/parse-rules.ts'
import { EMPTY_RULE_SET, type RuleSet } from '../language/rule.ts'
import { translateLegacyRules } from './translate-legacy-rules.ts'

const keep = (text: string) => translateLegacyRules(text, { widening: 'keep' }).rules
const commentOut = (text: string) => translateLegacyRules(text, { widening: 'comment-out' }).rules

const AS_THE_REFERENCE: Readonly<Record<string, readonly [legacy: string, translated: string]>> = {
  'a block': ['key "foo/" { policy = "write" }', 'key_prefix "foo/" {\n  policy = "write"\n}'],
  'every kind with segments': [
    'agent "" { policy = "read" }\nevent "" { policy = "read" }\nnode "" { policy = "read" }\nquery "" { policy = "read" }',
    'agent_prefix "" {\n  policy = "read"\n}\n\nevent_prefix "" {\n  policy = "read"\n}\n\nnode_prefix "" {\n  policy = "read"\n}\n\nquery_prefix "" {\n  policy = "read"\n}',
  ],
  'scalars, unchanged': ['operator = "read"\nkeyring="write"', 'operator = "read"\n\nkeyring = "write"'],
  'two attributes on adjacent lines, aligned': [
    'service "a" {\n policy = "write"\n intentions = "read" # why\n}',
    'service_prefix "a" {\n  policy     = "write"\n  intentions = "read"  # why\n}',
  ],
  'two attributes on one line, apart': [
    'service "a" { policy = "write" intentions = "read" }',
    'service_prefix "a" {\n  policy = "write"\n\n  intentions = "read"\n}',
  ],
  'comments of every sort': [
    '# top\n\n// lead\nkey "a" { # in\n  /* b */\n  policy = "read" // line\n} # after\n\n# last',
    '# top\n\n// lead\nkey_prefix "a" {\n  # in\n\n  /* b */\n  policy = "read" // line\n} # after\n\n# last\n',
  ],
  'a comment after a value below its name': [
    'key "a" {\n  policy =\n    "read" # c\n}',
    'key_prefix "a" {\n  policy = "read"\n} # c',
  ],
  'an empty block next to another': [
    'key "a" {}\nkey "b" {}\n\nkey "c" {}',
    'key_prefix "a" {}\nkey_prefix "b" {}\n\nkey_prefix "c" {}',
  ],
  'quoted words': ['"key" "foo" { "policy" = "read" }', 'key_prefix "foo" {\n  policy = "read"\n}'],
  'the nested form': [
    'key { "foo" { policy = "read" } }',
    'key_prefix {\n  "foo" {\n    policy = "read"\n  }\n}',
  ],
  JSON: [
    '{"key":{"policy":{"policy":"read"}},"operator":"read"}',
    'key_prefix "policy" {\n  policy = "read"\n}\n\n"operator" = "read"',
  ],
  'JSON with several segments and lists': [
    '{"service":[{"a":{"policy":"write","intentions":"read"},"b":{"policy":"read"}}]}',
    'service_prefix "a" {\n  policy = "write"\n\n  "intentions" = "read"\n}\n\nservice_prefix "b" {\n  policy = "read"\n}',
  ],
  'a level that does not exist': ['key "a" { policy = "bogus" }', 'key_prefix "a" {\n  policy = "bogus"\n}'],
  'empty text': ['', ''],
  'an empty object': ['{}', ''],
}

/** Legacy rules that a policy cannot hold, as the reference translates them, and as we do. */
const NOT_STORABLE: Readonly<Record<string, readonly [legacy: string, kept: string, storable: string]>> = {
  'a duplicate segment': [
    'key "a" { policy = "read" }\nkey "a" { policy = "write" }',
    'key_prefix "a" {\n  policy = "read"\n}\n\nkey_prefix "a" {\n  policy = "write"\n}',
    'key_prefix "a" {\n  policy = "write"\n}\n\n# not translated: merged with the first rule for the same name\n# key_prefix "a" {\n#   policy = "write"\n# }',
  ],
  'a duplicate segment that adds intentions': [
    'service { "a" { policy = "read" } "a" { policy = "read" intentions = "write" } }',
    'service_prefix {\n  "a" {\n    policy = "read"\n  }\n\n  "a" {\n    policy = "read"\n\n    intentions = "write"\n  }\n}',
    'service_prefix {\n  "a" {\n    policy = "read"\n\n    intentions = "write"\n  }\n\n  # not translated: merged with the first rule for the same name\n  # "a" {\n  #   policy = "read"\n  #\n  #   intentions = "write"\n  # }\n}',
  ],
  'a scalar twice: the last counts': [
    'operator = "read"\noperator = "write"',
    'operator = "read"\n\noperator = "write"',
    '# not translated: a later one replaces it\n# operator = "read"\n\noperator = "write"',
  ],
  'an attribute twice: the last counts': [
    'key "a" {\n  policy = "write"\n  policy = "read"\n}',
    'key_prefix "a" {\n  policy = "write"\n  policy = "read"\n}',
    'key_prefix "a" {\n  # not translated: a later one replaces it\n  # policy = "write"\n  policy = "read"\n}',
  ],
  'sentinel, with a here-document': [
    'key "a" {\n  policy = "write"\n  sentinel {\n    code = <<EOF\nmain = rule\n  { true }\nEOF\n    enforcementlevel = "soft-mandatory"\n  }\n}',
    'key_prefix "a" {\n  policy = "write"\n\n  sentinel {\n    code = <<EOF\nmain = rule\n  { true }\nEOF\n\n    enforcementlevel = "soft-mandatory"\n  }\n}',
    'key_prefix "a" {\n  policy = "write"\n\n  # not translated: legacy evaluation ignored this attribute\n  # sentinel {\n  #   code = <<EOF\n  #   main = rule\n  #     { true }\n  #   EOF\n  #\n  #   enforcementlevel = "soft-mandatory"\n  # }\n}',
  ],
}

test.each(Object.keys(NOT_STORABLE))('%s: as the reference, or storable', (name) => {
  const [legacy = '', kept, storable] = NOT_STORABLE[name] ?? []
  expect(keep(legacy)).toBe(kept)
  expect(commentOut(legacy)).toBe(storable)
})

test('a rule that is commented out has a note with its place', () => {
  const text = 'key "a" {\n  policy = "read"\n  sentinel = 1\n}\nkey "a" { policy = "deny" }'
  const { notes } = translateLegacyRules(text, { widening: 'comment-out' })
  expect(notes).toMatchObject([
    { code: 'ignored_rule_commented_out', line: 3, column: 3 },
    { code: 'repeated_rule_commented_out', line: 5, column: 1 },
  ])
})

test.each(Object.keys(AS_THE_REFERENCE))('translates %s byte for byte like the reference', (name) => {
  const [legacy = '', translated] = AS_THE_REFERENCE[name] ?? []
  expect(keep(legacy)).toBe(translated)
  expect(commentOut(legacy)).toBe(translated)
})

test('keep: rules that legacy evaluation ignored take effect, as in the reference, with a note', () => {
  const { rules, notes } = translateLegacyRules('acl = "write"\nKEY "a" { policy = "read" }', {
    widening: 'keep',
  })
  expect(rules).toBe('acl = "write"\n\nKEY "a" {\n  policy = "read"\n}')
  expect(notes).toMatchObject([{ code: 'ignored_rule_kept', line: 1, column: 1 }])
})

test('comment-out: rules that legacy evaluation ignored become comments (decisions: upgrade)', () => {
  const { rules, notes } = translateLegacyRules(
    '# mine\nacl = "write"\nkey_prefix "" {\n  policy = "write"\n}\nkey "a" { policy = "read" }',
    { widening: 'comment-out' },
  )
  expect(rules).toBe(
    [
      '# mine',
      '# not translated: legacy evaluation ignored this rule',
      '# acl = "write"',
      '',
      '# not translated: legacy evaluation ignored this rule',
      '# key_prefix "" {',
      '#   policy = "write"',
      '# }',
      '',
      'key_prefix "a" {',
      '  policy = "read"',
      '}',
    ].join('\n'),
  )
  expect(notes.map(({ code, line }) => [code, line])).toEqual([
    ['ignored_rule_commented_out', 2],
    ['ignored_rule_commented_out', 3],
  ])
})

test('comment-out: a kind in capitals remains a prefix', () => {
  expect(commentOut('KEY "a" { policy = "read" }')).toBe('key_prefix "a" {\n  policy = "read"\n}')
})

test('a segment named like a kind keeps its name, unlike in the reference', () => {
  expect(keep('service { "key" { policy = "read" } }')).toBe(
    'service_prefix {\n  "key" {\n    policy = "read"\n  }\n}',
  )
})

test('the end of a here-document stays alone on its line even if a comment follows, unlike in the reference', () => {
  const text = 'foo "a" { # why\n  code = <<EOF\nx\nEOF\n}'
  expect(keep(text)).toBe('foo "a" {\n  # why\n  code = <<EOF\nx\nEOF\n}')
})

test.each(['key "a" {', '[]', '"str"', 'key = ', '{"key": }'])(
  '400 rules_invalid: %s is neither HCL nor JSON',
  (text) => {
    expect(() => keep(text)).toThrow(expect.objectContaining({ code: 'rules_invalid', status: 400 }))
  },
)

const TEXTS = fuzzCount(8_000)

test('a policy stores what a translation prints, and it decides like legacy evaluation (decisions: upgrade)', {
  timeout: 600_000,
}, () => {
  const random = new SeededRandom(chooseSeed('translation'))
  let compared = 0
  for (let left = TEXTS; left > 0; left--) {
    const text = random.pick([randomHcl, randomJson, randomRepetitions])(random)
    const legacy = readable(() => parseLegacyRules(text))
    if (legacy === undefined) continue
    expectSameDecisions(legacy, stored(commentOut(text), text), text)
    compared++
  }
  expect(compared).toBeGreaterThan(TEXTS / 3)
})

/** Few names, so that rules and attributes repeat, in every form and with what legacy evaluation ignores. */
function randomRepetitions(random: SeededRandom): string {
  const isJson = random.chance(0.3)
  const level = () => random.pick(['"read"', '"write"', '"deny"', '"WRITE"', '"Deny"'])
  const list = (count: number, one: () => string) =>
    Array.from({ length: random.below(count) }, one).join(isJson ? ', ' : random.pick([' ', '\n', ' # c\n']))
  const set = (name: string, value: string) => (isJson ? `"${name}": ${value}` : `${name} = ${value}`)
  const attribute = () =>
    random.pick([
      () => set('policy', level()),
      () => set(random.pick(['intentions', 'Intentions']), random.pick([level(), '""'])),
      () => (isJson ? '"sentinel": {"code": "x"}' : 'sentinel {\n code = <<E\nx\nE\n }'),
      () => set('note', '1'),
    ])()
  const body = () => {
    const rest = list(4, attribute)
    const separator = isJson ? ', ' : '\n'
    return `{ ${set('policy', level())}${rest === '' ? '' : separator}${rest}\n}`
  }
  const named = () => `"${random.pick(['', 'a', 'a/b'])}"${isJson ? ':' : ''} ${body()}`
  const kind = () => random.pick(['service', 'service', 'key', 'node', 'SERVICE', 'service_prefix'])
  const rule = () =>
    random.pick([
      () => (isJson ? `"${kind()}": { ${named()} }` : `${kind()} ${named()}`),
      () => (isJson ? `"${kind()}": [{ ${named()} }]` : `${kind()} { ${list(3, named)} }`),
      () => set(random.pick(['operator', 'keyring', 'acl']), random.pick([level(), '""'])),
    ])()
  return isJson ? `{ ${list(6, rule)} }` : `${list(6, rule)}\n`
}

/** Reads the rules as the policy endpoint does. */
function stored(rules: string, legacy: string): RuleSet {
  try {
    return parseRules(rules)
  } catch (error) {
    return expect.fail(`${String(error)}\n${JSON.stringify({ legacy, rules })}`)
  }
}

function readable(read: () => RuleSet): RuleSet | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof AclError) return undefined
    throw error
  }
}

/** Compares decisions for every name of either set, below every prefix, and for unnamed segments. */
function expectSameDecisions(a: RuleSet, b: RuleSet, text: string): void {
  const questions = [
    ...probeQuestions(a, EMPTY_RULE_SET),
    ...probeQuestions(EMPTY_RULE_SET, b),
    ...EVERYTHING,
  ]
  for (const defaultPolicy of ['allow', 'deny'] as const) {
    const before = compileAuthorizer([anInput(a)], { defaultPolicy })
    const after = compileAuthorizer([anInput(b)], { defaultPolicy })
    for (const question of questions) {
      if (before.decide(question) !== after.decide(question)) expect.fail(JSON.stringify({ text, question }))
    }
  }
}

const EVERYTHING = [
  { resource: 'acl', access: 'write' },
  { resource: 'mesh', access: 'write' },
  { resource: 'key', segment: 'nothing', access: 'write' },
  { resource: 'service', segment: 'nothing', access: 'read' },
] as const
