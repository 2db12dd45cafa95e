import { expect, test } from 'vitest'
import {
  isCounted,
  isForgotten,
  MEMBER_FAILED_AFTER_MS,
  MEMBER_FORGOTTEN_AFTER_MS,
  withObservedStatus,
} from './member.ts'
import { aMember } from './testing/builders.ts'

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

test.each(['left', 'failed'] as const)(
  'a member that %s is forgotten after its bound, not at it (reference 1.3)',
  (status) => {
    const member = aMember({ status, heartbeatAt: 10 })
    expect(isForgotten(member, 10 + MEMBER_FORGOTTEN_AFTER_MS[status])).toBe(false)
    expect(isForgotten(member, 11 + MEMBER_FORGOTTEN_AFTER_MS[status])).toBe(true)
  },
)

test('a living member is never forgotten', () => {
  expect(isForgotten(aMember({ heartbeatAt: 0 }), Number.MAX_SAFE_INTEGER)).toBe(false)
})
