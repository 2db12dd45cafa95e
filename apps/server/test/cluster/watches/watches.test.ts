import { chooseSeed } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../database.ts'
import { areWatchesProven, proveWatches } from './watches.ts'

test.each([
  { servers: 1, watchers: 100, changes: 40, changesPerFault: 10 },
  { servers: 3, watchers: 150, changes: 60, changesPerFault: 10 },
])(
  'COH-05, COH-06: $watchers watchers of tokens, lists, trees and names end with the stored state despite kills and cut feeds; on $servers',
  async (scale) => {
    const database = await createTestDatabase()
    const result = await proveWatches({ databaseUrl: database.url, seed: chooseSeed('COH-06'), ...scale })
    expect(result.staleReads).toEqual([])
    expect(result).toMatchObject({ stale: 0, vain: 0, falls: 0 })
    expect(areWatchesProven(result), JSON.stringify(result)).toBe(true)
    expect(result.indexes).toBeGreaterThan(600)
    const faults = scale.changes / scale.changesPerFault
    expect(result.faults).toEqual({ kill: faults / 2, cut: faults / 2 })
  },
  600_000,
)
