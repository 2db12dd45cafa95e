import { describe, expect, test, vi } from 'vitest'
import { MockClock, toMs } from './mock-clock.ts'

describe('frozen time', () => {
  test('moves by what it is advanced, in milliseconds or as a duration', () => {
    const clock = new MockClock(1_000)
    clock.advance(500)
    expect(clock.now()).toBe(1_500)
    clock.advance('1h30m')
    expect(clock.now()).toBe(1_500 + 5_400_000)
  })

  test('wakes sleepers in the order of their instants, each at its own', () => {
    const clock = new MockClock(0)
    const woken: [string, number][] = []
    clock.after(200, () => woken.push(['second', clock.now()]))
    clock.after(100, () => woken.push(['first', clock.now()]))
    clock.after(301, () => woken.push(['late', clock.now()]))
    clock.advance(300)
    expect(woken).toEqual([
      ['first', 100],
      ['second', 200],
    ])
    expect(clock.now()).toBe(300)
  })

  test('wakes one who fell asleep on the way, when that too is due', () => {
    const clock = new MockClock(0)
    const woken: number[] = []
    clock.after(100, () => clock.after(100, () => woken.push(clock.now())))
    clock.advance(200)
    expect(woken).toEqual([200])
  })

  test('does not wake who was cancelled', () => {
    const clock = new MockClock(0)
    const wake = vi.fn()
    clock.after(100, wake)()
    clock.advance(100)
    expect(wake).not.toHaveBeenCalled()
  })

  test('goes back to its start on reset', () => {
    const clock = new MockClock(1_000)
    clock.advance('5m')
    clock.reset()
    expect(clock.now()).toBe(1_000)
  })
})

describe('real time', () => {
  test('runs by itself, and continues from where it was advanced to', () => {
    vi.useFakeTimers({ now: 10_000 })
    const clock = new MockClock(undefined)
    clock.advance('1m')
    expect(clock.now()).toBe(70_000)
    vi.advanceTimersByTime(5)
    expect(clock.now()).toBe(70_005)
    vi.useRealTimers()
  })

  test('wakes sleepers by itself, sooner where it was advanced', () => {
    vi.useFakeTimers({ now: 0 })
    const clock = new MockClock(undefined)
    const wake = vi.fn()
    clock.after(1_000, wake)
    clock.advance(900)
    vi.advanceTimersByTime(99)
    expect(wake).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(wake).toHaveBeenCalledOnce()
    vi.useRealTimers()
  })

  test('an advance wakes each due sleeper at once, and only once', () => {
    vi.useFakeTimers({ now: 0 })
    const clock = new MockClock(undefined)
    const wake = vi.fn()
    clock.after(1_000, wake)
    clock.advance(1_000)
    expect(wake).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(10_000)
    expect(wake).toHaveBeenCalledOnce()
    vi.useRealTimers()
  })
})

test('a duration that is negative, or none, is refused', () => {
  for (const bad of [-1, Number.NaN, '-5m', 'soon', ''])
    expect(() => toMs(bad), String(bad)).toThrow(TypeError)
  expect(toMs('0')).toBe(0)
})
