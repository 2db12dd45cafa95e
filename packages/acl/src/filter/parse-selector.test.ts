import { limits } from '@latchkey/contract'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { printSelector } from '../../test/print-selector.ts'
import { selectorIn } from '../login/selector/check-selector.ts'
import { parseSelector as parse } from './parse-selector.ts'
import { printTerm } from './print-selector.ts'

const parseSelector = (text: string, field = 'Selector') => parse(text, selectorIn(field))

/** Selectors, and their canonical printed form. */
const READ: Readonly<Record<string, string>> = {
  'value.a == x': 'value.a == "x"',
  'value.a==x': 'value.a == "x"',
  'value.a!="x"': 'value.a != "x"',
  ' \t\r\nvalue.a == x \n': 'value.a == "x"',
  'value.a contains x': '"x" in value.a',
  'value.a not contains x': '"x" not in value.a',
  'value.a matches `^x\\d`': 'value.a matches "^x\\\\d"',
  'value.a not  matches x': 'value.a not matches "x"',
  'list.a is empty': 'list.a is empty',
  'list.a is not empty': 'list.a is not empty',
  '"x" in list.a': '"x" in list.a',
  'x not in list.a': '"x" not in list.a',
  'a.b in value': '"a.b" in value',
  '5 in value.a': '"5" in value.a',
  '-5.50 in value.a': '"-5.50" in value.a',
  'value.a == 0': 'value.a == "0"',
  '(value.a == 5)': 'value.a == "5"',
  'value.a == value.b': 'value.a == "value.b"',
  'value.a == x["y z"].w': 'value.a == "x.y z.w"',
  'value["a"] == x': 'value.a == "x"',
  'value["odd-name"][`b`].c == x': 'value["odd-name"].b.c == "x"',
  'a == x or b == y and c == z': 'a == "x" or b == "y" and c == "z"',
  '(a == x or b == y) and c == z': '(a == "x" or b == "y") and c == "z"',
  'a == x and (b == y and c == z)': 'a == "x" and (b == "y" and c == "z")',
  '( a==x ) and b==y': 'a == "x" and b == "y"',
  'not a == x and b == y': 'not a == "x" and b == "y"',
  'not (a == x and b == y)': 'not (a == "x" and b == "y")',
  'not not a == x': 'not not a == "x"',
  // Keywords are read as names and values if no other reading is possible.
  'not == x': 'not == "x"',
  'not in value': '"not" in value',
  'not not in value': 'not "not" in value',
  'not contains == x': 'not contains == "x"',
  'not contains x': '"x" in not',
  'not in in value': 'not "in" in value',
  'value.a == or or or == and and and == not': 'value.a == "or" or or == "and" and and == "not"',
  'value.a == ""': 'value.a == ""',
  'value.a == "\\x41\\102\\u0043\\U00000044\\n\\\\"': 'value.a == "ABCD\\u000a\\\\"',
  'value.a == "\\xc3\\xa9é"': 'value.a == "éé"',
  'value.a == `a\r\nb"`': 'value.a == "a\\u000ab\\u0022"',
}

test.each(Object.entries(READ))('%j means %j', (text, printed) => {
  expect(printSelector(parseSelector(text))).toBe(printed)
  expect(printSelector(parseSelector(printed))).toBe(printed)
})

/** Malformed selectors, with the place of the error. */
const REFUSED: readonly (readonly [text: string, line: number, column: number])[] = [
  ['', 1, 1],
  ['   ', 1, 4],
  ['not', 1, 4],
  ['value', 1, 6],
  ['value.a', 1, 8],
  ['value.', 1, 7],
  ['value.a = x', 1, 9],
  ['value.a == ', 1, 12],
  ['value.a == x y', 1, 14],
  ['value.a == x and', 1, 17],
  ['value.a == x && value.b == y', 1, 14],
  ['value.a == x || value.b == y', 1, 14],
  ['!value.a == x', 1, 1],
  ["value.a == 'x'", 1, 12],
  ['value.a == x # why', 1, 14],
  ['value.a == 05', 1, 12],
  ['value.a == 5x', 1, 12],
  ['value.a == 5.', 1, 12],
  ['value.a == +5', 1, 12],
  ['5 == value.a', 1, 3],
  ['"x" == value.a', 1, 5],
  ['"x" in "y"', 1, 8],
  ['value.a AND value.b', 1, 9],
  ['not(value.a == x)', 1, 4],
  ['(value.a == x)or(value.b == y)', 1, 15],
  ['(value.a == x) or(value.b == y)', 1, 18],
  ['value.a==x and(value.b==y)', 1, 15],
  ['(value.a == x', 1, 14],
  ['value.a == x)', 1, 13],
  ['()', 1, 2],
  ['value.a is nothing', 1, 12],
  ['value.a not is empty', 1, 13],
  ['value.a matches', 1, 16],
  ['value.a contains"x"', 1, 17],
  ['"x"in value.a', 1, 4],
  ['value["a" == x', 1, 10],
  ['value[a] == x', 1, 7],
  ['value["a', 1, 7],
  ['value.a == "x', 1, 12],
  ['value.a == "x\\"y"', 1, 12],
  ['value.a == "\\q"', 1, 12],
  ['value.a == "\\ud800"', 1, 12],
  ['value.a == "\\U00110000"', 1, 12],
  ['value.a == "\\xff"', 1, 12],
  ['value.a == "a\nb"', 1, 12],
  ['value.ä == x', 1, 7],
  ['1value == x', 1, 1],
  ['value.a == x and\n  value.b = y', 2, 11],
  ['"𝒳é" in value = x', 1, 15],
  ['"𝒳\ud835" in value', 1, 3],
]

