// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${` is part of the language under test.
import { limits } from '@latchkey/contract'
import { printRules } from '@latchkey/testkit/rules/print-rules'
import { expect, test } from 'vitest'
import { parseLegacyRules, parseRules } from './parse-rules.ts'
import type { Rule } from './rule.ts'

/** `kind/match segment level[/intentions]`, one per rule. */
function brief(rules: readonly Rule[]): string[] {
  return rules.map(
    ({ kind, match, segment, level, intentions }) =>
      `${kind}/${match} ${JSON.stringify(segment)} ${level}${intentions === undefined ? '' : `/${intentions}`}`,
  )
}

const VALID: Readonly<Record<string, readonly [text: string, ...rules: string[]]>> = {
  'an empty text': [''],
  'blanks and comments alone': ['\n\t # a\n // b\n /* c\n */ /*/ d */ '],
  'a lone {, as in the reference': ['{'],
  'an empty object': ['{}'],
  'a scalar': ['acl = "read"', 'acl/scalar "" read'],
  'every scalar kind': [
    'acl = "deny" keyring = "read" mesh = "write" operator = "read" peering = "deny"',
    'acl/scalar "" deny',
    'keyring/scalar "" read',
    'mesh/scalar "" write',
    'operator/scalar "" read',
    'peering/scalar "" deny',
  ],
  'a scalar with an empty level': ['operator = ""'],
  'an exact rule and a prefix of the same segment': [
    'key "a" { policy = "read" }\nkey_prefix "a" { policy = "list" }',
    'key/exact "a" read',
    'key/prefix "a" list',
  ],
  intentions: ['service "a" { policy = "read" intentions = "write" }', 'service/exact "a" read/write'],
  'case-insensitive names, case-sensitive segments': [
    'KEY_Prefix "A" { Policy = "write" }\nAcl = "read"',
    'key/prefix "A" write',
    'acl/scalar "" read',
  ],
  'case-sensitive levels: a misspelled one is none, but deny still denies': [
    'key "A" { policy = "WRITE" }\nacl = "Read"\nservice "a" { policy = "Deny" intentions = "WRITE" }',
    'key/exact "A" none',
    'acl/scalar "" none',
    'service/exact "a" deny/none',
  ],
  'a segment without quotes': ['node web-1.dc1 { policy = "read" }', 'node/exact "web-1.dc1" read'],
  'a quoted kind': ['"key" "a" { "policy" = "read" }', 'key/exact "a" read'],
  'the nested form': [
    'key { "a" { policy = "read" } b { policy = "deny" } }',
    'key/exact "a" read',
    'key/exact "b" deny',
  ],
  'the nested form with =': ['key = { "a" = { policy = "read" } }', 'key/exact "a" read'],
  'commas between items': [
    'acl = "read", operator = "read",',
    'acl/scalar "" read',
    'operator/scalar "" read',
  ],
  escapes: [
    String.raw`key "\"\\\n\t\u00e9\U0001F600\x41\101\xc3\xa9" { policy = "read" }`,
    `key/exact ${JSON.stringify('"\\\n\té\u{1f600}AAé')} read`,
  ],
  'an interpolation as literal text': [
    'key "${a"b}\\n" { policy = "read" }',
    `key/exact ${JSON.stringify('${a"b}\n')} read`,
  ],
  'escapes at their bounds': [
    String.raw`key "\ud7ff\ue000\U0010FFFF\xef\xbb\xbf\x7f" { policy = "read" }`,
    `key/exact ${JSON.stringify('\ud7ff\ue000\u{10ffff}\ufeff\x7f')} read`,
  ],
  'an interpolation over two lines': [
    'key "${a\nb}" { policy = "read" }',
    `key/exact ${JSON.stringify('${a\nb}')} read`,
  ],
  'quotes and braces in an interpolation': [
    'key "${ {a} "b" }" { policy = "read" }',
    `key/exact ${JSON.stringify('${ {a} "b" }')} read`,
  ],
  'Windows line ends': ['key "a" {\r\n  policy = "read"\r\n}\r\n', 'key/exact "a" read'],
  JSON: [
    '{"acl":"read","key_prefix":{"foo/":{"policy":"write"}}}',
    'acl/scalar "" read',
    'key/prefix "foo/" write',
  ],
  'JSON with lists': [
    ' {"key":[{"a":{"policy":"read"}},{"b":[{"policy":"deny"}]}],"operator":null}',
    'key/exact "a" read',
    'key/exact "b" deny',
  ],
  'JSON with escapes': [
    '{"key":{"a\\/\\u00e9\\ud83d\\ude00${":{"policy":"read"}}}',
    `key/exact ${JSON.stringify('a/é\u{1f600}${')} read`,
  ],
}

