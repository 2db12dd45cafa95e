import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Remembered } from './remembered.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('callers share the query in flight, then its answer until that is too old', async () => {
  let asked = 0
  const fact = new Remembered(async () => ++asked, 1_000)
  expect(await Promise.all([fact.get(), fact.get()])).toEqual([1, 1])
  vi.advanceTimersByTime(999)
  expect(await fact.get()).toBe(1)
  vi.advanceTimersByTime(1)
  expect(await fact.get()).toBe(2)
})

test('a query that outlasts the maximum age is not repeated while in flight', async () => {
  let asked = 0
  const answers: ((value: string) => void)[] = []
  const fact = new Remembered(() => {
    asked += 1
    return new Promise<string>((resolve) => answers.push(resolve))
  }, 1_000)
  const first = fact.get()
  vi.advanceTimersByTime(5_000)
  const second = fact.get()
  answers[0]?.('late')
  expect([await first, await second, asked]).toEqual(['late', 'late', 1])
})

test('a failure is cached as long as an answer', async () => {
  let asked = 0
  const fact = new Remembered(async () => {
    asked += 1
    if (asked === 1) throw new Error('away')
    return asked
  }, 1_000)
  await expect(fact.get()).rejects.toThrow('away')
  await expect(fact.get()).rejects.toThrow('away')
  vi.advanceTimersByTime(1_000)
  expect(await fact.get()).toBe(2)
})
