import { chooseSeed } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { proveFailover } from './failover.ts'

test('DUR-08, COH-05: after a failover to a synchronous standby nothing acknowledged is lost, no index falls, and no lease of the old primary shows a deleted token', async () => {
  const result = await proveFailover({ seed: chooseSeed('DUR-08'), isSynchronous: true })
  expect(result.wrong).toEqual([])
  expect(result.falls).toBe(0)
  expect(result.leases).toEqual({ tried: 1, open: 1 })
  expect(result.grants).toBe(0)
  expect(result.indexAfter).toBeGreaterThan(result.indexBefore)
  expect(result.resumedMs).toBeLessThan(60_000)
})
