import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

const PER_TURN = 16

const turn = () => new Promise((resolve) => setImmediate(resolve))

function aFlood(count: number) {
  const turns = new FairQueue(PER_TURN, { startsAtOnce: true })
  const started: string[] = []
  const next = (client: string, cost?: number) => turns.run(client, () => started.push(client), cost)
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
  turns.run('a', () => next('b'))
  next('c')
  await turn()
  expect(started.slice(-2)).toEqual(['c', 'b'])
})

test('DOS-05: a turn starts no task after its time, but one at least', async () => {
  let now = 0
  const turns = new FairQueue(Number.POSITIVE_INFINITY, { msPerTurn: 10, startsAtOnce: true, now: () => now })
  const started: string[] = []
  const next = (client: string, ms: number) =>
    turns.run(client, () => {
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

test('deferred work runs in order at the end of its turn, not in the next turn', async () => {
  const endOfTurn = new FairQueue(256)
  const seen: string[] = []
  const note = (what: string) => void endOfTurn.next().then(() => seen.push(what))
  note('first')
  await Promise.resolve()
  process.nextTick(() => note('second'))
  await new Promise((resolve) => process.nextTick(resolve))
  expect(seen).toEqual([])
  await turn()
  expect(seen).toEqual(['first', 'second'])
  note('third')
  expect(seen).toHaveLength(2)
  await turn()
  expect(seen).toEqual(['first', 'second', 'third'])
})

test('a burst of deferred work is spread over turns, in order', async () => {
  const endOfTurn = new FairQueue(256)
  const seen: number[] = []
  for (let i = 0; i < 600; i += 1) void endOfTurn.next().then(() => seen.push(i))
  for (const count of [256, 512, 600]) {
    await turn()
    expect(seen).toHaveLength(count)
  }
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
})

test('DOS-05: by default, one waiter resumes per turn of the event loop, in order of arrival', async () => {
  const queue = new FairQueue()
  const went: string[] = []
  const worker = async (name: string) => {
    for (let i = 0; i < 2; i++) {
      await queue.next()
      went.push(name)
    }
  }
  const workers = [worker('a'), worker('b')]
  for (let turns = 1; turns <= 4; turns += 1) {
    await turn()
    expect(went).toHaveLength(turns)
  }
  await Promise.all(workers)
  expect(went).toEqual(['a', 'b', 'a', 'b'])
})
