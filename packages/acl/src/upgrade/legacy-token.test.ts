import { ZERO_TIME } from '@latchkey/contract'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { aLegacyToken, anUnmigratedToken } from '@latchkey/testkit/upgrade/builders'
import { describe, expect, test } from 'vitest'
import { tokenHash } from '../hash.ts'
import { hasLinks } from '../links.ts'
import type { TokenRecord } from '../records/records.ts'
import {
  fromLegacyToken,
  hasLegacyRights,
  type LegacyWrite,
  toLegacyToken,
  writeLegacyToken,
} from './legacy-token.ts'
import { convertForMigration } from './migration.ts'

const ACCESSOR = '6f3a9d9e-0000-4000-8000-000000000001'
const aWrite = (fields: Partial<LegacyWrite> = {}): LegacyWrite => ({
  ID: 'my-secret',
  Name: 'new name',
  Type: 'client',
  Rules: '',
  ...fields,
})
const migrated = (fields: Parameters<typeof anUnmigratedToken>[0] = {}) =>
  convertForMigration(anUnmigratedToken(fields), ACCESSOR)

/** The code with which a write is refused. */
const codeOf = (existing: TokenRecord | undefined, write: LegacyWrite) =>
  refusalOf(() => writeLegacyToken(existing, write, undefined)).code

test('a legacy token becomes a record without accessor and creation time; its name is the description', () => {
  const record = fromLegacyToken(
    aLegacyToken({ ID: 'any text', Name: 'ops', CreateIndex: 7, ModifyIndex: 9 }),
  )
  expect(record).toMatchObject({
    AccessorID: '',
    SecretID: 'any text',
    Description: 'ops',
    Type: 'client',
    Rules: 'key "" { policy = "read" }',
    Local: false,
    CreateTime: ZERO_TIME,
    CreateIndex: 7,
    ModifyIndex: 9,
  })
  expect(hasLinks(record)).toBe(false)
  expect(record.Hash).toBe(tokenHash(record))
})

test.each(['client', 'management'] as const)(
  'a %s token survives the round trip through its record',
  (Type) => {
    const legacy = aLegacyToken({ Type })
    expect(toLegacyToken(fromLegacyToken(legacy))).toEqual(legacy)
  },
)

test('the legacy API still shows a migrated token, and never one without a legacy type', () => {
  expect(toLegacyToken(migrated())).toEqual(aLegacyToken())
  expect(toLegacyToken({ ...migrated(), Type: '', Rules: '' })).toBeUndefined()
})

describe('legacy create and update (spec 9.1, 9.2.4)', () => {
  test('replaces name, type and rules of an unmigrated token, and clears omitted fields', () => {
    const updated = writeLegacyToken(anUnmigratedToken(), aWrite(), undefined)
    expect(updated).toMatchObject({
      AccessorID: '',
      Description: 'new name',
      Rules: '',
      CreateIndex: 7,
      ModifyIndex: 9,
    })
  })

  test('keeps the accessor of a migrated client token and renews its hash (CVE-2020-12797)', () => {
    const before = migrated()
    const updated = writeLegacyToken(before, aWrite({ Rules: 'key "a" { policy = "deny" }' }), undefined)
    expect(updated.AccessorID).toBe(ACCESSOR)
    expect(updated.Hash).toBe(tokenHash(updated))
    expect(updated.Hash).not.toBe(before.Hash)
  })

  test('turns a migrated client into a management token without a link', () => {
    const updated = writeLegacyToken(migrated(), aWrite({ Type: 'management' }), undefined)
    expect(updated).toMatchObject({ AccessorID: ACCESSOR, Type: 'management', Policies: [] })
  })

  test('refuses a migrated management token, which is linked, and every token of the new API', () => {
    const fresh = { ...migrated(), Type: '' } as const
    for (const existing of [
      migrated({ Type: 'management' }),
      fresh,
      { ...migrated(), Roles: [{ ID: 'r' }] },
      { ...migrated(), ServiceIdentities: [{ ServiceName: 'web' }] },
      { ...migrated(), NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }] },
      { ...migrated(), AuthMethod: 'k8s' },
      { ...migrated(), ExpirationTime: '2030-01-01T00:00:00Z' },
    ]) {
      expect(codeOf(existing, aWrite())).toBe('legacy_token_immutable')
    }
  })

  test.each(['', 'Client', 'admin'])('refuses the type %j', (Type) => {
    expect(codeOf(undefined, aWrite({ Type }))).toBe('field_invalid')
  })

  test.each(['allow', 'deny', 'manage'])('refuses the root name %s as a secret', (ID) => {
    expect(codeOf(undefined, aWrite({ ID }))).toBe('root_name_refused')
  })

  test('refuses the redaction text as a secret (CVE-2019-8336)', () => {
    expect(codeOf(undefined, aWrite({ ID: '<hidden>' }))).toBe('id_reserved')
  })
})

test('rights that end at 1.11: client tokens by rules, management tokens that the migration will not link', () => {
  expect(hasLegacyRights(anUnmigratedToken())).toBe(true)
  expect(hasLegacyRights(migrated())).toBe(true)
  expect(hasLegacyRights({ ...migrated(), Policies: [{ ID: 'p' }] })).toBe(false)
  expect(hasLegacyRights(anUnmigratedToken({ Rules: '' }))).toBe(false)
  expect(hasLegacyRights(anUnmigratedToken({ Type: 'management' }))).toBe(false)
  expect(hasLegacyRights(migrated({ Type: 'management' }))).toBe(false)
  expect(hasLegacyRights(writeLegacyToken(migrated(), aWrite({ Type: 'management' }), undefined))).toBe(true)
})
