/** Kills and pauses of processes and of the database. Long versions: `pnpm proofs --scale full`. */

import { seedOfRun } from '@latchkey/testkit/random'
import { afterAll, describe, expect, test } from 'vitest'
import { proveDurability } from './durability.ts'
import { startOwnDatabase } from './own-database.ts'
import { provePausedServer } from './paused-server.ts'

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

  test('DUR-04: a process that was alone, was paused, and is not alone any more, shows nothing of before', async () => {
    const result = await provePausedServer({ databaseUrl: database.url, pausesMs: [5_000] })
    expect(result.outdated).toEqual([])
    expect(result.answers).toBeGreaterThan(10)
  })
})
