import { growthOf, LINEAR_GROWTH_MAX } from '@latchkey/testkit/growth'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AclError } from '../errors.ts'
import { JSON_DEPTH_MAX, JSON_FIELDS_MAX, JSON_VALUES_MAX } from '../limits.ts'
import { formatPath, type Json, type JsonOptions, parseJson } from './json.ts'

function refusalOf(text: string, options?: JsonOptions): AclError {
  try {
    parseJson(text, options)
  } catch (error) {
    if (error instanceof AclError) return error
    throw error
  }
  return expect.fail(`accepted: ${text.slice(0, 100)}`)
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

test.each([
  'null',
  'true',
  ' false\n',
  '0',
  '-0',
  '-12.5e-3',
  '1E+2',
  '""',
  '"\\u00e9\\n\\"\\\\\\/\\b\\f\\r\\t"',
  '"\\ud83d\\ude00"',
  '"\\ud800"',
  '"é😀\u2028"',
  '[]',
  '[ 1 , [2] , {} ]',
  '{"a":{"b":[{"c":null}]},"constructor":1,"toString":2,"prototype":3}',
  '{"":1," ":2}',
])('reads %s like JSON.parse', (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text))
})

const PLACES: readonly (readonly [string, number, number, string | undefined, string])[] = [
  ['', 1, 1, undefined, 'the text ends where a value was expected'],
  ['{', 1, 2, undefined, 'a field name in double quotes was expected'],
  ['{"a"', 1, 5, undefined, '":" was expected, the text ends'],
  ['{"a":', 1, 6, 'a', 'the text ends where a value was expected'],
  ['{"a":1', 1, 7, undefined, '"," was expected, the text ends'],
  ['{"a":1,}', 1, 8, undefined, 'a field name in double quotes was expected'],
  ['[1,]', 1, 4, '[1]', 'unexpected "]" where a value was expected'],
  ['[1 2]', 1, 4, undefined, '"," was expected, found "2"'],
  ["{'a':1}", 1, 2, undefined, 'a field name in double quotes was expected'],
  ['{a:1}', 1, 2, undefined, 'a field name in double quotes was expected'],
  ['{} {}', 1, 4, undefined, 'one JSON value was expected, but more follows it'],
  ['{}x', 1, 3, undefined, 'one JSON value was expected, but more follows it'],
  ['null null', 1, 6, undefined, 'one JSON value was expected, but more follows it'],
  ['01', 1, 2, undefined, 'one JSON value was expected, but more follows it'],
  ['1.', 1, 2, undefined, 'one JSON value was expected, but more follows it'],
  ['-', 1, 1, undefined, 'a number was expected'],
  ['+1', 1, 1, undefined, 'unexpected "+" where a value was expected'],
  ['NaN', 1, 1, undefined, 'unexpected "N" where a value was expected'],
  ['undefined', 1, 1, undefined, 'unexpected "u" where a value was expected'],
  ['1e400', 1, 6, undefined, 'the number is out of range'],
  ['"a', 1, 3, undefined, 'the text ends inside a string'],
  ['"a\tb"', 1, 3, undefined, 'a control character inside a string must be escaped'],
  ['"a\nb"', 1, 3, undefined, 'a control character inside a string must be escaped'],
  ['"\\x"', 1, 2, undefined, 'unknown escape in a string'],
  ['"\\u12g4"', 1, 2, undefined, 'four hexadecimal digits were expected after \\u'],
  ['"\\u', 1, 2, undefined, 'four hexadecimal digits were expected after \\u'],
  ['"\\', 1, 2, undefined, 'unknown escape in a string'],
  ['\ufeff{}', 1, 1, undefined, 'unexpected "\ufeff" where a value was expected'],
  ['\u00a0{}', 1, 1, undefined, 'unexpected "\u00a0" where a value was expected'],
  ['/* */ {}', 1, 1, undefined, 'unexpected "/" where a value was expected'],
  ['{\n "a": [\n  1,\n  !\n]}', 4, 3, 'a[1]', 'unexpected "!" where a value was expected'],
  ['{"a":[{},{"b":{"c":}}]}', 1, 20, 'a[1].b.c', 'unexpected "}" where a value was expected'],
]

test.each(PLACES)('%j is refused at line %d, column %d, in %s', (text, line, column, field, problem) => {
  const error = refusalOf(text)
  expect(error.code).toBe('body_malformed')
  expect(error.details).toMatchObject({ line, column })
  expect(error.details.field).toBe(field)
  expect(error.message).toContain(problem)
})

describe('stricter than JSON.parse', () => {
  test.each([
    ['{"a":1,"a":1}', 'the field "a" appears twice', 1, 11],
    ['{"a":1,"b":2,"\\u0061":3}', 'the field "a" appears twice', 1, 22],
    ['{"a":null,"a":1}', 'the field "a" appears twice', 1, 14],
    ['{"x":{"a":1,"a":1}}', 'the field "a" appears twice', 1, 16],
    ['{"__proto__":{}}', 'the field name "__proto__" is refused', 1, 13],
    ['{"\\u005f_proto__":{}}', 'the field name "__proto__" is refused', 1, 18],
    ['[{"__proto__":1}]', 'the field name "__proto__" is refused', 1, 14],
  ])('%s is refused (decisions: decoding)', (text, problem, line, column) => {
    const error = refusalOf(text)
    expect(error.message).toContain(problem)
    expect(error.details).toMatchObject({ line, column })
  })

  test('accepts names that only look alike', () => {
    expect(parseJson('{"a":1,"A":2,"a ":3,"а":4}')).toEqual({ a: 1, A: 2, 'a ': 3, а: 4 })
  })
})

