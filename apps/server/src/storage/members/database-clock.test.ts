/** EXP-04: one clock decides, and it neither jumps nor goes back. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { CLOCK_STEP_MS_MAX, DatabaseClock } from './database-clock.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
/** The correct time at the start. */
const START = Date.UTC(2031, 0, 1)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

const rightTime = () => Date.now()

/** A process that queries the database once a second and gets an immediate answer. */
function aProcess(suspendedMs = () => 0) {
  const clock = new DatabaseClock({ suspendedMs, onStepRefused: (ms) => steps.push(Math.round(ms)) })
  const steps: number[] = []
  const ask = (wrongByMs = 0) => clock.measure(rightTime() + wrongByMs, performance.now(), performance.now())
  return {
    clock,
    steps,
    ask,
    /** The database's clock is wrong by this much for this long; opinions are exchanged every second. */
    live(ms: number, wrongByMs = 0) {
      for (let passed = 0; passed < ms; passed += SECOND) {
        vi.advanceTimersByTime(SECOND)
        ask(wrongByMs)
        clock.settle(undefined, true)
      }
    },
    wrongMs: () => clock.now() - rightTime(),
  }
}

test("it follows the database's clock, not this machine's", () => {
  const clock = new DatabaseClock({ onStepRefused: () => {} })
  const databaseMs = Date.UTC(2040, 0, 1)
  clock.measure(databaseMs, performance.now() - 1, performance.now() + 1)
  expect(Math.abs(clock.now() - databaseMs)).toBeLessThan(MINUTE)
})

test('a slow answer does not replace a fast, consistent one', () => {
  const { clock, ask, wrongMs } = aProcess()
  ask()
  const now = performance.now()
  // Accurate to 0.4 seconds, but worse.
  clock.measure(rightTime() + 350, now - 400, now + 400)
  expect(wrongMs()).toBe(0)
})

test('a fast answer is replaced by a slow one after ten seconds, or if the slow one contradicts it', () => {
  /** A clock after a precise measurement, and one that is as wrong as it may be. */
  const measureSlowly = (afterMs: number, wrongByMs: number, roundTripMs = 800) => {
    const { clock, ask, wrongMs } = aProcess()
    ask()
    vi.advanceTimersByTime(afterMs)
    const now = performance.now()
    clock.measure(rightTime() + wrongByMs, now - roundTripMs / 2, now + roundTripMs / 2)
    return wrongMs()
  }
  expect(measureSlowly(9_000, 350)).toBe(0)
  expect(measureSlowly(10_000, 350)).toBe(350)
  expect(measureSlowly(1_000, 800)).toBe(0)
  expect(measureSlowly(1_000, 801)).toBe(801)
  // A measurement that took longer than a second is ignored.
  expect(measureSlowly(10_000, 350, 1_000)).toBe(350)
  expect(measureSlowly(10_000, 350, 1_001)).toBe(0)
})

test('differences within the error of slow answers are no steps, however many there are', () => {
  const { clock, steps } = aProcess()
  for (let i = 0; i < 100; i += 1) {
    vi.advanceTimersByTime(SECOND)
    const now = performance.now()
    clock.measure(rightTime() + (i % 2 === 0 ? 190 : -190), now - 200, now + 200)
  }
  expect(steps).toEqual([])
})

test('an answer delayed by a pause of an hour is ignored', () => {
  const { clock, steps, ask, wrongMs } = aProcess()
  ask()
  const askedAt = performance.now()
  const databaseMs = rightTime()
  vi.advanceTimersByTime(HOUR)
  clock.measure(databaseMs, askedAt, performance.now())
  expect(wrongMs()).toBe(0)
  ask()
  expect([wrongMs(), steps]).toEqual([0, []])
})

