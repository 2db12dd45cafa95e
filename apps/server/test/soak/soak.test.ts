/** LOAD-03 at a small scale. The long version: `pnpm proofs --scale full --only soak`, for 480 minutes. */

import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { judgeSoak } from './judge-soak.ts'
import { soak } from './soak.ts'

test('LOAD-03: six seconds of mixed load fails no request and leaves no handle behind', async () => {
  const { url: databaseUrl } = await createTestDatabase()
  const seed = chooseSeed('LOAD-03')
  const figures = await soak({ databaseUrl, minutes: 1 / 10, random: new SeededRandom(seed) })
  const { windows, ...rest } = figures
  const verdict = judgeSoak(figures)
  console.log(`LOAD-03: ${JSON.stringify({ ...rest, ...verdict })}`)
  expect(verdict.findings).toEqual([])
  expect(windows).toHaveLength(25)
  expect(figures.requests).toBeGreaterThan(200)
})
