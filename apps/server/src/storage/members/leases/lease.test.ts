/** The lease of a process, the alarm that interrupts its sleep, and the identity of its process. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isProcessGone, processIdentity } from '../process-identity.ts'
import { LEASE_MS, Lease } from './lease.ts'

describe('the lease', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'], now: 1_000_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('lasts exactly its duration, counted from the request', () => {
    const lease = new Lease()
    expect(lease.isValid()).toBe(false)
    const question = lease.ask()
    vi.advanceTimersByTime(400)
    lease.grant(question)
    expect(lease.isValid()).toBe(true)
    vi.advanceTimersByTime(LEASE_MS - 401)
    expect(lease.isValid()).toBe(true)
    vi.advanceTimersByTime(1)
    expect(lease.isValid()).toBe(false)
  })

  test('expires if the wall clock shows that the machine slept, or was set', () => {
    for (const jump of [LEASE_MS, -LEASE_MS]) {
      const lease = new Lease()
      lease.grant(lease.ask())
      vi.setSystemTime(Date.now() + jump)
      expect(lease.isValid()).toBe(false)
    }
  })

  test('expires if the machine slept while it was being requested', () => {
    const lease = new Lease()
    const question = lease.ask()
    vi.setSystemTime(Date.now() + LEASE_MS)
    lease.grant(question)
    expect(lease.isValid()).toBe(false)
  })

  test('ends at once when it is dropped, even while it is being requested', () => {
    const lease = new Lease()
    lease.grant(lease.ask())
    expect(lease.isValid()).toBe(true)
    const question = lease.ask()
    lease.drop()
    expect(lease.isValid()).toBe(false)
    lease.grant(question)
    expect(lease.isValid()).toBe(false)
    lease.grant(lease.ask())
    expect(lease.isValid()).toBe(true)
  })
})

test('a process recognizes itself as alive and an ended one as gone, and never judges another machine', () => {
  const identity = processIdentity()
  expect(isProcessGone(identity)).toBe(false)
  expect(isProcessGone('')).toBe(false)
  if (identity === '') return
  expect(isProcessGone(identity.replace(/\d+$/, '1'))).toBe(true)
  expect(isProcessGone(identity.replace(/^[^ ]+/, 'another-boot'))).toBe(false)
})
