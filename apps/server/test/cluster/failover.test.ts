import { seedOfRun } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { proveFailover } from './failover.ts'

test('DUR-08, COH-05: after a failover to a synchronous standby nothing acknowledged is lost, and no index falls', async () => {
  const result = await proveFailover({ seed: seedOfRun(), isSynchronous: true })
  expect(result.wrong).toEqual([])
  expect(result.falls).toBe(0)
  expect(result.indexAfter).toBeGreaterThan(result.indexBefore)
  expect(result.resumedMs).toBeLessThan(10_000)
  expect(result.acknowledged).toBeGreaterThan(100)
}, 180_000)
