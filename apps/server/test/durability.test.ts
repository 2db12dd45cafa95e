import { chooseSeed } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { killStorm } from './storm/kill-storm.ts'

/** Two kills of the server, two of its database and two of both; the proof `kill-storm` runs 200. */
const KILLS = 6

test(`DUR-01, DUR-02, DUR-03: ${KILLS} kills under writes lose nothing that was acknowledged`, async () => {
  const seed = chooseSeed('DUR-01')
  const result = await killStorm({ kills: KILLS, writers: 20, seed, calmMsMax: 400 })
  expect(result).toMatchObject({ wrong: [], falls: 0 })
  expect(result.acknowledged).toBeGreaterThan(KILLS)
})
