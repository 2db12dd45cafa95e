import { expect, test } from 'vitest'
import { checkOf, readQuestion, wholeQuestion } from './question.ts'

test('reads a question from a URL, and drops what it does not recognise', () => {
  const search = readQuestion({ kind: 'key', segment: 42, access: 'list', token: '', other: 1 })
  expect(search).toEqual({ kind: 'key', segment: '42', access: 'list' })
  expect(readQuestion({ kind: 'keys', access: 'read' })).toEqual({})
  expect(readQuestion({ kind: 'acl', access: 'list' })).toEqual({ kind: 'acl' })
})

test('a question is complete if it has a name exactly when its kind has names', () => {
  expect(wholeQuestion({ kind: 'key', access: 'read' })).toBeUndefined()
  expect(wholeQuestion({ kind: 'acl', access: 'read', segment: 'a' })).toBeUndefined()
  const whole = wholeQuestion({ kind: 'key', access: 'read', segment: 'a' })
  expect(whole && checkOf(whole)).toEqual({ Resource: 'key', Segment: 'a', Access: 'read' })
})
