import { expect, test, vi } from 'vitest'
import { afterTurn, readInTurn, STEPS_PER_TURN, StepCounter, type Turns } from './turns.ts'

function countedTurns(): Turns & { readonly count: number } {
  const turns = {
    count: 0,
    next: async () => {
      turns.count += 1
    },
  }
  return turns
}

test('DOS-05: long work takes a turn after STEPS_PER_TURN steps', async () => {
  const turns = countedTurns()
  const counter = new StepCounter({ turns })
  const taken: number[] = []
  for (let step = 1; step <= 2 * STEPS_PER_TURN; step++) {
    await counter.count(1)
    if (turns.count > taken.length) taken.push(step)
  }
  expect(taken).toEqual([STEPS_PER_TURN, 2 * STEPS_PER_TURN])
  await counter.count(STEPS_PER_TURN)
  expect([turns.count, counter.steps]).toEqual([3, 3 * STEPS_PER_TURN])
})

test('DOS-05: aborted work ends at its next turn', async () => {
  const client = new AbortController()
  const counter = new StepCounter({ turns: countedTurns(), signal: client.signal })
  await counter.count(STEPS_PER_TURN)
  client.abort()
  await counter.count(1)
  await expect(counter.count(STEPS_PER_TURN)).rejects.toMatchObject({ code: 'unavailable' })
})

test('DOS-05: a long text is read in a turn of its own, a short one at once', async () => {
  const turns = countedTurns()
  const read = (length: number) => readInTurn({ turns }, 'x'.repeat(length), () => turns.count)
  expect(await read(4_096)).toBe(0)
  expect(await read(4_097)).toBe(1)
})

test('afterTurn works with faked timers', async () => {
  vi.useFakeTimers()
  try {
    await new Promise<void>((resolve) => afterTurn(resolve))
  } finally {
    vi.useRealTimers()
  }
})
