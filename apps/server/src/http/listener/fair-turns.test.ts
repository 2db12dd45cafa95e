import { expect, test } from 'vitest'
import { FairTurns } from './fair-turns.ts'

const PER_TURN = 16

const turn = () => new Promise((resolve) => setImmediate(resolve))

function aFlood(count: number) {
  const turns = new FairTurns(PER_TURN)
  const started: string[] = []
  const next = (client: string, cost?: number) => turns.next(client, () => started.push(client), cost)
  for (let i = 0; i < count; i += 1) next('flood')
  return { turns, started, next }
}

test('DOS-05: a turn runs a bounded number of tasks, the first ones at once', async () => {
  const { started } = aFlood(3 * PER_TURN)
  expect(started).toHaveLength(PER_TURN)
  for (let turns = 2; turns <= 3; turns += 1) {
    await turn()
    expect(started).toHaveLength(turns * PER_TURN)
  }
})

test('DOS-05: a client waits for one task of each other client, not for all of them', async () => {
  const { started, next } = aFlood(400)
  for (const client of ['a', 'b', 'a']) next(client)
  await turn()
  expect(started.slice(PER_TURN)).toEqual([
    'flood',
    'a',
    'b',
    'flood',
    'a',
    ...Array.from({ length: PER_TURN - 5 }, () => 'flood'),
  ])
})

test('DOS-05: a turn ends with the task that uses up its cost', async () => {
  const { started, next } = aFlood(0)
  for (const client of ['a', 'b', 'c', 'd', 'e']) next(client, PER_TURN / 2 + 1)
  expect(started).toEqual(['a', 'b'])
  await turn()
  expect(started).toEqual(['a', 'b', 'c', 'd'])
  await turn()
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a task that arrives later in a turn does not run before waiting tasks', async () => {
  const { started, next } = aFlood(2 * PER_TURN)
  await turn()
  next('a')
  expect(started).not.toContain('a')
  await turn()
  expect(started.at(-1)).toBe('a')
  next('b')
  expect(started.at(-1)).toBe('b')
})

test('a task added by another task queues behind waiting tasks', async () => {
  const { turns, started, next } = aFlood(PER_TURN)
  turns.next('a', () => next('b'))
  next('c')
  await turn()
  expect(started.slice(-2)).toEqual(['c', 'b'])
})

test('DOS-05: a turn starts no task after its time, but one at least', async () => {
  let now = 0
  const turns = new FairTurns(Number.POSITIVE_INFINITY, { msPerTurn: 10, now: () => now })
  const started: string[] = []
  const next = (client: string, ms: number) =>
    turns.next(client, () => {
      started.push(client)
      now += ms
    })
  expect(turns.isFree()).toBe(true)
  for (let i = 0; i < 4; i += 1) next('flood', 24)
  expect(turns.isFree()).toBe(false)
  next('other', 1)
  expect(started).toEqual(['flood'])
  await turn()
  expect(started).toEqual(['flood', 'flood'])
  await turn()
  expect(started).toEqual(['flood', 'flood', 'other', 'flood'])
  await turn()
  await turn()
  expect([started.length, turns.isFree()]).toEqual([5, true])
})
