import { aProfile } from '@latchkey/testkit/upgrade/builders'
import { expect, test } from 'vitest'
import { assertCanStart, type StartInput, StartRefused } from './mode.ts'

function refusalOf(version: string, fields: Partial<StartInput> = {}): StartRefused | undefined {
  try {
    assertCanStart({
      profile: aProfile(version),
      recorded: { mode: 'legacy' },
      legacyRightsCount: 0,
      mayDropLegacyRights: false,
      flagName: 'THE_FLAG',
      ...fields,
    })
    return undefined
  } catch (error) {
    if (error instanceof StartRefused) return error
    throw error
  }
}

const recorded = { mode: 'enabled', since: 0 } as const

test('a version before 1.4.0 refuses upgraded data and cites the rule (spec 9.2.5)', () => {
  for (const version of ['0.7', '1.0', '1.3.1']) {
    expect(refusalOf(version, { recorded })).toMatchObject({ reason: 'downgrade' })
  }
  expect(refusalOf('1.3.1', { recorded })?.message).toMatch(/^version 1\.3\.1 .*spec 9\.2\.5/)
})

test('a version before 1.4.0 starts on legacy and new data, later ones on any (spec 9.2.5)', () => {
  expect(refusalOf('1.3.1')).toBeUndefined()
  expect(refusalOf('1.3.1', { recorded: undefined })).toBeUndefined()
  for (const version of ['1.4.0', '1.8.7', '1.11']) expect(refusalOf(version, { recorded })).toBeUndefined()
})

test('1.11 refuses while tokens have legacy rights alone, unless flagged (spec 9.2.4; decisions: upgrade)', () => {
  const refusal = refusalOf('1.11', { recorded, legacyRightsCount: 3 })
  expect(refusal?.reason).toBe('legacy_rights')
  expect(refusal?.message).toMatch(/: 3 legacy tokens have .*THE_FLAG/)
  expect(refusalOf('1.11', { recorded, legacyRightsCount: 1 })?.message).toContain(': 1 legacy token has ')
  expect(refusalOf('1.11', { recorded, legacyRightsCount: 3, mayDropLegacyRights: true })).toBeUndefined()
  expect(refusalOf('1.11', { recorded })).toBeUndefined()
  expect(refusalOf('1.10.12', { recorded, legacyRightsCount: 3 })).toBeUndefined()
})

test('the flag does not allow a downgrade', () => {
  expect(refusalOf('1.3.1', { recorded, mayDropLegacyRights: true })?.reason).toBe('downgrade')
})
