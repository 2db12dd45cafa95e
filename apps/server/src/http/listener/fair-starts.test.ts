import { expect, test } from 'vitest'
import { FairStarts, STARTS_PER_TURN_MAX } from './fair-starts.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

function aFlood(count: number) {
  const starts = new FairStarts()
  const started: string[] = []
  const next = (client: string) => starts.next(client, () => started.push(client))
  for (let i = 0; i < count; i += 1) next('flood')
  return { starts, started, next }
}

test('DOS-05: a turn starts a bounded number of requests, the first ones at once', async () => {
  const { started } = aFlood(3 * STARTS_PER_TURN_MAX)
  expect(started).toHaveLength(STARTS_PER_TURN_MAX)
  for (let turns = 2; turns <= 3; turns += 1) {
    await turn()
    expect(started).toHaveLength(turns * STARTS_PER_TURN_MAX)
  }
})

test('DOS-05: a client waits for one request of each other client, not for all of them', async () => {
  const { started, next } = aFlood(400)
  for (const client of ['a', 'b', 'a']) next(client)
  await turn()
  expect(started.slice(STARTS_PER_TURN_MAX)).toEqual([
    'flood',
    'a',
    'b',
    'flood',
    'a',
    ...Array.from({ length: STARTS_PER_TURN_MAX - 5 }, () => 'flood'),
  ])
})

test('a request that comes later in a turn does not start before those that wait', async () => {
  const { started, next } = aFlood(2 * STARTS_PER_TURN_MAX)
  await turn()
  next('a')
  expect(started).not.toContain('a')
  await turn()
  expect(started.at(-1)).toBe('a')
  next('b')
  expect(started.at(-1)).toBe('b')
})

test('a request that another one starts comes behind those that wait', async () => {
  const { starts, started, next } = aFlood(STARTS_PER_TURN_MAX)
  starts.next('a', () => next('b'))
  next('c')
  await turn()
  expect(started.slice(-2)).toEqual(['c', 'b'])
})
