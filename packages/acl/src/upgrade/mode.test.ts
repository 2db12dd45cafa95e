import { aMember, aProfile } from '@latchkey/testkit/upgrade/builders'
import { describe, expect, test } from 'vitest'
import type { Member } from './member.ts'
import {
  advertisedMode,
  decideMode,
  endLegacyMode,
  initialMode,
  legacyModeError,
  type ModeInput,
} from './mode.ts'

const LEGACY = { mode: 'legacy' } as const

/** The decision in the primary, dc1. */
function inPrimary(members: readonly Member[]) {
  return decideMode({
    datacenter: 'dc1',
    primaryDatacenter: 'dc1',
    members,
    primaryMembers: undefined,
    recorded: LEGACY,
  })
}

/** The decision in the secondary, dc2, whose own server is ready. */
function inSecondary(primaryMembers: readonly Member[] | undefined, fields: Partial<ModeInput> = {}) {
  const members = [aMember({ datacenter: 'dc2' })]
  return decideMode({
    datacenter: 'dc2',
    primaryDatacenter: 'dc1',
    members,
    primaryMembers,
    recorded: LEGACY,
    ...fields,
  })
}

describe('in the primary (spec 9.2.2)', () => {
  test('ends when every server supports the new ACLs, whether still in legacy mode or not', () => {
    const servers = [
      aMember({ id: 's1' }),
      aMember({ id: 's2', mode: 'enabled' }),
      aMember({ id: 's3', version: '1.8.7' }),
    ]
    expect(inPrimary(servers)).toEqual({ next: 'enabled', waitsFor: [] })
  })

  test('waits for the one server of three that runs an older version, and names it once for both of its workers', () => {
    const old = aMember({ id: 's3', version: '1.3.0', mode: 'unknown' })
    expect(inPrimary([aMember({ id: 's1' }), aMember({ id: 's2' }), old, { ...old, id: 's4' }])).toEqual({
      next: 'legacy',
      waitsFor: ['server s3 of dc1 (version 1.3.0) to run 1.4.0 or later, or to leave'],
    })
  })

  test('waits for a server that failed or stopped, which may come back, and not for one that left (decisions: upgrade)', () => {
    const old = aMember({ id: 's2', version: '1.3.0', mode: 'unknown' })
    for (const status of ['failed', 'stopped'] as const)
      expect(inPrimary([aMember(), { ...old, status }]).waitsFor).toEqual([
        `server s2 of dc1 (version 1.3.0, ${status}) to run 1.4.0 or later, or to leave (PUT /v1/agent/force-leave/s2 if it will not return)`,
      ])
    expect(inPrimary([aMember(), { ...old, status: 'left' }]).next).toBe('enabled')
  })

  test('a failed server that supports the new ACLs does not block it', () => {
    expect(inPrimary([aMember(), aMember({ id: 's2', status: 'failed' })]).next).toBe('enabled')
  })

  test('waits for a server whose ACLs are switched off (decisions: upgrade)', () => {
    expect(inPrimary([aMember(), aMember({ id: 's2', mode: 'disabled' })])).toEqual({
      next: 'legacy',
      waitsFor: ['server s2 of dc1 (version 1.4.0) to switch its ACLs on, or to leave'],
    })
  })

  test('ignores servers of other datacenters; waits without a server of its own', () => {
    const elsewhere = aMember({ datacenter: 'dc2', mode: 'unknown' })
    expect(inPrimary([aMember(), elsewhere]).next).toBe('enabled')
    for (const members of [[], [elsewhere], [aMember({ status: 'left' })]]) {
      expect(inPrimary(members)).toEqual({ next: 'legacy', waitsFor: ['a server of dc1 to be known'] })
    }
  })
})

