import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Waiters } from './waiters.ts'

/** How many waits end in the first turn, and in each later one. */
const FIRST = 8
const PER_TURN = 128

test('thousands of waits on one change end over many turns, in order, and others are woken in between', async () => {
  const waiters = new Waiters(() => 0)
  const ended: number[] = []
  const waits = Array.from({ length: 1_000 }, async (_, i) => {
    expect(await waiters.add('tokens', 60_000, undefined)).toBe('changed')
    ended.push(i)
  })
  waiters.wake('tokens')
  await Promise.resolve()
  const atOnce = waiters.add('policies', 60_000, undefined)
  waiters.wakeAll()
  let perTurn = FIRST
  for (let left = 1_001; left > 0; ) {
    left -= perTurn
    expect(waiters.count).toBe(Math.max(left, 0))
    perTurn = Math.min(2 * perTurn, PER_TURN)
    await turn()
  }
  await Promise.all([...waits, atOnce])
  expect(ended).toEqual(waits.map((_, i) => i))
})

test('a wait that is woken in a later turn still ends when its client leaves, and when the server closes', async () => {
  const waiters = new Waiters()
  const gone = new AbortController()
  const waits = Array.from({ length: FIRST + 2 }, (_, i) =>
    waiters.add('tokens', 60_000, i === FIRST ? gone.signal : undefined),
  )
  waiters.wake('tokens')
  gone.abort()
  waiters.close()
  expect(await Promise.all(waits)).toEqual([
    ...Array.from({ length: FIRST }, () => 'changed'),
    'aborted',
    'timeout',
  ])
  expect(waiters.count).toBe(0)
})

test('DOS-05: fewer waits end per turn if their answers take long, even if all time out together', async () => {
  let now = 0
  const waiters = new Waiters(() => now)
  /** How many waits remained when each was answered. */
  const left: number[] = []
  const add = (timeoutMs: number) =>
    Array.from({ length: 20 }, async () => {
      await waiters.add('checks', timeoutMs, undefined)
      left.push(waiters.count)
      now += 20
    })
  const waits = add(60_000)
  waiters.wake('checks')
  await Promise.all(waits)
  const afterFirst = Array.from({ length: 20 - FIRST }, (_, i) => 20 - FIRST - 1 - i)
  const expected = [...Array.from({ length: FIRST }, () => 20 - FIRST), ...afterFirst]
  expect(left).toEqual(expected)
  await Promise.all(add(1))
  const ofTurns = Map.groupBy(left.slice(20), (remaining) => remaining)
  expect(Math.max(...[...ofTurns.values()].map((ended) => ended.length))).toBeLessThanOrEqual(FIRST)
})
