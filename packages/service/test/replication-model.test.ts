import { chooseSeed, fuzzCount } from '@latchkey/testkit/random'
import { ModelBroken } from '@latchkey/testkit/replication/compare'
import { ReplicationModel } from '@latchkey/testkit/replication/model'
import { PLANTS, type Plant } from '@latchkey/testkit/replication/plants'
import { expect, test } from 'vitest'

/** Commands in one history. */
const COMMANDS = 60
/** Number of histories within which a planted bug is found, whatever the seed. */
const HISTORIES_TO_FIND = 100

test('REP-29: a secondary shows the state of its primary at one index, whatever happens to either or between them', async () => {
  const first = firstSeed('replication-model')
  const count = fuzzCount(100)
  let checked = 0
  for (let seed = first; seed < first + count; seed += 1) {
    const model = await ReplicationModel.create(seed)
    await model.run(COMMANDS).catch((cause: unknown) => {
      throw new Error(`LATCHKEY_SEED=${seed} LATCHKEY_FUZZ=1 repeats it`, { cause })
    })
    checked += model.checked
  }
  console.log(`replication-model: ${count} histories, ${checked} states of the secondary`)
  expect(checked).toBeGreaterThan(count)
})

test.each(Object.entries(PLANTS))('REP-29: the model finds that %s', async (name, plant) => {
  const first = firstSeed(name)
  for (let seed = first; seed < first + HISTORIES_TO_FIND; seed += 1) {
    if (await isFound(seed, plant)) {
      console.log(`${name}: found in history ${seed - first + 1}`)
      return
    }
  }
  expect.fail('not found')
})

/** The same histories in every test run, and different ones in each fuzzing run. */
function firstSeed(name: string): number {
  return fuzzCount(0) === 0 ? 1 : chooseSeed(name)
}

async function isFound(seed: number, plant: Plant): Promise<boolean> {
  const model = await ReplicationModel.create(seed, plant)
  try {
    await model.run(COMMANDS)
    return false
  } catch (error) {
    if (error instanceof ModelBroken) return true
    throw error
  }
}
