import { AclError } from '@latchkey/contract'
import { expect, test, vi } from 'vitest'
import {
  atOnce,
  inTurns,
  LANE_WAITING_MAX,
  Lane,
  Pace,
  type Sliced,
  STEPS_PER_SLICE,
  TurnQueue,
  type Turns,
  yieldTurn,
} from './turns.ts'

function* counting(slices: number): Sliced<number> {
  for (let i = 0; i < slices; i++) yield
  return slices
}

function countedTurns(): Turns & { readonly count: number } {
  const turns = {
    count: 0,
    next: async () => {
      turns.count += 1
    },
  }
  return turns
}

test('work of one slice completes at once; longer work takes one turn per yield', async () => {
  const turns = countedTurns()
  expect(await inTurns(counting(0), { turns })).toBe(0)
  expect(turns.count).toBe(0)
  expect(await inTurns(counting(3), { turns })).toBe(3)
  expect(turns.count).toBe(3)
  expect(atOnce(counting(3))).toBe(3)
})

test('DOS-05: aborted work runs no further slice', async () => {
  const client = new AbortController()
  let slices = 0
  function* endless(): Sliced<never> {
    for (;;) {
      slices += 1
      if (slices === 5) client.abort()
      yield
    }
  }
  const work = inTurns(endless(), { turns: countedTurns(), signal: client.signal })
  await expect(work).rejects.toSatisfy((error) => error instanceof AclError && error.code === 'unavailable')
  expect(slices).toBe(5)
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

test('a slice ends after STEPS_PER_SLICE steps', () => {
  const pace = new Pace()
  const due = Array.from({ length: 2 * STEPS_PER_SLICE }, () => pace.isDue())
  expect(due.filter(Boolean).length).toBe(2)
  expect(due.indexOf(true)).toBe(STEPS_PER_SLICE - 1)
  expect(pace.isDue(STEPS_PER_SLICE)).toBe(true)
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
