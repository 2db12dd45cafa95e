import { afterEach, describe, expect, test, vi } from 'vitest'
import { MockClock, toMs } from './mock-clock.ts'

afterEach(() => void vi.useRealTimers())

test('in real time, a timer of 30 days fires after 30 days, although Node limits one to 24', () => {
  vi.useFakeTimers()
  const days = 24 * 60 * 60 * 1_000
  const wake = vi.fn()
  new MockClock(undefined).after(30 * days, wake)
  vi.advanceTimersByTime(30 * days - 1)
  expect(wake).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(wake).toHaveBeenCalledOnce()
})

describe('frozen time', () => {
  test('advances by milliseconds or by a duration', () => {
    const clock = new MockClock(1_000)
    clock.advance(500)
    expect(clock.now()).toBe(1_500)
    clock.advance('1h30m')
    expect(clock.now()).toBe(1_500 + 5_400_000)
  })

  test('fires timers in order, each at its own instant', () => {
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

  test('also fires a timer set during the advance, if due', () => {
    const clock = new MockClock(0)
    const woken: number[] = []
    clock.after(100, () => clock.after(100, () => woken.push(clock.now())))
    clock.advance(200)
    expect(woken).toEqual([200])
  })

  test('does not fire a cancelled timer', () => {
    const clock = new MockClock(0)
    const wake = vi.fn()
    clock.after(100, wake)()
    clock.advance(100)
    expect(wake).not.toHaveBeenCalled()
  })

  test('returns to its start on reset', () => {
    const clock = new MockClock(1_000)
    clock.advance('5m')
    clock.reset()
    expect(clock.now()).toBe(1_000)
  })
})

describe('real time', () => {
  test('runs by itself, and continues after an advance', () => {
    vi.useFakeTimers({ now: 10_000 })
    const clock = new MockClock(undefined)
    clock.advance('1m')
    expect(clock.now()).toBe(70_000)
    vi.advanceTimersByTime(5)
    expect(clock.now()).toBe(70_005)
  })

  test('fires timers by itself, sooner after an advance', () => {
    vi.useFakeTimers({ now: 0 })
    const clock = new MockClock(undefined)
    const wake = vi.fn()
    clock.after(1_000, wake)
    clock.advance(900)
    vi.advanceTimersByTime(99)
    expect(wake).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(wake).toHaveBeenCalledOnce()
  })

  test('never goes back, although a timer is late', () => {
    vi.useFakeTimers({ now: 0 })
    const clock = new MockClock(undefined)
    const woken: number[] = []
    clock.after(1_000, () => woken.push(clock.now()))
    vi.setSystemTime(5_000)
    clock.advance(1)
    expect([...woken, clock.now()]).toEqual([5_000, 5_001])
  })

  test('forgets advances on reset', () => {
    vi.useFakeTimers({ now: 10_000 })
    const clock = new MockClock(undefined)
    clock.advance('1m')
    clock.reset()
    expect(clock.now()).toBe(10_000)
  })

  test('an advance fires each due timer once, immediately', () => {
    vi.useFakeTimers({ now: 0 })
    const clock = new MockClock(undefined)
    const wake = vi.fn()
    clock.after(1_000, wake)
    clock.advance(1_000)
    expect(wake).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(10_000)
    expect(wake).toHaveBeenCalledOnce()
  })
})

test('refuses a negative or invalid duration', () => {
  for (const bad of [-1, Number.NaN, '-5m', 'soon', ''])
    expect(() => toMs(bad), String(bad)).toThrow(TypeError)
  expect(toMs('0')).toBe(0)
})
