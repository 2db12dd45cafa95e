import { expect, test } from 'vitest'
import { allowingRule } from './allowing-rule.ts'

test.each([
  [{ Resource: 'acl', Access: 'write' }, 'acl = "write"'],
  [{ Resource: 'key', Access: 'write', Segment: 'web/port' }, 'key "web/port" { policy = "write" }'],
  [{ Resource: 'key', Access: 'list', Segment: 'web/' }, 'key_prefix "web/" { policy = "list" }'],
  [{ Resource: 'key', Access: 'write-prefix', Segment: 'web/' }, 'key_prefix "web/" { policy = "write" }'],
  [{ Resource: 'service', Access: 'read', Segment: '' }, 'service "" { policy = "read" }'],
  [{ Resource: 'intention', Access: 'read', Segment: 'web' }, undefined],
] as const)('%o is allowed by a rule of its own', (missing, rule) => {
  expect(allowingRule(missing, undefined)).toBe(rule)
})

test('a rule that denies exactly this resource must be changed instead: deny wins', () => {
  const decided = { Kind: 'key', Segment: 'web/port', Level: 'deny', PolicyID: '', PolicyName: '', Line: 1 }
  const missing = { Resource: 'key', Access: 'write', Segment: 'web/port' } as const
  expect(allowingRule(missing, decided)).toBe(undefined)
  expect(allowingRule(missing, { ...decided, Kind: 'key_prefix', Segment: 'web/' })).toBe(
    'key "web/port" { policy = "write" }',
  )
})