describe("EXP-04: a step of the database's clock", () => {
  test.each([HOUR, -HOUR, 5 * MINUTE, -5 * MINUTE, CLOCK_STEP_MS_MAX + 1, -CLOCK_STEP_MS_MAX - 1])(
    'by %d ms and back does not change a lifetime of one minute',
    (wrongByMs) => {
      const { clock, steps, live, wrongMs } = aProcess()
      live(10 * SECOND)
      const expiresAt = clock.now() + MINUTE
      live(10 * SECOND, wrongByMs)
      const madeMeanwhile = clock.now() + MINUTE
      live(10 * SECOND)
      expect(steps).toEqual([wrongByMs, -wrongByMs])
      // The correction of ten seconds.
      expect(Math.abs(wrongMs())).toBeLessThanOrEqual(100)
      live(39 * SECOND)
      expect(clock.now()).toBeLessThan(expiresAt)
      live(2 * SECOND)
      expect(clock.now()).toBeGreaterThanOrEqual(expiresAt)
      live(10 * SECOND)
      expect(clock.now()).toBeGreaterThanOrEqual(madeMeanwhile)
    },
  )

  test.each([CLOCK_STEP_MS_MAX, -CLOCK_STEP_MS_MAX])(
    'by %d ms is believed, and never goes back',
    (wrongByMs) => {
      const { clock, steps, live, ask } = aProcess()
      live(10 * SECOND)
      const before = clock.now()
      ask(wrongByMs)
      expect(clock.now()).toBe(Math.max(before, before + wrongByMs))
      expect(steps).toEqual([])
    },
  )

  test('that persists is corrected at 1% of elapsed time, and then completely', () => {
    const { clock, live, wrongMs } = aProcess()
    live(10 * SECOND)
    live(SECOND, -10 * SECOND)
    expect(clock.aheadMs).toBe(-10 * SECOND)
    let before = clock.now()
    for (let i = 0; i < 100; i += 1) {
      live(SECOND, -10 * SECOND)
      expect(clock.now() - before).toBeGreaterThanOrEqual(989)
      before = clock.now()
    }
    expect(wrongMs()).toBeLessThanOrEqual(-SECOND + 20)
    live(1_000 * SECOND, -10 * SECOND)
    expect(wrongMs()).toBe(-10 * SECOND)
    expect(clock.aheadMs).toBe(0)
  })

  test('split into many small ones, as of a stopped clock, is not accepted beyond the bound either', () => {
    const { steps, live, wrongMs } = aProcess()
    live(10 * SECOND)
    for (let i = 1; i <= 600; i += 1) live(SECOND, -i * SECOND)
    expect(steps.length).toBeGreaterThan(500)
    // The bound, and a hundredth of the time twice: the refilled budget, and the correction.
    expect(wrongMs()).toBeGreaterThan(-CLOCK_STEP_MS_MAX - 12 * SECOND)
  })

  test('of less than 100 ms is ignored once the bound is exhausted', () => {
    const { steps, live, ask, wrongMs } = aProcess()
    live(10 * SECOND)
    ask(CLOCK_STEP_MS_MAX)
    for (let i = 1; i <= 20; i += 1) ask(CLOCK_STEP_MS_MAX + 99)
    expect([wrongMs(), steps]).toEqual([CLOCK_STEP_MS_MAX, []])
    ask(CLOCK_STEP_MS_MAX + 100)
    expect([wrongMs(), steps]).toEqual([CLOCK_STEP_MS_MAX, [100]])
  })

  test('that the sleep of this machine explains is believed at once', () => {
    let sleptMs = 0
    const { clock, steps, live } = aProcess(() => sleptMs)
    live(10 * SECOND)
    const before = clock.now()
    // The monotonic clock stood still for an hour.
    sleptMs = HOUR
    live(SECOND, HOUR)
    expect(clock.now() - before).toBe(HOUR + SECOND)
    expect(steps).toEqual([])
    // One sleep explains only one step.
    live(SECOND, 2 * HOUR)
    expect(steps).toEqual([HOUR])
  })
})

describe('several processes', () => {
  const opinionOf = ({ clock }: ReturnType<typeof aProcess>, isLeader: boolean) => ({
    aheadMs: clock.aheadMs,
    isLeader,
  })

  test('a process that starts while the clock is wrong adopts the time of the leader', () => {
    const [leader, late] = [aProcess(), aProcess()]
    leader.live(10 * SECOND)
    leader.live(SECOND, HOUR)
    late.ask(HOUR)
    expect(late.wrongMs()).toBe(HOUR)
    late.clock.settle(opinionOf(leader, true), false)
    expect(late.wrongMs()).toBe(leader.wrongMs())
  })

  test('a process whose own clock stopped adopts the time of any other process, even if it is the leader', () => {
    for (const isLeader of [false, true]) {
      const [paused, other] = [aProcess(), aProcess()]
      for (const one of [paused, other]) one.live(10 * SECOND)
      // An hour that neither its monotonic clock nor its uptime counted.
      paused.ask(HOUR)
      paused.ask(HOUR)
      expect(paused.clock.opinion()).toBeUndefined()
      const before = paused.clock.now()
      paused.clock.settle(opinionOf(other, !isLeader), isLeader)
      expect(paused.clock.now() - before).toBe(HOUR)
      paused.ask(HOUR)
      expect(paused.clock.opinion()).toMatchObject({ clock_ahead_ms: 0 })
    }
  })

  test('a leader that sees nothing wrong does not follow others', () => {
    const { clock, live, wrongMs } = aProcess()
    live(10 * SECOND)
    for (const isLeader of [false, true]) clock.settle({ aheadMs: HOUR, isLeader }, true)
    expect(wrongMs()).toBe(0)
  })

  test('one that follows the leader by no more than the bound does not go back', () => {
    const { clock, live } = aProcess()
    live(10 * SECOND)
    const before = clock.now()
    clock.settle({ aheadMs: CLOCK_STEP_MS_MAX, isLeader: true }, false)
    expect(clock.now()).toBe(before)
    clock.settle({ aheadMs: 2 * CLOCK_STEP_MS_MAX + 1, isLeader: true }, false)
    expect(clock.now()).toBe(before - 2 * CLOCK_STEP_MS_MAX - 1)
  })
})
