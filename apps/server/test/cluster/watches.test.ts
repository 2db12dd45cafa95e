import { expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { seedOfRun } from './seeded-random.ts'
import { proveWatches } from './watches.ts'

test('COH-05, COH-06: 300 watchers know the last state in time, through kills and cut feeds; no index falls', async () => {
  const database = await createTestDatabase()
  try {
    const result = await proveWatches({
      databaseUrl: database.url,
      seed: seedOfRun(),
      watchers: 300,
      changes: 150,
    })
    expect(result.late).toBe(0)
    expect(result.vain).toBe(0)
    expect(result.falls).toBe(0)
    expect(result.indexes).toBeGreaterThan(1_000)
    expect(Object.values(result.faults).reduce((sum, count) => sum + count)).toBeGreaterThan(0)
  } finally {
    await database.drop()
  }
}, 60_000)
