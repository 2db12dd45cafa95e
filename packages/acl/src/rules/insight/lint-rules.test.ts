import { limits } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { globalManagementRules } from '../decide/generated-rules.ts'
import { lintRules } from './lint-rules.ts'

/** `line:column severity code`. */
function brief(text: string): string[] {
  return lintRules(text).map(({ line, column, severity, code }) => `${line}:${column} ${severity} ${code}`)
}

test.each<readonly [string, readonly string[]]>([
  ['key "app/db" { policy = "read" }', []],
  ['key "a" {', ['1:10 error text_invalid']],
  ['acl = "bogus"', ['1:7 error text_invalid']],
  [
    'node "n" { policy = "read" }\nfoo "x" {}\n  key "a" { policy = "read" x = 1 }',
    ['2:1 error kind_unknown', '3:29 error attribute_unknown'],
  ],
  ['key "a" { policy = "read" }\nkey "a" { policy = "read" }', ['2:1 error duplicate']],
  ['key "a" { policy = "read" }\nacl = ""', ['2:7 warning level_unset']],
  [
    'key_prefix "" { policy = "WRITE" }',
    ['1:1 info grants_nothing', '1:1 info deny_without_grant', '1:26 warning level_case'],
  ],
  ['', ['1:1 info grants_nothing']],
  ['key_prefix "a" { policy = "deny" }', ['1:1 info grants_nothing', '1:1 info deny_without_grant']],
  ['key_prefix "a" { policy = "read" }\nkey_prefix "ab" { policy = "read" }', ['2:1 info shadowed']],
  ['key_prefix "a" { policy = "read" }\nkey "a" { policy = "read" }', ['2:1 info shadowed']],
  ['key_prefix "a" { policy = "read" }\nkey_prefix "ab" { policy = "deny" }', []],
  [
    'key_prefix "a" { policy = "read" }\nkey_prefix "ab" { policy = "deny" }\nkey "abc" { policy = "read" }',
    [],
  ],
  [
    'service_prefix "a" { policy = "read" }\nservice "ab" { policy = "read" intentions = "read" }',
    ['2:1 info shadowed'],
  ],
  ['service_prefix "a" { policy = "read" }\nservice "ab" { policy = "read" intentions = "write" }', []],
  ['service "web*" { policy = "read" }', ['1:1 warning wildcard_is_literal']],
  ['key "app/" { policy = "read" }', ['1:1 warning exact_not_prefix']],
  ['key "" { policy = "read" }', ['1:1 warning exact_not_prefix']],
  ...[
    'key_prefix "${app}/"',
    'service "{{ .Name }}"',
    'key_prefix "/app"',
    'service "/web"',
    'service "Web UI"',
  ].map((rule) => [`${rule} { policy = "read" }`, ['1:1 warning unlikely_name']] as const),
  ...['key "Web UI"', 'key "a$b{c}"', 'service "web-ui_2.x"'].map(
    (rule) => [`${rule} { policy = "read" }`, []] as const,
  ),
  ['acl = "write"', ['1:1 warning broad_grant']],
  ['acl = "read"', []],
  ['service_prefix "" { policy = "read" intentions = "write" }', ['1:1 warning broad_grant']],
  ['key_prefix "" { policy = "list" }', ['1:1 info broad_read']],
])('%j gives %j', (text, findings) => {
  expect(brief(text)).toEqual(findings)
})

test('every rule of global-management is a broad grant', () => {
  expect(lintRules(globalManagementRules()).filter(({ code }) => code === 'broad_grant')).toHaveLength(10)
})

test('a shadowed rule names the rule that shadows it, and its line', () => {
  const [finding] = lintRules('\n\nkey_prefix "a" { policy = "read" }\nkey "ab" { policy = "read" }')
  expect(finding?.message).toBe(
    'key "ab" changes nothing: key_prefix "a" on line 3 already gives the same level',
  )
})

test.each([
  ['servce "a" { policy = "read" }', 'the unknown kind servce (did you mean service?)'],
  ['keys_prefix "a" { policy = "read" }', '(did you mean key_prefix?)'],
  ['namespace "a" { policy = "read" }', 'the unknown kind namespace, which belongs to another edition'],
  [
    'key "a" { policy = "read" sentinel { code = "" } }',
    'attribute sentinel, which belongs to another edition',
  ],
  ['service "a" { policy = "read" intention = "read" }', 'attribute intention (did you mean intentions?)'],
])('%j: an unknown word is explained', (text, message) => {
  expect(lintRules(text)[0]?.message).toContain(message)
})

test('kinds that the service version does not have are unknown', () => {
  expect(lintRules('mesh = "read"', { kinds: new Set(['acl']) })).toMatchObject([
    { code: 'kind_unknown' },
    { code: 'grants_nothing' },
  ])
})

test('DOS-05: lists the first LINT_FINDINGS_MAX findings in the order of the text, then one that counts the rest', () => {
  const found = lintRules('nothing = ""\n'.repeat(limits.LINT_FINDINGS_MAX + 5))
  expect(found).toHaveLength(limits.LINT_FINDINGS_MAX + 1)
  expect(found.at(-1)).toMatchObject({ code: 'findings_omitted', line: limits.LINT_FINDINGS_MAX - 1 })
  // The text has one finding more than lines: it grants nothing.
  expect(lintRules('nothing = ""\n'.repeat(limits.LINT_FINDINGS_MAX - 1))).toHaveLength(
    limits.LINT_FINDINGS_MAX,
  )
})

test('DOS-05: a finding quotes a bounded piece of the text', () => {
  const long = 'a'.repeat(100_000)
  const texts = [
    `key "${long}*" { policy = "read" }`,
    `key "${long}/" { policy = "deny" }`,
    `${long} = "x"`,
    `a=<<${long}\n`,
  ]
  for (const text of texts) {
    for (const { message } of lintRules(text)) expect(message.length).toBeLessThan(400)
  }
})
