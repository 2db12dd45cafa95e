/** Kills and pauses of processes and of the database. Long versions: `pnpm proofs --scale full`. */

import { seedOfRun } from '@latchkey/testkit/random'
import { afterAll, describe, expect, test } from 'vitest'
import { startOwnDatabase } from '../harness/own-database.ts'
import { proveDurability } from './durability.ts'

const seed = seedOfRun()

describe(`seed ${seed}`, async () => {
  const database = await startOwnDatabase()
  afterAll(() => database.remove())

  test('DUR-01, DUR-02, DUR-04: acknowledged writes survive kills and pauses of servers and of the database', async () => {
    const faults = ['kill', 'pause', 'cut', 'kill-database'] as const
    const result = await proveDurability({ database, seed, faults, count: 5, everyMs: 500 })
    expect(result.wrong).toEqual([])
    expect(result.falls).toBe(0)
    expect(result.acknowledged).toBeGreaterThan(20)
  })
})