describe('bounds (DOS-04)', () => {
  test(`nesting: ${JSON_DEPTH_MAX} levels pass, one more is refused at its opening bracket`, () => {
    expect(parseJson(nested(JSON_DEPTH_MAX))).toBeDefined()
    const error = refusalOf(nested(JSON_DEPTH_MAX + 1))
    expect(error.details).toMatchObject({ line: 1, column: JSON_DEPTH_MAX + 2 })
    expect(error.message).toContain(`deeper than ${JSON_DEPTH_MAX} levels`)
  })

  test.each([
    ['a depth', (size: number) => '['.repeat(size)],
    ['a depth of objects', (size: number) => '{"a":'.repeat(size)],
    ['blanks', (size: number) => ' '.repeat(size)],
    ['newlines', (size: number) => '\n'.repeat(size)],
    ['a string of escapes that does not end', (size: number) => `"${'\\n'.repeat(size)}`],
    ['digits', (size: number) => `[${'9'.repeat(size)}]`],
    ['a long name, twice', (size: number) => `{"${'n'.repeat(size)}":1,"${'n'.repeat(size)}":1}`],
  ])('%s: refused in linear time, with a short error', (_name, textOf) => {
    const growth = growthOf(500_000, textOf, (text) => {
      expect(refusalOf(text).message.length).toBeLessThan(500)
    })
    expect(growth).toBeLessThan(LINEAR_GROWTH_MAX)
  })
})

describe('JSON of other services', () => {
  const parse = (text: string) => parseJson(text, { isForeign: true }) as Record<string, unknown>

  test('__proto__ is a field like any other, and nothing is inherited', () => {
    const value = parse('{"__proto__":{"admin":true},"a":{"__proto__":null}}')
    expect(Object.entries(value).map(([name]) => name)).toEqual(['__proto__', 'a'])
    expect([value.admin, value.toString, Object.getPrototypeOf(value.a)]).toEqual([
      undefined,
      undefined,
      null,
    ])
  })

  test('__proto__ twice is a duplicate', () => {
    expect(refusalOf('{"__proto__":null,"\\u005f_proto__":null}', { isForeign: true }).code).toBe(
      'body_malformed',
    )
  })
})

/** Any JSON value that decoding accepts. */
const values = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(
      fc.string({ unit: 'binary' }).filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 5, noNullPrototype: true },
    ),
  ),
})).value

test('reads the output of JSON.stringify, plain or indented, as the same value', () => {
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent)
      expect(parseJson(text)).toEqual(JSON.parse(text))
    }),
    { numRuns: 500 },
  )
})

test('a damaged text that it accepts means the same to JSON.parse', () => {
  const damage = fc.tuple(
    fc.nat(),
    fc.constantFrom('', '"', '{', '}', '[', ',', ':', '\\', '0', '-', 'e', '\n'),
  )
  fc.assert(
    fc.property(values, fc.array(damage, { minLength: 1, maxLength: 3 }), (value, damages) => {
      let text = JSON.stringify(value)
      for (const [at, piece] of damages) {
        const place = at % (text.length + 1)
        text = text.slice(0, place) + piece + text.slice(place + (at % 2))
      }
      let read: Json
      try {
        read = parseJson(text)
      } catch (error) {
        expect(error).toBeInstanceOf(AclError)
        return
      }
      expect(read).toEqual(JSON.parse(text))
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  [[], ''],
  [['Policies', 0, 'Foo'], 'Policies[0].Foo'],
  [[0, 'Resource'], '[0].Resource'],
  [['a', 'b'], 'a.b'],
  [['x'.repeat(65)], `${'x'.repeat(64)}…`],
])('formats the path %j as %s', (path, text) => {
  expect(formatPath(path)).toBe(text)
})

describe('bounds on the contents of a body (DOS-04)', () => {
  const fields = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`

  test(`field_too_long: ${JSON_FIELDS_MAX} fields of an object pass, one more is refused with the path of the object`, () => {
    expect(Object.keys(parseJson(`[${fields(JSON_FIELDS_MAX)}]`) as object)).toHaveLength(1)
    const error = refusalOf(`[${fields(JSON_FIELDS_MAX + 1)}]`)
    expect(error).toMatchObject({ code: 'field_too_long', details: { field: '[0]' } })
  })

  test(`field_too_long: ${JSON_VALUES_MAX} values pass, one more is refused`, () => {
    const list = (count: number) => `[${Array(count).fill('1').join(',')}]`
    expect(parseJson(list(JSON_VALUES_MAX - 1))).toHaveLength(JSON_VALUES_MAX - 1)
    expect(refusalOf(list(JSON_VALUES_MAX)).code).toBe('field_too_long')
  })
})

test('DOS-04: field_too_long at the first value above valuesMax, which counts all levels', () => {
  expect(parseJson('[[1],2,3]', { valuesMax: 5 })).toEqual([[1], 2, 3])
  expect(() => parseJson('[[1],2,3, not JSON', { valuesMax: 4 })).toThrow(
    expect.objectContaining({ code: 'field_too_long' }),
  )
})

test('DOS-05: the path in an error is bounded at the deepest nesting', () => {
  const error = refusalOf(`{"${'x'.repeat(1_000)}":`.repeat(30))
  expect(error.message.length).toBeLessThan(500)
})
