import { limits } from '@latchkey/contract'
import { aLegacyToken } from '@latchkey/testkit/upgrade/builders'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkLegacyRules, readLegacyRecord } from './legacy-dump.ts'

/** Reads a record at position 3, after records with the given IDs. */
function read(value: object, ...before: readonly string[]) {
  return readLegacyRecord(value, { position: 3, seen: new Map(before.map((id, place) => [id, place])) })
}

const findingsOf = (value: object, ...before: readonly string[]) =>
  read(value, ...before).findings.map(({ severity, code, path }) => `${severity} ${code} ${path}`)

test('reads a record of a real list unchanged, without a finding (spec 9.1)', () => {
  const legacy = aLegacyToken()
  expect(read({ ...legacy })).toEqual({ token: legacy, findings: [] })
})

test('fills in omitted fields: no name, no rules, client, index 0', () => {
  expect(read({ ID: 'a' })).toEqual({
    token: { ID: 'a', Name: '', Type: 'client', Rules: '', CreateIndex: 0, ModifyIndex: 0 },
    findings: [],
  })
})

describe('refuses, with the path of the fault', () => {
  test.each([
    [{ Name: 'x' }, 'error id_missing [3].ID'],
    [{ ID: '' }, 'error id_missing [3].ID'],
    [{ ID: 7 }, 'error field_malformed [3].ID'],
    [{ ID: '<hidden>' }, 'error id_redacted [3].ID'],
    [{ ID: 'manage' }, 'error id_root_name [3].ID'],
    [{ ID: 'x'.repeat(limits.LEGACY_SECRET_LENGTH_MAX + 1) }, 'error field_too_long [3].ID'],
    [{ ID: '00000000-0000-0000-0000-000000000002' }, 'error id_reserved [3].ID'],
    [{ ID: 'a', Name: 1 }, 'error field_malformed [3].Name'],
    [{ ID: 'a', Name: 'ü'.repeat(limits.DESCRIPTION_BYTES_MAX / 2 + 1) }, 'error field_too_long [3].Name'],
    [{ ID: 'a', Type: 'Client' }, 'error type_unknown [3].Type'],
    [{ ID: 'a', CreateIndex: 1.5 }, 'error field_malformed [3].CreateIndex'],
    [{ ID: 'a', ModifyIndex: 2 ** 53 }, 'error field_malformed [3].ModifyIndex'],
  ])('%j', (value, finding) => {
    expect(findingsOf(value)).toEqual([finding])
    expect(read(value).token).toBeUndefined()
  })

  test.each([
    [{ AccessorID: 'a', Description: 'x', Legacy: true }, 'token_of_token_api', 'the list of the token API'],
    [{ tokens: [{ ID: 'a' }], total: 1 }, 'list_wrapped', 'jq .tokens'],
    [{ 'secret-1': [] }, 'list_wrapped', 'not a token, but an object around a list'],
    [{ id: 'a', name: 'x' }, 'field_case', 'is written ID'],
    [{ ID: 'a', rules: 'key "" { policy = "read" }' }, 'field_case', 'is written Rules'],
  ])('%j is not from the legacy list: says what it is', (record, code, message) => {
    const [finding] = read(record).findings
    expect(finding).toMatchObject({ severity: 'error', code })
    expect(finding?.message).toContain(message)
    expect(read(record).token).toBeUndefined()
  })

  test('a duplicate ID, naming the first position; IDs are case-sensitive', () => {
    const { token, findings } = read(aLegacyToken({ ID: 'b' }), 'a', 'b')
    expect(token).toBeUndefined()
    expect(findings[0]).toMatchObject({ code: 'id_duplicate', message: '[3].ID is the same as [1].ID' })
    expect(findingsOf(aLegacyToken({ ID: 'B' }), 'a', 'b')).toEqual([])
  })
})

test('accepts both ends of the bounds', () => {
  const ID = 'x'.repeat(limits.LEGACY_SECRET_LENGTH_MAX)
  const Name = 'ü'.repeat(limits.DESCRIPTION_BYTES_MAX / 2)
  expect(
    findingsOf(aLegacyToken({ ID, Name, CreateIndex: 0, ModifyIndex: Number.MAX_SAFE_INTEGER })),
  ).toEqual([])
})

test('warns and continues if a new token would be refused or a field has no effect', () => {
  expect(findingsOf({ ID: 'a', Extra: 1 })).toEqual(['warning field_unknown [3].Extra'])
  expect(findingsOf(aLegacyToken({ ID: '00000000-0000-0000-0000-000000000000' }))).toEqual([
    'warning id_reserved [3].ID',
  ])
  expect(findingsOf(aLegacyToken({ Type: 'management' }))).toEqual(['warning rules_unused [3].Rules'])
  expect(read(aLegacyToken({ Type: 'management' })).token).toBeDefined()
})

test('a field name that could be a secret is not shown', () => {
  const [finding] = read({ ID: 'a', 'c0ffee-secret': {} }).findings
  expect(finding?.path).toBe('[3]')
  expect(finding?.message).not.toContain('c0ffee')
})

test('a name inherited from Object is not a field', () => {
  expect(findingsOf(JSON.parse('{"ID":"a","__proto__":{"Type":"management"},"constructor":1}'))).toEqual([
    'warning field_unknown [3].__proto__',
    'warning field_unknown [3].constructor',
  ])
})

test('no finding contains the secret, whatever the record', () => {
  const secret = 'c0ffee-secret'
  const anyField = fc.oneof(fc.constant(secret), fc.string(), fc.integer(), fc.constant(null))
  const anyRecord = fc.record({
    ID: fc.constant(secret),
    Name: anyField,
    Type: anyField,
    Rules: anyField,
    CreateIndex: anyField,
  })
  fc.assert(
    fc.property(anyRecord, fc.boolean(), (record, isDuplicate) => {
      const { findings } = read(record, ...(isDuplicate ? [secret] : []))
      for (const { path, message } of findings) expect(path + message).not.toContain(secret)
    }),
  )
})

describe('rules of a dump (decisions: rule language)', () => {
  const rulesOf = (Rules: string, Type: 'client' | 'management' = 'client') =>
    checkLegacyRules(aLegacyToken({ Rules, Type }), 3).map(
      ({ severity, code, path }) => `${severity} ${code} ${path}`,
    )

  test('good rules, and those of a management token, have no finding', () => {
    expect(rulesOf('key "a" { policy = "write" }')).toEqual([])
    expect(rulesOf('')).toEqual([])
    expect(rulesOf('key {', 'management')).toEqual([])
  })

  test('rules that legacy evaluation ignores are a warning', () => {
    expect(rulesOf('acl = "write"')).toEqual(['warning rules_ignored [3].Rules'])
    expect(rulesOf('key_prefix "a" { policy = "write" }')).toEqual(['warning rules_ignored [3].Rules'])
  })

  test('an unreadable text is a warning with line and column', () => {
    expect(rulesOf('key "a" {')).toEqual(['warning rules_unreadable [3].Rules'])
    expect(
      checkLegacyRules(aLegacyToken({ Rules: '\nkey "a" { policy = "bogus" }' }), 3)[0]?.message,
    ).toMatch(/line 2/)
  })
})
