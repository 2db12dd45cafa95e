import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { randomHcl, randomJson } from '@latchkey/testkit/rules/random-texts'
import { expect, test } from 'vitest'
import { parseRules } from '../language/parse-rules.ts'
import { formatRules } from './format-rules.ts'

const MESSY =
  '# shop\nkey_prefix "a/" {policy="read"}   // why\n\n\n  service "web"   { policy =    "write"\n intentions="read" }\nacl="read"\n'

/** The rules without their positions, which formatting changes, or the error. */
function meaningOf(text: string): string {
  try {
    return JSON.stringify(parseRules(text), (name, value) =>
      name === 'line' || name === 'column' ? 0 : value,
    )
  } catch {
    return 'refused'
  }
}

test('prints one layout, and keeps comments and order', () => {
  expect(formatRules(MESSY)).toBe(`# shop
key_prefix "a/" {
  policy = "read"
} // why

service "web" {
  policy     = "write"
  intentions = "read"
}

acl = "read"
`)
})

test.each([MESSY, '{"key":{"a":{"policy":"read"}},"acl":"read"}', '', '# only a comment'])(
  'keeps the meaning of %j, and changes nothing the second time',
  (text) => {
    const once = formatRules(text)
    expect(meaningOf(once)).toBe(meaningOf(text))
    expect(formatRules(once)).toBe(once)
  },
)

test('keeps the meaning of random texts, and changes nothing the second time', () => {
  const random = new SeededRandom(chooseSeed('formatting'))
  const texts = fuzzCount(2_000)
  for (let run = 0; run < texts; run += 1) {
    const text = run % 2 === 0 ? randomHcl(random) : randomJson(random)
    let once: string
    try {
      once = formatRules(text)
    } catch {
      continue
    }
    expect(meaningOf(once), text).toBe(meaningOf(text))
    expect(formatRules(once), text).toBe(once)
  }
})

test('refuses what a policy cannot have: rules_invalid', () => {
  expect(() => formatRules('key {{')).toThrow(expect.objectContaining({ code: 'rules_invalid' }))
})

test('breaks the line before a comment of several lines if any comment before it on the line ends with the line', () => {
  const text = 'node "a" {\n  # x\n  /* a */ /* b\n} */\n\n  policy = "read"\n}\n'
  expect(formatRules(text)).toBe('node "a" {\n  # x  /* a */\n  /* b\n} */\n\n  policy = "read"\n}\n')
})
