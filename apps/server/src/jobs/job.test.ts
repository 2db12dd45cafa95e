import { getEventListeners } from 'node:events'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { pause, startJob } from './job.ts'

const log = pino({ level: 'silent' })

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a job', () => {
  test('runs at once, and again after the pause that each round asks for', async () => {
    const at: number[] = []
    const startedAt = Date.now()
    const job = startJob('test', log, async () => {
      at.push(Date.now() - startedAt)
      return at.length * 100
    })
    await vi.advanceTimersByTimeAsync(650)
    expect(at).toEqual([0, 100, 300, 600])
    await job.stop()
  })

  test('runs the next round a second after one that failed', async () => {
    let rounds = 0
    const job = startJob('test', log, async () => {
      rounds += 1
      throw new Error('the database is away')
    })
    await vi.advanceTimersByTimeAsync(999)
    expect(rounds).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(rounds).toBe(2)
    await job.stop()
  })

  test('never runs two rounds at once, however long one takes', async () => {
    let running = 0
    let most = 0
    const job = startJob('test', log, async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 500))
      running -= 1
      return 0
    })
    await vi.advanceTimersByTimeAsync(3_000)
    expect(most).toBe(1)
    const stopped = job.stop()
    await vi.advanceTimersByTimeAsync(500)
    await stopped
  })

  test('stops at once during a pause, and during a round when it ends', async () => {
    let finish = () => {}
    let isOver = false
    const pausing = startJob('test', log, async () => 1_000_000)
    await vi.advanceTimersByTimeAsync(1)
    await pausing.stop()
    const working = startJob(
      'test',
      log,
      () =>
        new Promise<number>((resolve) => {
          finish = () => resolve(0)
        }),
    )
    const stopped = working.stop().then(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(isOver).toBe(false)
    finish()
    await stopped
    expect(vi.getTimerCount()).toBe(0)
  })

  test('aborts the signal of its round when it is stopped', async () => {
    let heard: AbortSignal | undefined
    const job = startJob('test', log, async (signal) => {
      heard = signal
      return 10
    })
    await vi.advanceTimersByTimeAsync(1)
    expect(heard?.aborted).toBe(false)
    await job.stop()
    expect(heard?.aborted).toBe(true)
  })
})

describe('a pause', () => {
  test.each([0, -5])('of %d ms, or after the signal, is none', async (ms) => {
    await pause(ms, new AbortController().signal)
    await pause(1_000, AbortSignal.abort())
    expect(vi.getTimerCount()).toBe(0)
  })

  test('leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    const over = pause(1_000, signal)
    await vi.advanceTimersByTimeAsync(1_000)
    await over
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
