import { AclError, limits } from '@latchkey/contract'
import type { Semaphore } from '@latchkey/service'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type BodySender, bodyBudget, type Reservation, reserve } from './body-budget.ts'

const ALL = limits.BODIES_BYTES_MAX

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** A budget, and a function that reserves parts of it. */
function aBudget() {
  const budget: Semaphore = bodyBudget()
  return {
    ask: (bytes: number, onOverdue: () => void, sender?: BodySender) => {
      const reservation = reserve(budget, bytes, onOverdue, sender)
      reservation.granted.catch(() => {})
      return reservation
    },
  }
}

async function stateOf({ granted }: Reservation): Promise<string> {
  let state = 'waits'
  granted.then(
    () => {
      state = 'granted'
    },
    (error) => {
      state = error instanceof AclError ? error.code : `${error}`
    },
  )
  await new Promise((resolve) => setImmediate(resolve))
  return state
}

test('DOS-04: reservations are granted while there is room, short ones first; a body larger than the budget gets all of it', async () => {
  const budget = aBudget()
  const [first, second] = [budget.ask(ALL - 1, vi.fn()), budget.ask(2 * ALL, vi.fn())]
  const third = budget.ask(1, vi.fn())
  expect([await stateOf(first), await stateOf(second), await stateOf(third)]).toEqual([
    'granted',
    'waits',
    'waits',
  ])
  first.release()
  first.release()
  expect([await stateOf(second), await stateOf(third)]).toEqual(['waits', 'granted'])
  third.release()
  expect(await stateOf(second)).toBe('granted')
  second.release()
})

test('DOS-02: a body that does not arrive loses its room once another has waited, but not while none waits', async () => {
  const budget = aBudget()
  const slow = budget.ask(ALL, () => slow.release())
  await slow.granted
  vi.advanceTimersByTime(10 * limits.BODY_WAIT_MS_MAX)
  expect(await stateOf(slow)).toBe('granted')
  const next = budget.ask(1, vi.fn())
  vi.advanceTimersByTime(200)
  expect(await stateOf(next)).toBe('granted')
  next.release()
})

test('DOS-02: the time of a body runs from its grant to its release', async () => {
  const budget = aBudget()
  const held = budget.ask(ALL, vi.fn())
  const isOverdue = vi.fn()
  const waited = budget.ask(ALL, isOverdue)
  vi.advanceTimersByTime(limits.BODY_WAIT_MS_MAX - 200)
  held.release()
  const next = budget.ask(ALL, vi.fn())
  vi.advanceTimersByTime(limits.BODY_WAIT_MS_MAX - 200)
  expect(isOverdue).not.toHaveBeenCalled()
  waited.release()
  expect(await stateOf(next)).toBe('granted')
  next.arrived()
  const last = budget.ask(1, vi.fn())
  vi.advanceTimersByTime(limits.BODY_WAIT_MS_MAX - 200)
  expect([await stateOf(last), isOverdue.mock.calls]).toEqual(['waits', []])
  last.release()
  next.release()
})

test('a body that has arrived keeps its room; one that waits too long is refused with Retry-After', async () => {
  const budget = aBudget()
  const onOverdue = vi.fn()
  const held = budget.ask(ALL, onOverdue)
  held.arrived()
  const next = budget.ask(1, vi.fn())
  const refused = next.granted.catch((error) => error)
  vi.advanceTimersByTime(limits.BODY_WAIT_MS_MAX - 1)
  expect(await stateOf(next)).toBe('waits')
  vi.advanceTimersByTime(200)
  expect(await refused).toMatchObject({ code: 'unavailable', details: { headers: { 'Retry-After': '1' } } })
  next.release()
  expect(onOverdue).not.toHaveBeenCalled()
  held.abandon()
  const other = budget.ask(1, vi.fn())
  expect(await stateOf(other)).toBe('waits')
  held.release()
  expect(await stateOf(other)).toBe('granted')
  other.release()
})

const [A, B] = [
  { address: 'a', token: 's' },
  { address: 'b', token: 't' },
]

test('DOS-02: one address and one token never reserve all, and what they wait for takes no room from others', async () => {
  const budget = aBudget()
  const overdue = vi.fn()
  const ofToken = Array.from({ length: 4 }, (_, i) =>
    budget.ask(ALL / 4, overdue, { address: `${i}`, token: 's' }),
  )
  expect(await Promise.all(ofToken.map(stateOf))).toEqual(['granted', 'granted', 'waits', 'waits'])
  const other = budget.ask(ALL / 4, vi.fn(), { address: '0', token: 't' })
  expect(await stateOf(other)).toBe('granted')
  for (const room of [...ofToken, other]) room.release()
  const ofAddress = Array.from({ length: 4 }, (_, i) =>
    budget.ask(ALL / 4, vi.fn(), { address: 'a', token: `${i}` }),
  )
  expect(await Promise.all(ofAddress.map(stateOf))).toEqual(['granted', 'granted', 'granted', 'waits'])
  const slow = budget.ask(ALL / 4, overdue, B)
  expect(await stateOf(slow)).toBe('granted')
  vi.advanceTimersByTime(limits.BODY_WAIT_MS_MAX + 200)
  // Others of the first address wait, but only for their own.
  expect(overdue).not.toHaveBeenCalled()
  for (const room of [...ofAddress, slow]) {
    room.release()
  }
})

test('DOS-02: who waits is granted what an overdue body leaves, even at the end of its own wait', async () => {
  const budget = aBudget()
  const slow = [A, { address: 'c' }].map((sender) => {
    const room: Reservation = budget.ask(ALL / 2, () => queueMicrotask(room.release), sender)
    return room
  })
  const ordinary = budget.ask(ALL / 4, vi.fn(), B)
  await vi.advanceTimersByTimeAsync(limits.BODY_WAIT_MS_MAX + 300)
  expect(await stateOf(ordinary)).toBe('granted')
  for (const room of [...slow, ordinary]) room.release()
})
