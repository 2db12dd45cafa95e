import { describe, expect, test } from 'vitest'
import { analyzeRules } from './analyze-rules.ts'
import { isPlain } from './plain-rules.ts'

const analyze = (text: string) => analyzeRules(text, { widening: 'keep' })

describe('a segment named twice', () => {
  const change = 'write on key "a"'
  test.each([
    ['read', 'write', undefined],
    ['write', 'read', { losses: [], gains: expect.arrayContaining([change]) }],
    ['deny', 'write', { gains: [], losses: expect.arrayContaining([change]) }],
    ['write', 'deny', undefined],
  ])('%s, %s: before 1.4.0 the last one wins, then the stronger', (first, second, difference) => {
    expect(analyze(`key "a" { policy = "${first}" }\nkey "a" { policy = "${second}" }`).at140).toEqual(
      difference,
    )
  })

  test('in the nested form the older meaning cannot be determined, and the result says so', () => {
    expect(analyze('key { "a" { policy = "write" } "a" { policy = "read" } }')).toMatchObject({
      isDuplicateUnclear: true,
    })
  })
})

describe('translation', () => {
  test('acl and *_prefix were ignored and become effective', () => {
    const { ignored, translated } = analyze('acl = "write"\nkey_prefix "x" { policy = "write" }')
    expect(ignored).toHaveLength(2)
    expect(translated?.gains).toEqual(expect.arrayContaining(['write on acl', 'write on key "x"']))
    expect(translated?.losses).toEqual([])
  })

  test('our own translation never widens: it comments the ignored lines out', () => {
    const { translated } = analyzeRules('acl = "write"\nkey "x" { policy = "read" }', {
      widening: 'comment-out',
    })
    expect(translated).toBeUndefined()
  })

  test('a name mistaken for a keyword moves the right: service { "key" {…} }', () => {
    expect(analyze('service { "key" { policy = "read" } }').translated?.losses).toContain(
      'read on service "key"',
    )
    expect(analyze('service { "web" { policy = "read" } }').translated).toBeUndefined()
  })

  test('capitals are not translated, so a prefix becomes an exact rule', () => {
    expect(analyze('KEY "foo" { policy = "read" }').translated?.losses).toEqual(['read on key "fooother"'])
  })

  test('JSON means the same', () => {
    expect(analyze('{"key":{"a":{"policy":"read"}}}')).toEqual({ ignored: [] })
  })
})

test.each([
  ['operator = "WRITE"', true],
  ['{"key":{"a":{"policy":"WRITE"}}}', true],
  ['{"key":{"a\\/b":{"policy":"read"}}}', false],
])('a text that the source service reads differently: %s', (text, isLevelCase) => {
  expect(analyze(text).reading?.isLevelCase).toBe(isLevelCase)
})

test.each(['key "a" {', 'key "a" { policy = "bogus" }', '[', '"str"'])('%s cannot be read', (text) => {
  expect(analyze(text).unreadable).toBeDefined()
})

describe('plain texts need no parser', () => {
  test.each([
    '',
    'key "a/b" { policy = "write" }',
    'key "" { policy = "list" }\nservice "web" { policy = "write" } node "" { policy = "read" }\noperator = "read"',
    'service "a" {\n  policy = "read"\n  intentions = "write"\n}',
    'key "a" { policy = "read" } // end',
  ])('%s', (text) => {
    expect(isPlain(text)).toBe(true)
    expect(analyze(text)).toEqual({ ignored: [] })
  })

  test.each(['\ufeff', '\u00a0', '\v', '\f', '\u2028'])(
    'white space that rules may not have: %j',
    (space) => {
      const text = 'key "a" { policy = "read" }'
      const texts = [space + text, text.replace(' ', space), text + space]
      expect(texts.filter((each) => analyze(each).unreadable === undefined)).toEqual([])
    },
  )

  test.each(['\0', '\ud800'])('a character that rules may not have: %j', (refused) => {
    const texts = [`key "${refused}" { policy = "read" }`, `# ${refused}\nkey "a" { policy = "read" }`]
    expect(texts.filter((each) => analyze(each).unreadable === undefined)).toEqual([])
  })

  test.each([
    'key "a" { policy = "read" } key "a" { policy = "read" }',
    'key_prefix "a" { policy = "read" }',
    'service "a" { policy = "list" }',
    'KEY "a" { policy = "read" }',
    'key "a\\"b" { policy = "read" }',
    'acl = "read"',
    'operator = "read"x',
  ])('not plain: %s', (text) => {
    expect(isPlain(text)).toBe(false)
  })
})
