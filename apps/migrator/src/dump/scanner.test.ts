import { expect, test } from 'vitest'
import { EXIT, InputError } from '../errors.ts'
import { DumpScanner } from './scanner.ts'

const SECRET = 'canary-5d1f'

/** Scans a text in chunks of a few bytes. */
function scan(text: string) {
  const bytes = Buffer.from(text)
  const scanner = new DumpScanner('dump.json')
  const records = []
  for (let i = 0; i < bytes.length; i += 3) records.push(...scanner.push(bytes.subarray(i, i + 3)))
  return { records: [...records, ...scanner.end()], count: scanner.count }
}

function errorOf(text: string): InputError {
  try {
    scan(text)
  } catch (error) {
    if (error instanceof InputError) return error
    throw error
  }
  return expect.fail('the dump was accepted')
}

test('hands out what the scanner of the rules reads, and counts it', () => {
  const tokens = [{ ID: 'a', Rules: 'key "x" { policy = "read" }' }, { ID: 'b' }]
  const { records, count } = scan(JSON.stringify(tokens))
  expect(records.map(({ value, position }) => ({ value, position }))).toEqual(
    tokens.map((value, position) => ({ value, position })),
  )
  expect(count).toBe(2)
})

test.each([
  ['in the middle', `[\n{"ID":"${SECRET}"},\n"b"]`, 'token 1 is not an object', 3],
  ['at its end', `[\n{"ID":"${SECRET}"}`, 'the list is not closed', 2],
])(
  'FUZ-05: a dump that is bad %s ends with exit code 1, file and place, and never with a secret',
  (_, text, message, line) => {
    const error = errorOf(text)
    expect(error.text).toContain(message)
    expect(error.text).not.toContain(SECRET)
    expect(error.place).toMatchObject({ file: 'dump.json', line, byte: expect.any(Number) })
    expect(error.exitCode).toBe(EXIT.failed)
  },
)
