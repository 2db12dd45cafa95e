import { expect, test } from 'vitest'
import { EndOfTurn } from './end-of-turn.ts'

test('deferred work runs in order at the end of its turn, not in the next turn', async () => {
  const endOfTurn = new EndOfTurn()
  const seen: string[] = []
  const note = (what: string) => void endOfTurn.reached().then(() => seen.push(what))
  note('first')
  await Promise.resolve()
  process.nextTick(() => note('second'))
  await new Promise((resolve) => process.nextTick(resolve))
  expect(seen).toEqual([])
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen).toEqual(['first', 'second'])
  note('third')
  expect(seen).toHaveLength(2)
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen).toEqual(['first', 'second', 'third'])
})

test('a burst is spread over turns, in order', async () => {
  const endOfTurn = new EndOfTurn()
  const seen: number[] = []
  for (let i = 0; i < 600; i += 1) void endOfTurn.reached().then(() => seen.push(i))
  for (const count of [256, 512, 600]) {
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toHaveLength(count)
  }
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
})
