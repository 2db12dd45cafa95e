import { expect, test, vi } from 'vitest'
import {
  LANE_WAITING_MAX,
  Lane,
  Pauses,
  readInTurn,
  STEPS_PER_TURN,
  TurnQueue,
  type Turns,
  yieldTurn,
} from './turns.ts'

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
  const pauses = new Pauses({ turns })
  const taken: number[] = []
  for (let step = 1; step <= 2 * STEPS_PER_TURN; step++) {
    await pauses.before(1)
    if (turns.count > taken.length) taken.push(step)
  }
  expect(taken).toEqual([STEPS_PER_TURN, 2 * STEPS_PER_TURN])
  await pauses.before(STEPS_PER_TURN)
  expect([turns.count, pauses.steps]).toEqual([3, 3 * STEPS_PER_TURN])
})

test('DOS-05: aborted work ends at its next turn', async () => {
  const client = new AbortController()
  const pauses = new Pauses({ turns: countedTurns(), signal: client.signal })
  await pauses.before(STEPS_PER_TURN)
  client.abort()
  await pauses.before(1)
  await expect(pauses.before(STEPS_PER_TURN)).rejects.toMatchObject({ code: 'unavailable' })
})

test('DOS-05: a long text is read in a turn of its own, a short one at once', async () => {
  const turns = countedTurns()
  const read = (length: number) => readInTurn({ turns }, 'x'.repeat(length), () => turns.count)
  expect(await read(4_096)).toBe(0)
  expect(await read(4_097)).toBe(1)
})

test('DOS-05: one waiter resumes per turn of the event loop, in order of arrival', async () => {
  let turn = 0
  const queue = new TurnQueue(async () => {
    await Promise.resolve()
    turn += 1
  })
  const went: [string, number][] = []
  const worker = async (name: string) => {
    for (let i = 0; i < 2; i++) {
      await queue.next()
      went.push([name, turn])
    }
  }
  await Promise.all([worker('a'), worker('b')])
  expect(went).toEqual([
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['b', 4],
  ])
})

test('DOS-05: a lane runs tasks one after another; a task aborted while waiting never begins', async () => {
  const lane = new Lane(1)
  const ends: (() => void)[] = []
  const begun: string[] = []
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((resolve) => ends.push(() => resolve(name)))
  }
  const client = new AbortController()
  const first = lane.run(work('first'))
  const left = lane.run(work('left'), client.signal)
  const third = lane.run(work('third'))
  client.abort()
  await expect(left).rejects.toMatchObject({ code: 'unavailable' })
  ends[0]?.()
  expect(await first).toBe('first')
  expect(begun).toEqual(['first', 'third'])
  ends[1]?.()
  expect(await third).toBe('third')
})

test('DOS-05: tasks aborted while waiting free their places in the lane', async () => {
  const lane = new Lane(1)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const running = lane.run(() => ended)
  const client = new AbortController()
  const waiting = Array.from({ length: LANE_WAITING_MAX }, () => lane.run(async () => {}, client.signal))
  await expect(lane.run(async () => {})).rejects.toMatchObject({
    details: { headers: { 'Retry-After': '1' } },
  })
  client.abort()
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected')
  const next = lane.run(async () => 'next')
  end()
  await running
  expect(await next).toBe('next')
})

test('yieldTurn works with faked timers', async () => {
  vi.useFakeTimers()
  try {
    let isOver = false
    await yieldTurn().then(() => {
      isOver = true
    })
    expect(isOver).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})
