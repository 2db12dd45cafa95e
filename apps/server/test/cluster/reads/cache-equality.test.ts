import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../database.ts'
import { openEqualNodes } from '../harness/equal-nodes.ts'
import { staleCache } from '../history/seeded-bugs.ts'
import { proveCacheEquality } from './cache-equality.ts'

const seed = chooseSeed('COH-07')

const CASES = [
  { name: 'on one database, with writes through both', isShared: true },
  { name: 'alone, each on its own database', isShared: false },
]

describe(`seed ${seed}`, () => {
  for (const { name, isShared } of CASES) {
    test(`COH-07: with caches and without, two nodes answer the same bytes: ${name}`, async () => {
      const databases = [await createTestDatabase(), await createTestDatabase()] as const
      const nodes = await openEqualNodes([databases[0].url, databases[isShared ? 0 : 1].url], seed)
      try {
        const random = new SeededRandom(seed)
        const result = await proveCacheEquality({ ...nodes, isShared, random, requests: 2_000 })
        expect(result.differences).toEqual([])
        expect(result.writes).toBeGreaterThan(50)
        for (const status of [200, 403, 404]) expect(result.statuses[status]).toBeGreaterThan(50)
      } finally {
        await Promise.all([nodes.cached.close(), nodes.uncached.close()])
      }
    })
  }

  test('COH-07: the proof detects a cache that misses changes of another node', async () => {
    const database = await createTestDatabase()
    const nodes = await openEqualNodes([database.url, database.url], seed, (store) =>
      staleCache(store, Number.POSITIVE_INFINITY),
    )
    try {
      const random = new SeededRandom(seed)
      const result = await proveCacheEquality({ ...nodes, isShared: true, random, requests: 20_000 })
      expect(result.differences.length).toBeGreaterThan(0)
    } finally {
      await Promise.all([nodes.cached.close(), nodes.uncached.close()])
    }
  })
})
