import { aMember, aMemberRow } from '@latchkey/testkit/upgrade/builders'
import { describe, expect, test } from 'vitest'
import {
  isCounted,
  isForgotten,
  MEMBER_FAILED_AFTER_MS,
  MEMBER_FORGOTTEN_AFTER_MS,
  MEMBER_STOPPED_COUNTS_MS,
  type MemberRow,
  OBSERVER_GRACE_MS,
  observeMembers,
  wayOut,
} from './member.ts'

/** The status of the first of these members. */
function statusOf(now: number, member: Partial<MemberRow>, ...others: Partial<MemberRow>[]) {
  return observeMembers([aMemberRow(member), ...others.map(aMemberRow)], now)[0]?.status
}

test('every member counts that did not leave (spec 9.2.2; decisions: upgrade)', () => {
  const counted = (['alive', 'failed', 'stopped', 'left'] as const).map((status) =>
    isCounted(aMember({ status })),
  )
  expect(counted).toEqual([true, true, true, false])
})

test('a name that is no path segment is escaped in the way out of the wait', () => {
  const text = wayOut({ node: 'rack 1/a', status: 'failed' })
  expect(text).toBe(' (PUT /v1/agent/force-leave/rack%201%2Fa if it will not return)')
  expect(wayOut({ node: 'a', status: 'alive' })).toBe('')
})

test('a member fails after a longer silence than the bound, and is alive again after a heartbeat', () => {
  const bound = 1_000 + MEMBER_FAILED_AFTER_MS
  expect(statusOf(bound, { heartbeatAt: 1_000 })).toBe('alive')
  expect(statusOf(bound + 1, { heartbeatAt: 1_000 })).toBe('failed')
  expect(statusOf(bound + 1, { heartbeatAt: bound })).toBe('alive')
})

test('a member that stopped has left after its bound, however fresh its row is', () => {
  const bound = 5 + MEMBER_STOPPED_COUNTS_MS
  expect(statusOf(5, { stoppedAt: 5, heartbeatAt: 5 })).toBe('stopped')
  expect(statusOf(bound, { stoppedAt: 5, heartbeatAt: bound })).toBe('stopped')
  expect(statusOf(bound + 1, { stoppedAt: 5, heartbeatAt: bound })).toBe('left')
})

describe('a process that starts later under the same name takes the place of a member', () => {
  const now = 20_000
  const successor = { id: 's2', node: 's1', startedAt: 11_000, heartbeatAt: now }

  test.each([
    ['stopped', { heartbeatAt: 9_000, stoppedAt: 10_000 }],
    ['failed', { heartbeatAt: 10_000 }],
  ])('that %s', (status, member) => {
    expect(statusOf(now, member)).toBe(status)
    expect(statusOf(now, member, successor)).toBe('left')
  })

  test('unless that still runs, ended later, or has another name or datacenter', () => {
    expect(statusOf(now, { heartbeatAt: now }, successor)).toBe('alive')
    const stopped = { heartbeatAt: 9_000, stoppedAt: 10_000 }
    expect(statusOf(now, { ...stopped, stoppedAt: 11_000 }, successor)).toBe('stopped')
    expect(statusOf(now, stopped, { ...successor, node: 's2' })).toBe('stopped')
    expect(statusOf(now, stopped, { ...successor, datacenter: 'dc2' })).toBe('stopped')
  })
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

  test.each(['alive', 'stopped'] as const)('a member that is %s is never forgotten', (status) => {
    const member = aMember({ status, heartbeatAt: 0 })
    expect(isForgotten(member, { now: Number.MAX_SAFE_INTEGER, observedSince })).toBe(false)
  })

  test('an observer that has just restarted forgets no member', () => {
    const member = aMember({ status: 'failed' })
    const now = 2 * MEMBER_FORGOTTEN_AFTER_MS.failed
    expect(isForgotten(member, { now, observedSince: now - OBSERVER_GRACE_MS + 1 })).toBe(false)
    expect(isForgotten(member, { now, observedSince: now - OBSERVER_GRACE_MS })).toBe(true)
  })
})
