/** COH-01 on real processes. The long version: `pnpm proofs --scale full --only linearizability`. */

import { chooseSeed } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../database.ts'
import { proveLinearizability } from './linearizability.ts'

test('COH-01: three processes stay linearizable while they are killed and paused and their change feeds are cut', async () => {
  const database = await createTestDatabase()
  const result = await proveLinearizability({
    databaseUrl: database.url,
    seed: chooseSeed('COH-01'),
    histories: 32,
    operations: 40,
    operationsPerFault: 200,
  })
  expect(result.violations).toEqual([])
  expect(result.leases.open).toBeGreaterThanOrEqual(20)
  expect(result.foundAfter).toBeDefined()
  expect(result.operations).toBeGreaterThan(1_000)
  expect(Object.keys(result.faults).sort()).toEqual(['cut', 'kill', 'pause'])
  expect(Math.min(...Object.values(result.faults))).toBe(4)
})
