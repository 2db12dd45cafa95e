import type { LockSession } from '@latchkey/sdk'
import { expect, test } from 'vitest'
import { checksOf, givenLockDelayOf, lifetimeOf, placeOf, ttlOf } from './session-facts.ts'

const session = (fields: Partial<LockSession> = {}): LockSession => ({
  ...{ ID: '0c9ad4f1-2f4e-4f4b-8d5c-6f4e6f6f0a11', Name: '', Node: 'n1', LockDelay: 15_000_000_000 },
  ...{ Behavior: 'release', TTL: '15s', CreateIndex: 1, ModifyIndex: 1, ...fields },
})

test('a session without a TTL does not expire; with one it ends after twice the TTL', () => {
  const shown = (TTL: string) => [ttlOf(session({ TTL })), lifetimeOf(session({ TTL }))]
  expect(shown('15s')).toEqual(['15s', 'Ends about 30 seconds after the last renewal'])
  for (const TTL of ['', '0s']) expect(shown(TTL)).toEqual(['None', 'Does not expire'])
})

test.each([
  [0, 'None'],
  [500_000_000, '500 ms'],
  [15_000_000_000, '15 seconds'],
  [60_000_000_000, '1 minute'],
  [90_000_000_000, '1 minute 30 seconds, which acts as 1 minute'],
])('a lock delay of %d ns shows as %s', (LockDelay, shown) => {
  expect(givenLockDelayOf(session({ LockDelay }))).toBe(shown)
})

test('its checks are the checks of all three lists, each once (spec 9.3, 1.7.0)', () => {
  expect(checksOf(session({ Checks: ['serfHealth'] }))).toEqual(['serfHealth'])
  const ServiceChecks = [{ ID: 'web', Namespace: '' }]
  const all = checksOf(session({ NodeChecks: ['a', 'b'], ServiceChecks, Checks: ['a'] }))
  expect(all).toEqual(['a', 'b', 'web'])
  expect(checksOf(session({ NodeChecks: [], ServiceChecks: null }))).toEqual([])
})

test('a key is shown in its folder', () => {
  expect(placeOf('a/b/c')).toEqual({ in: 'a/b/', key: 'a/b/c' })
  expect(placeOf('a')).toEqual({ key: 'a' })
})