describe('in a secondary (spec 9.2.2)', () => {
  test('ends once every counted server of the primary has left legacy mode', () => {
    const left = aMember({ id: 'p3', status: 'left', mode: 'unknown' })
    expect(inSecondary([aMember({ id: 'p1', mode: 'enabled' }), left]).next).toBe('enabled')
  })

  test.each(['legacy', 'unknown', 'disabled'] as const)(
    'waits for a server of the primary that is %s',
    (mode) => {
      const ready = aMember({ id: 'p1', mode: 'enabled' })
      expect(inSecondary([ready, aMember({ id: 'p2', mode, status: 'failed' })])).toEqual({
        next: 'legacy',
        waitsFor: ['server p2 of dc1 (version 1.4.0, failed) in the primary datacenter to leave legacy mode'],
      })
    },
  )

  test('waits while the primary was never reached, or has no known server', () => {
    expect(inSecondary(undefined).waitsFor).toEqual(['the primary datacenter dc1 to be reachable'])
    for (const members of [
      [],
      [aMember({ mode: 'enabled', status: 'left' })],
      [aMember({ datacenter: 'dc2', mode: 'enabled' })],
    ]) {
      expect(inSecondary(members).waitsFor).toEqual(['a server of the primary datacenter dc1 to be known'])
    }
  })

  test('waits for the primary to be one', () => {
    const ready = [aMember({ id: 'p1', mode: 'enabled' })]
    expect(inSecondary(ready, { primaryFollows: 'dc2' })).toEqual({
      next: 'legacy',
      waitsFor: ['dc1 to be the primary datacenter: it takes dc2 for it'],
    })
  })

  test('waits for its own servers too', () => {
    const old = aMember({ datacenter: 'dc2', version: '1.3.1', mode: 'unknown' })
    expect(inSecondary([aMember({ mode: 'enabled' })], { members: [old] }).next).toBe('legacy')
  })
})

test('a recorded end is never undone, whatever the servers (spec 9.2.5)', () => {
  const recorded = endLegacyMode(LEGACY, 1_000)
  expect(recorded).toEqual({ mode: 'enabled', since: 1_000 })
  expect(endLegacyMode(recorded, 2_000)).toBe(recorded)
  const members = [aMember({ mode: 'unknown', version: '1.3.0' })]
  expect(inSecondary(undefined, { members, recorded })).toEqual({ next: 'enabled', waitsFor: [] })
})

test('new data starts enabled from 1.4.0 on, in the primary alone; a secondary must not be ahead of its primary (spec 9.2.1)', () => {
  const now = 5
  expect(initialMode(aProfile('1.3.1'), { isPrimary: true, now })).toEqual(LEGACY)
  expect(initialMode(aProfile('1.4.0'), { isPrimary: true, now })).toEqual({ mode: 'enabled', since: 5 })
  expect(initialMode(aProfile('1.3.1'), { isPrimary: false, now })).toEqual(LEGACY)
  expect(initialMode(aProfile('1.11'), { isPrimary: false, now })).toEqual({ ...LEGACY, beganEmpty: true })
})

test('a server advertises nothing before 1.4.0, then whether its ACLs are on, then the recorded mode', () => {
  const enabled = { mode: 'enabled', since: 0 } as const
  expect(advertisedMode(aProfile('1.3.1'), { aclEnabled: true, recorded: LEGACY })).toBe('unknown')
  expect(advertisedMode(aProfile('1.4.0'), { aclEnabled: true, recorded: LEGACY })).toBe('legacy')
  expect(advertisedMode(aProfile('1.4.0'), { aclEnabled: true, recorded: enabled })).toBe('enabled')
  expect(advertisedMode(aProfile('1.4.0'), { aclEnabled: false, recorded: enabled })).toBe('disabled')
})

describe('the refusal in legacy mode (spec 7)', () => {
  test('begins with the text that clients match, then says what it waits for', () => {
    const error = legacyModeError(['server a to leave', 'server b to leave'])
    expect(error.code).toBe('legacy_mode')
    expect(error.message).toBe(
      'The ACL system is currently in legacy mode. It waits for server a to leave; server b to leave.',
    )
  })

  test('says that the end is near if it waits for nothing', () => {
    expect(legacyModeError([]).message).toBe(
      'The ACL system is currently in legacy mode. It is about to end.',
    )
  })

  test('asks to wait where no copy of a token has arrived yet: after a 403 clients throw good credentials away', () => {
    const error = legacyModeError([], { mode: 'legacy', beganEmpty: true })
    expect(error.code).toBe('copy_incomplete')
    expect(legacyModeError([], { mode: 'legacy' }).code).toBe('legacy_mode')
  })

  test('shows five reasons and counts the rest', () => {
    const waitsFor = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    expect(legacyModeError(waitsFor.slice(0, 5)).message).toMatch(/ It waits for a; b; c; d; e\.$/)
    expect(legacyModeError(waitsFor).message).toMatch(/ It waits for a; b; c; d; e; and 2 more\.$/)
  })
})