test.each(Object.keys(VALID))('reads %s', (name) => {
  const [text = '', ...rules] = VALID[name] ?? []
  const ruleSet = parseRules(text)
  expect(brief(ruleSet.rules)).toEqual(rules)
  expect(brief(parseRules(printRules(ruleSet)).rules)).toEqual(rules)
})

test('a rule has the line and column of its keyword, from 1', () => {
  const { rules } = parseRules(
    '# c\nacl = "read"\n  key "a" { policy = "read" }\nnode { "x" { policy = "read" } }',
  )
  expect(rules.map(({ line, column }) => [line, column])).toEqual([
    [2, 1],
    [3, 3],
    [4, 8],
  ])
})

/** Text, position, and what the message must name as found and as expected. */
const INVALID: readonly (readonly [
  text: string,
  line: number,
  column: number,
  found: string,
  expected: string,
])[] = [
  ['acl = "bogus"', 1, 7, 'the level "bogus"', '"read" or "write" or "deny"'],
  ['acl = "list"', 1, 7, 'the level "list"', '"read" or "write" or "deny"'],
  ['acl = read', 1, 7, 'the word read', 'a value'],
  ['acl = 5', 1, 7, '5', 'acl = "read"'],
  ['acl = false', 1, 7, 'false', 'acl = "read"'],
  ['foo = ["a" "b"]', 1, 12, 'the string "b"', '"," or "]"'],
  ['acl =', 1, 6, 'the end of the text', 'a value'],
  ['keyring {}', 1, 9, '{', 'keyring = "read"'],
  ['operator "x" { policy = "read" }', 1, 10, '"x"', '"=" and a level after operator'],
  ['acl = ["read"]', 1, 7, '[', 'acl = "read"'],
  ['key "a" { policy = "foo" }', 1, 20, 'the level "foo"', '"read" or "list" or "write" or "deny"'],
  ['node "a" { policy = "list" }', 1, 21, 'the level "list"', '"read" or "write" or "deny"'],
  ['key "a" { policy = "" }', 1, 20, 'the level ""', '"read"'],
  ['key "a" {\n}', 2, 1, 'the end of the block', 'policy = '],
  ['key "a" = { policy = "read" }', 1, 9, '"="', '"{" after key "a"'],
  ['key "a" "b" { policy = "read" }', 1, 9, '"b"', '"{" after key "a"'],
  ['key { policy = "read" }', 1, 16, '"read"', 'a block'],
  ['key = "read"', 1, 7, '"read"', 'a segment after key'],
  ['key = [{ "a" = { policy = "read" } }]', 1, 7, '[', 'a segment after key'],
  ['key "a" {', 1, 10, 'the end of the text', '"}" for the "{" of line 1, column 9'],
  ['key "a" { policy = "read" } }', 1, 29, '"}"', 'the kind of a rule'],
  ['key "a', 1, 5, 'a string that does not end', 'a closing "'],
  ['key "\\q" {}', 1, 5, 'the escape \\q', 'a known escape'],
  ['key "\\xff" { policy = "read" }', 1, 5, 'bytes that are not UTF-8', 'valid Unicode'],
  ['key "\\ud83d" { policy = "read" }', 1, 5, 'the escape \\ud83d', 'a known escape'],
  ['key "\\ud800" { policy = "read" }', 1, 5, 'the escape \\ud800', 'a known escape'],
  ['key "\\udfff" { policy = "read" }', 1, 5, 'the escape \\udfff', 'a known escape'],
  ['key "\\U00110000" { policy = "read" }', 1, 5, 'the escape \\U00110000', 'a known escape'],
  ['key "\\x80" { policy = "read" }', 1, 5, 'bytes that are not UTF-8', 'valid Unicode'],
  ['key "\ud83d" {}', 1, 6, 'an unpaired surrogate', 'text'],
  ['a\n\u0000', 2, 1, 'a null character', 'text'],
  ['\ufeffacl = "read"', 1, 1, 'U+FEFF', 'a rule'],
  ['/* a', 1, 1, 'a comment that does not end', 'a closing */'],
  ['/ a', 1, 1, '"/"', 'a comment'],
  ['acl = <<E\nread', 1, 7, '<<E that does not end', 'a line with nothing but E'],
  ['acl = <<E\nread\nE\n', 1, 7, '<<E…', 'acl = "read"'],
  ['foo "x" { policy = "read" }', 1, 1, 'the unknown kind foo', 'a kind of rule: acl, agent'],
  ['\u212aey "a" { policy = "read" }', 1, 1, 'the unknown kind \u212aey', 'a kind of rule'],
  ['acl_prefix "" { policy = "read" }', 1, 1, 'the unknown kind acl_prefix', 'a kind of rule'],
  ['key "a" { policy = "read"\n sentinel { code = "x" } }', 2, 2, 'the unknown attribute sentinel', 'policy'],
  ['key "a" { policy = "read" intentions = "read" }', 1, 27, 'the unknown attribute intentions', 'policy'],
  [
    'service "a" { policy = "read" policy = "write" }',
    1,
    31,
    'policy a second time',
    'the first is on line 1',
  ],
  ['acl = "read"\nacl = "read"', 2, 1, 'acl a second time', 'the first is on line 1, column 1'],
  ['acl = ""\nacl = "read"', 2, 1, 'acl a second time', 'the first is on line 1, column 1'],
  ['key "${\\}}" { policy = "read" }', 1, 5, 'the escape \\}', 'a known escape'],
  [
    'key "a" { policy = "read" }\nkey { "a" { policy = "read" } }',
    2,
    7,
    'key "a" a second time',
    'the first is on line 1, column 1',
  ],
  ['{"acl":"read","acl":"read"}', 1, 15, '"acl" a second time', 'each name once'],
  [
    '{"key":{"a":[{"policy":"read"},{"policy":"read"}]}}',
    1,
    32,
    'key "a" a second time',
    'the first is on line 1, column 14',
  ],
  [
    '{"key":[{"a":{"policy":"read"}},\n{"a":{"policy":"read"}}]}',
    2,
    2,
    'key "a" a second time',
    'the first is on line 1, column 10',
  ],
  [
    '{"key":{"a":{"policy":"read","policy":"read"}}}',
    1,
    30,
    'policy a second time',
    'the first is on line 1, column 14',
  ],
  [
    '{"key":{"a":{"policy":"read"},"a":{"policy":"read"}}}',
    1,
    31,
    '"a" a second time',
    'each name once; the first is on line 1, column 9',
  ],
  ['{"key":[{"a":{"policy":"read"}},]}', 1, 33, '"]"', 'the next element'],
  ['{"acl":"read"', 1, 14, 'the end of the text', '"," or "}"'],
  ['{"acl":"read",}', 1, 15, '"}"', 'a string'],
  ['{"acl":"read"} x', 1, 16, 'x', 'the end of the text'],
  ['{"acl":"read"}{}', 1, 15, '{}', 'the end of the text'],
  ['{"key":{"\\ud83d":{"policy":"read"}}}', 1, 9, 'an unpaired surrogate', 'valid Unicode'],
  ['{"key":{"a":null}}', 1, 13, 'null', 'a block'],
  ['[]', 1, 1, '"["', 'the kind of a rule'],
  ['"str"', 1, 6, 'the end of the text', '"="'],
]

