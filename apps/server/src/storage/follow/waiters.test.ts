import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Waiters } from './waiters.ts'

const PER_TURN = 128

test('thousands of waits on one change end over many turns, in order, and others are woken in between', async () => {
  const waiters = new Waiters()
  const ended: number[] = []
  const waits = Array.from({ length: 1_000 }, async (_, i) => {
    expect(await waiters.add('tokens', 60_000, undefined)).toBe('changed')
    ended.push(i)
  })
  waiters.wake('tokens')
  await Promise.resolve()
  const atOnce = waiters.add('policies', 60_000, undefined)
  waiters.wakeAll()
  for (let left = 1_001; left > 0; left -= PER_TURN) {
    expect(waiters.count).toBe(Math.max(left - PER_TURN, 0))
    await turn()
  }
  await Promise.all([...waits, atOnce])
  expect(ended).toEqual(waits.map((_, i) => i))
})

test('a wait that is woken in a later turn still ends when its client leaves, and when the server closes', async () => {
  const waiters = new Waiters()
  const gone = new AbortController()
  const waits = Array.from({ length: PER_TURN + 2 }, (_, i) =>
    waiters.add('tokens', 60_000, i === PER_TURN ? gone.signal : undefined),
  )
  waiters.wake('tokens')
  gone.abort()
  waiters.close()
  expect(await Promise.all(waits)).toEqual([
    ...Array.from({ length: PER_TURN }, () => 'changed'),
    'aborted',
    'timeout',
  ])
  expect(waiters.count).toBe(0)
})
