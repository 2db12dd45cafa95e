import { SeededRandom } from '@latchkey/acl'
import { chooseSeed, fuzzCount } from '@latchkey/testkit/random'
import { CatalogModel, CatalogSide } from '@latchkey/testkit/store/catalog-model'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { openTestStore } from '../../test/store.ts'

/** Each takes several statements. `LATCHKEY_FUZZ` sets another number. */
const COMMITS = fuzzCount(40)
const TIMEOUT_MS = 300_000 + 1_000 * COMMITS

test('every process has the same catalog and the same indexes of services, and so has one that starts later', {
  timeout: TIMEOUT_MS,
}, async () => {
  const database = await createTestDatabase()
  afterAll(() => database.drop())
  const random = new SeededRandom(chooseSeed('the catalog of several processes'))
  const model = new CatalogModel(random)
  const one = new CatalogSide(await openTestStore({ url: database.url }))
  const two = new CatalogSide(await openTestStore({ url: database.url }), one)
  for (let i = 0; i < COMMITS; i += 1) {
    const changes = model.next()
    const isMade = model.commit(changes)
    expect(await random.pick([one, two]).commit(changes), `commit ${i}`).toBe(isMade)
    // Several commits of the other process may come at once.
    if (!random.chance(0.3)) continue
    for (const side of [one, two]) {
      await side.store.refresh('consistent')
      expect(side.show(), `after commit ${i}`).toEqual(model.show())
    }
  }
  const later = new CatalogSide(await openTestStore({ url: database.url }), one)
  expect(later.show()).toEqual(model.show())
})
