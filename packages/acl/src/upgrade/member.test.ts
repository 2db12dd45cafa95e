import { aMember } from '@latchkey/testkit/upgrade/builders'
import { describe, expect, test } from 'vitest'
import {
  isCounted,
  isForgotten,
  MEMBER_FAILED_AFTER_MS,
  MEMBER_FORGOTTEN_AFTER_MS,
  OBSERVER_GRACE_MS,
  withObservedStatus,
} from './member.ts'

test('alive and failed members count, those that left do not (spec 9.2.2; decisions: upgrade)', () => {
  expect(isCounted(aMember({ status: 'alive' }))).toBe(true)
  expect(isCounted(aMember({ status: 'failed' }))).toBe(true)
  expect(isCounted(aMember({ status: 'left' }))).toBe(false)
})

test('a member fails when it is silent for longer than the bound, and lives again when it speaks', () => {
  const member = aMember({ heartbeatAt: 1_000 })
  expect(withObservedStatus(member, 1_000 + MEMBER_FAILED_AFTER_MS).status).toBe('alive')
  const failed = withObservedStatus(member, 1_001 + MEMBER_FAILED_AFTER_MS)
  expect(failed.status).toBe('failed')
  expect(withObservedStatus({ ...failed, heartbeatAt: 9_000 }, 9_000).status).toBe('alive')
})

test('who left stays so, however fresh its row is', () => {
  expect(withObservedStatus(aMember({ status: 'left', heartbeatAt: 5 }), 5).status).toBe('left')
})

describe('forgetting', () => {
  const observedSince = 0

  test.each(['left', 'failed'] as const)(
    'a member that %s is forgotten after its bound, not at it',
    (status) => {
      const member = aMember({ status, heartbeatAt: 10 })
      const bound = 10 + MEMBER_FORGOTTEN_AFTER_MS[status]
      expect(isForgotten(member, { now: bound, observedSince })).toBe(false)
      expect(isForgotten(member, { now: bound + 1, observedSince })).toBe(true)
    },
  )

  test('a living member is never forgotten', () => {
    expect(isForgotten(aMember({ heartbeatAt: 0 }), { now: Number.MAX_SAFE_INTEGER, observedSince })).toBe(
      false,
    )
  })

  test('an observer that has just restarted forgets no member', () => {
    const member = aMember({ status: 'failed' })
    const now = 2 * MEMBER_FORGOTTEN_AFTER_MS.failed
    expect(isForgotten(member, { now, observedSince: now - OBSERVER_GRACE_MS + 1 })).toBe(false)
    expect(isForgotten(member, { now, observedSince: now - OBSERVER_GRACE_MS })).toBe(true)
  })
})
