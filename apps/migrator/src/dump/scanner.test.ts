import { describe, expect, test } from 'vitest'
import { EXIT, InputError } from '../errors.ts'
import { DumpScanner, OBJECT_BYTES_MAX } from './scanner.ts'

/** Scans a text in chunks of a size. */
function scan(text: string | Uint8Array, chunkBytes = 1_000_000) {
  const bytes = Buffer.from(text as string)
  const scanner = new DumpScanner('dump.json')
  const records = []
  for (let i = 0; i < bytes.length; i += chunkBytes)
    records.push(...scanner.push(bytes.subarray(i, i + chunkBytes)))
  scanner.end()
  return records
}

function errorOf(text: string | Uint8Array): InputError {
  try {
    scan(text)
  } catch (error) {
    if (error instanceof InputError) return error
    throw error
  }
  throw new Error('the dump was accepted')
}

const SECRET = 'canary-5d1f'

test.each([1, 2, 3, 7, 64, 1_000_000])('a list is read in chunks of any size: %i bytes', (chunkBytes) => {
  const tokens = [
    { ID: 'a', Rules: 'key "x" { policy = "read" }' },
    { ID: 'b\\"}', Name: 'ü{[' },
    { ID: 'c', Deep: { a: [1, { b: ']' }] } },
  ]
  const records = scan(JSON.stringify(tokens, null, 1), chunkBytes)
  expect(records.map(({ value }) => value)).toEqual(tokens)
  expect(records.map(({ position }) => position)).toEqual([0, 1, 2])
})

test('each record knows its line and byte', () => {
  const text = '[\n  {"ID":"a"},\n  {"ID":"b"}\n]\n'
  expect(scan(text).map(({ line, byte }) => [line, text.slice(byte, byte + 10)])).toEqual([
    [2, '{"ID":"a"}'],
    [3, '{"ID":"b"}'],
  ])
})

test('objects one after the other are read too, and a mark of the byte order is passed over', () => {
  expect(scan('{"ID":"a"}\n{"ID":"b"}\n').map(({ value }) => value)).toEqual([{ ID: 'a' }, { ID: 'b' }])
  expect(scan('\uFEFF[{"ID":"a"}]')).toHaveLength(1)
})

test('an empty list has no token', () => {
  expect(scan(' [ ] ')).toEqual([])
})

describe('FUZ-05: bad dumps end with exit code 1 and their place, and never with a secret', () => {
  test.each([
    ['', 'the dump is empty'],
    ['   \n', 'the dump is empty'],
    [`[{"ID":"${SECRET}"},{"ID":"b`, 'the dump is cut off inside token 1, which begins here'],
    [`[{"ID":"${SECRET}"},`, 'the dump is cut off after token 0: the list is not closed'],
    [`[{"ID":"${SECRET}"}`, 'the list is not closed'],
    [`[{"ID":"${SECRET}"} {"ID":"b"}]`, 'expected "," or "]" between two tokens'],
    [`[{"ID":"${SECRET}"},"b"]`, 'token 1 is not an object'],
    [`[{"ID":"${SECRET}"}] x`, 'there is more after the end of the list'],
    [`[{"ID":"${SECRET}" oops}]`, 'token 0 is not valid JSON'],
    ['"text"', 'expected a JSON list of legacy tokens, or one object per line'],
    ['<html>', 'expected a JSON list of legacy tokens'],
  ])('%s', (text, message) => {
    const error = errorOf(text)
    expect(error.text).toContain(message)
    expect(error.text).not.toContain(SECRET)
    expect(error.place).toMatchObject({ file: 'dump.json', byte: expect.any(Number) })
    expect(error.exitCode).toBe(EXIT.failed)
  })

  test('wrong encodings are named', () => {
    expect(errorOf(Buffer.from('[{"ID":"a"}]', 'utf16le')).message).toContain('UTF-16')
    expect(errorOf(new Uint8Array([0x1f, 0x8b, 8, 0])).message).toContain('compressed')
    const latin1 = Buffer.concat([Buffer.from('[{"ID":"'), Buffer.from([0xe4]), Buffer.from('"}]')])
    expect(errorOf(latin1).message).toBe('token 0 is not UTF-8')
  })

  test('a token without end does not fill the memory', () => {
    expect(errorOf(`[{"ID":"${'x'.repeat(OBJECT_BYTES_MAX)}`).message).toContain('longer than 4194304 bytes')
  })
})
