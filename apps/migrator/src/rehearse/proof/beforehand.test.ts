import { expect, test } from 'vitest'
import { readScenario } from '../../scenario/read.ts'
import { stepsOf } from '../steps/schedule.ts'
import { generateTokens } from '../steps/tokens.ts'
import { compareTimes, machineTimesOf, simulateBeforehand, UNKNOWN_TIMES } from './beforehand.ts'
import { BATCH, BEGUN, JOINED, simulateMeasured } from './measured.ts'

const scenario = readScenario(
  `
datacenters:
  - name: dc1
    servers:
      - { id: a, from: 1.3.1, start: 1 }
      - { id: b, from: 1.3.1, start: 2 }
`,
  'test.yaml',
)
const steps = stepsOf(scenario)
const tokens = generateTokens([{ type: 'client', count: 300, rules: undefined, unwritable: false }])
const times = { ...UNKNOWN_TIMES, stepMs: { restart: 4_000 }, joinMs: { restart: 3_500 } }

test('the clock of the schedule stands still while a server starts: the second restart is a second after the first is ready', () => {
  const { servers, migration } = simulateBeforehand({ scenario, tokens }, steps, {
    ...times,
    ...{ beginMs: 700, noticeMs: 250, commitMs: 100 },
  })
  // 1 s + 4 s + 1 s until b is restarted, and 3.5 s until it has joined.
  expect(servers.a?.newModeAt).toBe(9.75)
  expect(servers.b?.newModeAt).toBe(9.75)
  expect(migration).toMatchObject({ batches: 3, firstBatchAt: 10.3, lastBatchAt: 12.5 })
})

test('a rehearsal that behaves as the last one is predicted exactly', () => {
  const startedAt = 1_000_000
  const at = (seconds: number) => startedAt + 1_000 * seconds
  const line = (server: string, seconds: number, message: string, fields = {}) => ({
    ...{ server, at: at(seconds), message, fields },
  })
  const measured = {
    ...{ scenario, tokens, startedAt, endedAt: at(20) },
    done: steps.map((step, i) => ({ step, at: at(1 + 5 * i), startedAt: at(5 + 5 * i) })),
    log: [
      line('a', 4.5, JOINED),
      line('b', 9.5, JOINED),
      line('a', 10.2, BEGUN),
      ...[10.3, 11.4, 12.5].map((seconds) => line('a', seconds, BATCH, { ms: 100 })),
    ],
  }
  const simulated = simulateMeasured(measured)
  const seen = { mode: 'new', newModeAt: 9.75 } as const
  const { firstBatchAt, lastBatchAt } = simulated.migration
  const migration = { ...simulated.migration, firstBatchAt, lastBatchAt, smallestGapMs: 1_100 }
  const found = { servers: { a: seen, b: seen }, migration, secondaries: [] }
  const kept = machineTimesOf(measured, { found, simulated, known: undefined })
  expect(kept).toEqual({ ...times, beginMs: 700, noticeMs: 250, commitMs: 100 })
  const slower = { ...kept, stepMs: { ...kept.stepMs, start: 1 }, joinMs: { restart: 4_500 }, beginMs: 900 }
  expect(machineTimesOf(measured, { found, simulated, known: slower })).toEqual({
    ...{ ...kept, stepMs: slower.stepMs, joinMs: { restart: 4_000 }, beginMs: 800 },
  })
  const rows = compareTimes(found, simulated, simulateBeforehand({ scenario, tokens }, steps, kept))
  expect(rows.map(({ what, difference }) => [what, difference])).toEqual([
    ['a in new mode', 0],
    ['b in new mode', 0],
    ['first batch', 0],
    ['last batch', 0],
  ])
})
