import { expect, test } from 'vitest'
import { parseQuestion } from './question.ts'

test('parses a check: resources are case-sensitive, accesses are not', () => {
  expect(parseQuestion({ Resource: 'key', Segment: 'a', Access: 'Write-Prefix' })).toEqual({
    resource: 'key',
    segment: 'a',
    access: 'write-prefix',
  })
  expect(parseQuestion({ Resource: 'acl', Segment: '', Access: 'READ' })).toEqual({
    resource: 'acl',
    access: 'read',
  })
})

test.each([
  [{ Resource: 'Key', Access: 'read' }, '[1].Resource', 'Invalid ACL resource requested: "Key"'],
  [{ Resource: 'namespace', Access: 'read' }, '[1].Resource', 'Invalid ACL resource requested: "namespace"'],
  [{ Resource: 'acl', Access: 'list' }, '[1].Access', 'Invalid access level for acl resource: list'],
  [
    { Resource: 'service', Access: 'write-prefix' },
    '[1].Access',
    'Invalid access level for service resource: write-prefix',
  ],
  [{ Resource: 'key', Access: '' }, '[1].Access', 'Invalid access level for key resource: '],
])('400 field_invalid: %j', (check, field, message) => {
  expect(() => parseQuestion(check, 1)).toThrow(
    expect.objectContaining({
      code: 'field_invalid',
      details: { field },
      message: expect.stringContaining(message),
    }),
  )
})
