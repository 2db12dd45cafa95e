import { expect, test } from 'vitest'
import { unified, withEndingsOf } from './value.ts'

test.each([
  ['all CRLF: a change within a line', 'a\r\nb\r\n', 'ax\nb\n', 'ax\r\nb\r\n'],
  ['all CRLF: lines inserted and appended', 'a\r\nb', 'a\nx\ny\nb\nc\n', 'a\r\nx\r\ny\r\nb\r\nc\r\n'],
  ['all CRLF: everything replaced', 'a\r\nb\r\n', 'x\ny\nz', 'x\r\ny\r\nz'],
  ['all CRLF: everything removed', 'a\r\nb\r\n', '', ''],
  ['mixed: lines around a change keep theirs', 'a\nb\r\nc\rd\n', 'a\nbx\nc\nd\n', 'a\nbx\r\nc\rd\n'],
  ['mixed: a new line ends like the one before it', 'a\nb\r\nc\n', 'a\nb\nx\nc\n', 'a\nb\r\nx\r\nc\n'],
  ['mixed: joined lines', 'a\r\nb\nc\r\n', 'ab\nc\n', 'ab\nc\r\n'],
  ['no CR', 'a\nb\n', 'a\nx\nb\n', 'a\nx\nb\n'],
  ['one line', 'a', 'a\nb', 'a\nb'],
  ['nothing', '', 'a\nb', 'a\nb'],
])('%s', (_, stored, typed, expected) => {
  expect(withEndingsOf(stored, typed)).toBe(expected)
})

test('what was not changed is stored as before', () => {
  for (const stored of ['a\r\nb\nc\rd', '\r\n\n\r\r\n', '\r', '']) {
    expect(withEndingsOf(stored, unified(stored))).toBe(stored)
  }
})
