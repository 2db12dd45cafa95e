import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DUMP_RECORD_BYTES_MAX, DumpScanner, DumpSyntaxError } from './dump-scanner.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

function scan(text: string | Uint8Array, chunkBytes = 1_000_000) {
  const bytes = typeof text === 'string' ? bytesOf(text) : text
  const scanner = new DumpScanner()
  const records = []
  for (let i = 0; i < bytes.length; i += chunkBytes)
    records.push(...scanner.push(bytes.subarray(i, i + chunkBytes)))
  scanner.end()
  return records
}

function errorOf(text: string | Uint8Array): DumpSyntaxError {
  try {
    scan(text)
  } catch (error) {
    if (error instanceof DumpSyntaxError) return error
    throw error
  }
  return expect.fail('the dump was accepted')
}

const SECRET = 'canary-5d1f'

test.each([1, 2, 3, 7, 64, 1_000_000])('scans a list in chunks of any size: %i bytes', (chunkBytes) => {
  const tokens = [
    { ID: 'a', Rules: 'key "x" { policy = "read" }' },
    { ID: 'b\\"}', Name: 'ü{[' },
    { ID: 'c', Deep: { a: [1, { b: ']' }] } },
  ]
  const records = scan(JSON.stringify(tokens, null, 1), chunkBytes)
  expect(records.map(({ value }) => value)).toEqual(tokens)
  expect(records.map(({ position }) => position)).toEqual([0, 1, 2])
})

test('any list of objects scans like JSON.parse, whatever the chunks', () => {
  const anyObject = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
  fc.assert(
    fc.property(
      fc.array(anyObject),
      fc.integer({ min: 1, max: 50 }),
      fc.nat(3),
      (list, chunkBytes, indent) => {
        const text = JSON.stringify(list, undefined, indent)
        expect(scan(text, chunkBytes).map(({ value }) => value)).toEqual(JSON.parse(text))
      },
    ),
  )
})

test('each record has its line and byte offset', () => {
  const text = '[\n  {"ID":"a"},\n  {"ID":"b"}\n]\n'
  expect(scan(text).map(({ line, byte }) => [line, text.slice(byte, byte + 10)])).toEqual([
    [2, '{"ID":"a"}'],
    [3, '{"ID":"b"}'],
  ])
})

test.each([1, 100])('scans objects without a list too, and skips a byte order mark: %i', (size) => {
  expect(scan('{"ID":"a"}\n{"ID":"b"}\n', size).map(({ value }) => value)).toEqual([{ ID: 'a' }, { ID: 'b' }])
  expect(scan('\uFEFF[{"ID":"a"}]', size)).toHaveLength(1)
})

describe('FUZ-05: refuses a bad list with the position, never with a secret', () => {
  test.each([
    ['', 'the dump is empty'],
    [`[{"ID":"${SECRET}"},{"ID":"b`, 'the dump is cut off inside token 1, which begins here'],
    [`[{"ID":"${SECRET}"},`, 'the dump is cut off after token 0: the list is not closed'],
    [`[{"ID":"${SECRET}"}`, 'the list is not closed'],
    [`[{"ID":"${SECRET}"} {"ID":"b"}]`, 'expected "," or "]" between two tokens'],
    [`[{"ID":"${SECRET}"},"b"]`, 'token 1 is not an object'],
    [`[{"ID":"${SECRET}"}] x`, 'there is more after the end of the list'],
    [`[{"ID":"${SECRET}" oops}]`, 'token 0 is not valid JSON'],
    ['"text"', 'expected a JSON list of legacy tokens, or one object per line'],
  ])('%s', (text, message) => {
    const error = errorOf(text)
    expect(error.message).toContain(message)
    expect(error.message).not.toContain(SECRET)
    expect(error.byte).toBeLessThanOrEqual(text.length)
  })

  test('wrong encodings are named', () => {
    const utf16 = Uint8Array.from('[{"ID":"a"}]', (c) => c.charCodeAt(0))
    expect(errorOf(new Uint8Array(new Uint16Array(utf16).buffer)).message).toContain('UTF-16')
    expect(errorOf(new Uint8Array([0x1f, 0x8b, 8, 0])).message).toContain('compressed')
    const latin1 = Uint8Array.from([...bytesOf('[{"ID":"'), 0xe4, ...bytesOf('"}]')])
    expect(errorOf(latin1).message).toBe('token 0 is not UTF-8')
  })

  test('an unterminated token does not fill the memory', () => {
    expect(errorOf(`[{"ID":"${'x'.repeat(DUMP_RECORD_BYTES_MAX)}`).message).toContain(
      'longer than 4194304 bytes',
    )
  })
})
