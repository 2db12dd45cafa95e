import { SeededRandom } from '@latchkey/acl'
import { type Change, MemoryStore, type Store } from '@latchkey/service'
import { chooseSeed, fuzzCount } from '@latchkey/testkit/random'
import { aCheck, aNode, aService, aSession } from '@latchkey/testkit/records/catalog-builders'
import { anId } from '@latchkey/testkit/records/record-builders'
import { CatalogModel, CatalogSide } from '@latchkey/testkit/store/catalog-model'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { openTestStore } from '../../test/store.ts'

/** Groups of commits, each of which takes several statements. `LATCHKEY_FUZZ` sets another number. */
const GROUPS = fuzzCount(25)
const TIMEOUT_MS = 300_000 + 1_000 * GROUPS

test('every process has the same catalog and the same indexes of services, and so has one that starts later', {
  timeout: TIMEOUT_MS,
}, async () => {
  const database = await createTestDatabase()
  const random = new SeededRandom(chooseSeed('the catalog of several processes'))
  const model = new CatalogModel(random)
  const one = new CatalogSide(await openTestStore({ url: database.url }))
  const two = new CatalogSide(await openTestStore({ url: database.url }), one)
  for (let i = 0; i < GROUPS; i += 1) {
    // Commits of one turn share a group.
    const group = Array.from({ length: random.chance(0.6) ? 1 : 2 + random.below(6) }, () => {
      const changes = model.next()
      return { changes, isMade: model.commit(changes) }
    })
    const side = random.pick([one, two])
    const outcomes = await Promise.all(group.map(({ changes }) => side.commit(changes)))
    expect(outcomes, `group ${i}`).toEqual(group.map(({ isMade }) => isMade))
    // Several commits of the other process may arrive at once.
    if (!random.chance(0.3)) continue
    for (const side of [one, two]) {
      await side.store.refresh('consistent')
      expect(side.show(), `after group ${i}`).toEqual(model.show())
    }
  }
  const later = new CatalogSide(await openTestStore({ url: database.url }), one)
  expect(later.show()).toEqual(model.show())
})

test('simultaneous registrations share a group: each gets its index or its conflict, and sees the ones before it', async () => {
  const database = await createTestDatabase()
  const postgres = await openTestStore({ url: database.url })
  const memory = new MemoryStore({ after: () => () => {} })
  const aDatabase = (Node: string) => aService({ Node, ID: 'db', Service: 'db' })
  const other = ['node-2', 'node-3'].flatMap((Node): readonly Change[] => [
    { table: 'nodes', op: 'put', record: aNode({ Node }), expect: 0 },
    { table: 'services', op: 'put', record: aDatabase(Node), expect: 0 },
  ])
  await memory.commit(other)
  const before = await postgres.commit(other)
  const node: Change = { table: 'nodes', op: 'put', record: aNode(), expect: 0 }
  const service = (Port: number, expect: number): Change => {
    return { table: 'services', op: 'put', record: aService({ Port }), expect }
  }
  const check = (Status: string): Change => {
    return { table: 'checks', op: 'put', record: aCheck({ Status }), expect: undefined }
  }
  const record = aSession({ ID: anId(1), Checks: ['alive'] })
  const session: Change = { table: 'sessions', op: 'put', record, expect: 0 }
  const writesAfter = (first: number): readonly (readonly Change[])[] => [
    [service(1, 0)],
    [node, service(1, 0)],
    [node],
    [service(2, first + 1)],
    [service(3, first + 1)],
    [check('passing'), session],
    // It ends the session, and is therefore committed alone.
    [check('critical')],
    [session],
    [service(4, first + 2)],
    [{ table: 'services', op: 'delete', record: aDatabase('node-2'), expect: first }],
  ]
  const outcomesOf = (store: Store, first: number) =>
    Promise.all(
      writesAfter(first).map((changes) =>
        store.commit(changes).then(
          (index) => index - first,
          () => 'refused',
        ),
      ),
    )
  const outcomes = ['refused', 1, 'refused', 2, 'refused', 3, 4, 'refused', 5, 6]
  expect(await outcomesOf(memory, 1)).toEqual(outcomes)
  expect(await outcomesOf(postgres, before)).toEqual(outcomes)
  expect(postgres.status().commits.groups).toBe(2)
  expect(postgres.catalog().sessions.values()).toEqual([])
  expect(postgres.catalog().instances('web')).toMatchObject([
    { Port: 4, CreateIndex: before + 1, ModifyIndex: before + 5 },
  ])
  // The database agrees with the result of this process.
  const again = await openTestStore({ url: database.url })
  const held = (store: Store) => {
    const catalog = store.catalog()
    const indexes = [catalog.serviceIndex('web'), catalog.serviceIndex('db'), catalog.extinctionIndex()]
    return [catalog.services(), catalog.checks(), catalog.sessions.values(), indexes]
  }
  expect(held(again)).toEqual(held(postgres))
})