test.each(REFUSED)('%j is refused at line %i, column %i', (text, line, column) => {
  const { code, field, message } = refusalOf(() => parseSelector(text))
  expect({ code, field }).toEqual({ code: 'selector_invalid', field: 'Selector' })
  expect(message).toContain(`Selector is invalid: line ${line}, column ${column}: `)
})

test('a refusal says what was found and what was expected, and names the field it is told', () => {
  expect(refusalOf(() => parseSelector('value.a = x', 'NamespaceRules[0].Selector')).message).toBe(
    'NamespaceRules[0].Selector is invalid: line 1, column 9: found "= x", expected "==" or "!=" or "is" or "not" or "in" or "contains" or "matches"',
  )
})

describe('bounds', () => {
  const terms = (count: number) => Array.from({ length: count }, () => 'a==b').join(' and ')
  const nested = (depth: number) => `${'('.repeat(depth)}a==b${')'.repeat(depth)}`
  const negated = (depth: number) => `${'not '.repeat(depth)}a==b`
  const bytes = (count: number) => `a=="${'é'.repeat((count - 6) / 2)}"${' '}`

  test.each([
    ['terms', terms(limits.SELECTOR_TERMS_MAX)],
    ['levels of parentheses', nested(limits.SELECTOR_DEPTH_MAX)],
    ['levels of not', negated(limits.SELECTOR_DEPTH_MAX)],
    ['bytes', bytes(limits.SELECTOR_BYTES_MAX)],
  ])('as many %s as are allowed are read', (_, text) => {
    expect(() => parseSelector(text)).not.toThrow()
  })

  test.each([
    ['terms', terms(limits.SELECTOR_TERMS_MAX + 1), 'selector_invalid', 'more than 64 comparisons'],
    ['parentheses', nested(limits.SELECTOR_DEPTH_MAX + 1), 'selector_invalid', 'deeper than 32 levels'],
    ['levels of not', negated(limits.SELECTOR_DEPTH_MAX + 1), 'selector_invalid', 'deeper than 32 levels'],
    ['bytes', bytes(limits.SELECTOR_BYTES_MAX + 2), 'field_too_long', 'at most 4096 bytes'],
  ])('ATT-40: one more of %s is refused, each with its own message', (_, text, code, words) => {
    const refusal = refusalOf(() => parseSelector(text))
    expect(refusal.code).toBe(code)
    expect(refusal.message).toContain(words)
  })

  test('ATT-40: forty nested parentheses and ten thousand terms are refused', () => {
    expect(refusalOf(() => parseSelector(nested(40))).code).toBe('selector_invalid')
    expect(refusalOf(() => parseSelector(terms(10_000))).code).toBe('field_too_long')
  })
})

test('FUZ-06: reading is linear: each character is looked at a bounded number of times', () => {
  const texts = [
    `${'('.repeat(32)}a==b`,
    `${'not '.repeat(32)}in "value"`,
    `${'(not '.repeat(16)}a == b and c == "`,
    `${Array.from({ length: 63 }, () => 'not in in value').join(' or ')} or x`,
    `a${'.a'.repeat(2_000)} = b`,
    `a == "${'\\x41'.repeat(1_000)}`,
    `a${' '.repeat(4_000)}x`,
    `a == ${'1'.repeat(4_000)}x`,
  ]
  for (const text of texts) {
    let tests = 0
    const original = RegExp.prototype.test
    RegExp.prototype.test = function (this: RegExp, subject: string) {
      tests++
      return original.call(this, subject)
    }
    try {
      refusalOf(() => parseSelector(text))
    } finally {
      RegExp.prototype.test = original
    }
    expect(tests, text.slice(0, 40)).toBeLessThan(10 * text.length + 100)
  }
})

test('any text that is written as a quoted string is read back unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const term = { kind: 'term', path: ['value', 'a'], operator: 'equal', isNegated: false, value } as const
      const printed = printTerm({ ...term, place: { line: 1, column: 1 } })
      expect(parseSelector(printed)).toMatchObject(term)
    }),
  )
})