test.each(INVALID)(
  '400 rules_invalid: %j, with line, column, found and expected',
  (text, line, column, found, expected) => {
    expect(() => parseRules(text)).toThrow(
      expect.objectContaining({
        code: 'rules_invalid',
        details: expect.objectContaining({ field: 'Rules', line, column }),
        message: expect.stringContaining(`line ${line}, column ${column}: found ${found}`),
      }),
    )
    expect(() => parseRules(text)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(expected) }),
    )
  },
)

test('nesting is bounded: 64 levels pass, 65 and more are refused', () => {
  const nested = (depth: number) => `foo = ${'['.repeat(depth)}${']'.repeat(depth)}`
  expect(parseRules(nested(64), { lenient: true }).rules).toEqual([])
  expect(() => parseRules(nested(65), { lenient: true })).toThrow(/at most 64 levels/)
  const nestedJson = (depth: number) => `{"foo":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  expect(parseRules(nestedJson(64), { lenient: true }).rules).toEqual([])
  expect(() => parseRules(nestedJson(65), { lenient: true })).toThrow(/at most 64 levels/)
  expect(() => parseRules('a{'.repeat(50_000))).toThrow(/at most 64 levels/)
  expect(() => parseRules(`{"a":${'['.repeat(100_000)}`)).toThrow(/at most 64 levels/)
})

test('the length is bounded in bytes: RULES_BYTES_MAX passes, one more is field_too_long', () => {
  const comment = (bytes: number) => `#${'é'.repeat((bytes - 2) / 2)}a`
  expect(parseRules(comment(limits.RULES_BYTES_MAX)).rules).toEqual([])
  expect(() => parseRules(`${comment(limits.RULES_BYTES_MAX)}a`)).toThrow(
    expect.objectContaining({ code: 'field_too_long', details: expect.objectContaining({ field: 'Rules' }) }),
  )
})

test('kinds that the service version does not have are unknown', () => {
  const kinds = new Set(['acl', 'key'] as const)
  expect(brief(parseRules('acl = "read"', { kinds }).rules)).toEqual(['acl/scalar "" read'])
  expect(() => parseRules('mesh = "read"', { kinds })).toThrow(
    /unknown kind mesh, expected a kind of rule: acl, key, key_prefix/,
  )
})

test('lenient: accepts what strict parsing refuses, each with a warning; duplicates merge as between policies', () => {
  const text = [
    'foo "x" {}',
    'key "a" { policy = "read" policy "x" {} }',
    'key "a" { policy = "deny" }',
    'key "a" { policy = "write" }',
    'acl = "read"',
    'acl = "deny"',
    'acl = "write"',
    'service "s" { policy = "write" }',
    'service "s" { policy = "read" intentions = "deny" }',
    'service "s" { policy = "read" intentions = "write" sentinel {} }',
  ].join('\n')
  const { rules, warnings } = parseRules(text, { lenient: true })
  expect(brief(rules)).toEqual(['key/exact "a" deny', 'acl/scalar "" write', 'service/exact "s" write/deny'])
  expect(warnings.map(({ code, line }) => `${line} ${code}`)).toEqual([
    '1 kind_ignored',
    '2 attribute_ignored',
    '3 duplicate_merged',
    '4 duplicate_merged',
    '6 duplicate_merged',
    '7 duplicate_merged',
    '9 duplicate_merged',
    '10 attribute_ignored',
    '10 duplicate_merged',
  ])
})

test.each([
  ['{"acl":"read",}', 15],
  ['{"acl":"read"', 14],
  ['{"acl":"read"} x "', 16],
  ['{"acl":"read" "key":{}}', 15],
])('lenient: %s passes as in the reference, with a warning', (text, column) => {
  const { rules, warnings } = parseRules(text, { lenient: true })
  expect(brief(rules)).toEqual(['acl/scalar "" read'])
  expect(warnings).toMatchObject([{ code: 'syntax_tolerated', line: 1, column }])
})

test('lenient: an unexpected token in JSON closes every object, and nothing after it counts', () => {
  const { rules } = parseRules('{"key":{"a":{"policy":"read"} "b","acl":"write"}', { lenient: true })
  expect(brief(rules)).toEqual(['key/exact "a" read'])
})

test.each(['E', 'E'.repeat(1_001)])(
  'lenient: the first line with nothing but blanks and its name ends a here-document (%#)',
  (name) => {
    for (const end of [name, `\t ${name}`, `\v\f\r${name}`, `${name}\r`]) {
      const text = `foo = <<${name}\nacl = "deny"\n${name}E\nE${name}\n${end}\nacl = "read"`
      expect(brief(parseRules(text, { lenient: true }).rules), JSON.stringify(end)).toEqual([
        'acl/scalar "" read',
      ])
    }
  },
)

test('lenient: the last duplicate of a scalar counts, even an empty one', () => {
  expect(parseRules('acl = "read"\nacl = ""', { lenient: true }).rules).toEqual([])
})

test('lenient parsing still refuses bad levels and bad syntax', () => {
  expect(() => parseRules('acl = "bogus"', { lenient: true })).toThrow(/bogus/)
  expect(() => parseLegacyRules('key "a" {')).toThrow(/the end of the text/)
})

test('legacy: every segment is a prefix; acl, *_prefix and unknown kinds are ignored', () => {
  const { rules, warnings } = parseLegacyRules(
    'key "a" { policy = "list" }\nacl = "bogus"\nkey_prefix "" { policy = "write" }\nmesh = "write"\noperator = "read"',
  )
  expect(brief(rules)).toEqual(['key/prefix "a" list', 'operator/scalar "" read'])
  expect(warnings.map(({ code, line }) => `${line} ${code}`)).toEqual([
    '2 kind_ignored',
    '3 kind_ignored',
    '4 kind_ignored',
  ])
})

test.each([
  ['read', 'write', 'write'],
  ['write', 'read', 'write'],
  ['deny', 'write', 'deny'],
  ['write', 'deny', 'deny'],
])('legacy: %s and then %s on one segment merge to %s', (first, second, merged) => {
  const { rules } = parseLegacyRules(`key "a" { policy = "${first}" }\nkey "a" { policy = "${second}" }`)
  expect(brief(rules)).toEqual([`key/prefix "a" ${merged}`])
})
