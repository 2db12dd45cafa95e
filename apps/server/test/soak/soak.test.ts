/** LOAD-03 at a small scale. The long version: `pnpm proofs --scale full --only soak`, for 480 minutes. */

import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { judgeSoak, type SoakFigures, type Window } from './judge-soak.ts'
import { soak } from './soak.ts'

test('LOAD-03: six seconds of mixed load fails no request and leaves no handle behind', async () => {
  const { url: databaseUrl, drop } = await createTestDatabase()
  const seed = chooseSeed('LOAD-03')
  try {
    const figures = await soak({ databaseUrl, minutes: 1 / 10, random: new SeededRandom(seed) })
    const { windows, ...rest } = figures
    const verdict = judgeSoak(figures)
    console.log(`LOAD-03: ${JSON.stringify({ ...rest, ...verdict })}`)
    expect(verdict.findings).toEqual([])
    expect(windows).toHaveLength(25)
    expect(figures.requests).toBeGreaterThan(200)
  } finally {
    await drop()
  }
})

const MIB = 1_048_576

function figuresOf(over: Partial<SoakFigures>, window: (hour: number) => Partial<Window> = () => ({})) {
  const windows = Array.from({ length: 25 }, (_, n) => ({
    atMs: (n * 8 * 3_600_000) / 24,
    residentBytes: 200 * MIB,
    heapBytes: 50 * MIB,
    p99Ms: 10,
    ...window((n * 8) / 24),
  }))
  return judgeSoak({
    minutes: 480,
    capacity: 1_000,
    perSecond: 600,
    requests: 100_000,
    failures: 0,
    handles: { before: 40, after: 40 },
    windows,
    ...over,
  })
}

describe('LOAD-03: findings of a long run', () => {
  test('nothing if memory and latency grew only during the warm-up', () => {
    expect(figuresOf({})).toMatchObject({ findings: [], notJudged: [], p99Drift: 0 })
    expect(figuresOf({}, (hour) => ({ residentBytes: (hour < 1.6 ? 100 : 200) * MIB })).findings).toEqual([])
  })

  test.each<[string, Partial<SoakFigures>, ((hour: number) => Partial<Window>)?]>([
    ['resident memory grows by 2.0 MiB an hour', {}, (hour) => ({ residentBytes: (200 + 2 * hour) * MIB })],
    ['the p99 grew by 20 %', {}, (hour) => ({ p99Ms: hour < 5 ? 10 : 12 })],
    ['the heap grew by 25.3 MiB', {}, (hour) => ({ heapBytes: (50 + 4 * hour) * MIB })],
    ['40 handles became 90', { handles: { before: 40, after: 90 } }],
    ['3 requests failed', { failures: 3 }],
  ])('%s', (finding, over, window) => {
    expect(figuresOf(over, window).findings).toEqual([finding])
  })

  test('a short run reports that it cannot judge slopes', () => {
    const { findings, notJudged } = figuresOf({ minutes: 1 }, (hour) => ({ p99Ms: 10 + hour }))
    expect({ findings, notJudged }).toEqual({
      findings: [],
      notJudged: ['slope of resident memory', 'drift of the p99'],
    })
  })
})
