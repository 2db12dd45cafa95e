/** Patched cached lists equal the lists of the store. COH-07. */

import type { TokenRecord } from '@latchkey/acl'
import { formatInstant, type TokenListEntry } from '@latchkey/contract'
import type { Change } from '@latchkey/service'
import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'
import { CachedTokenLists } from './cached-token-lists.ts'

const BYTES_MAX = 1_000_000

async function textOf(world: World, query: string): Promise<string> {
  const reply = await world.ask('GET', `/acl/tokens${query}`, { token: MANAGEMENT })
  expect(reply.status).toBe(200)
  return reply.text
}

describe('a cached list of several parts', () => {
  const COUNT = 450
  const ROUNDS = 80
  const PATHS = ['', '?sort=-CreateIndex', '?filter=Local==true']

  async function aLongList(): Promise<{ world: World; records: TokenRecord[]; reads: { count: number } }> {
    const world = await aWorld({ lists: new CachedTokenLists(BYTES_MAX) })
    const records = Array.from({ length: COUNT }, (_, i) =>
      aToken({ Local: i % 2 === 0, Description: `${i}` }),
    )
    // Several share an index.
    for (let i = 0; i < COUNT; i += 25) {
      await world.store.commit(records.slice(i, i + 25).map((record) => aPut(record)))
    }
    const reads = { count: 0 }
    const tokens = world.store.tokens.bind(world.store)
    world.store.tokens = async function* (filter) {
      for await (const page of tokens(filter)) {
        reads.count += page.length
        yield page
      }
    }
    return { world, records, reads }
  }

  function aPut(record: TokenRecord, expect?: number): Change {
    return { table: 'tokens', op: 'put', record, expect }
  }

  /** Compares each cached, patched list with that of an API without a cache. */
  async function expectCurrent(world: World): Promise<void> {
    const twin = await aWorld({ twinOf: world })
    for (const path of PATHS) {
      const [kept, made] = await Promise.all([textOf(world, path), textOf(twin, path)])
      expect(kept).toBe(made)
    }
  }

  test('after a change of one token only its part is read', async () => {
    const { world, records, reads } = await aLongList()
    await expectCurrent(world)
    const [record] = records.slice(150, 151)
    if (!record) throw new TypeError('there are too few tokens')
    for (const change of [
      { record: { ...record, Description: 'changed' }, op: 'put' },
      { record, op: 'delete' },
      { record: aToken(), op: 'put' },
    ] as const) {
      await world.store.commit([{ table: 'tokens', expect: undefined, ...change }])
      reads.count = 0
      await textOf(world, '')
      expect(reads.count).toBeGreaterThan(0)
      expect(reads.count).toBeLessThan(COUNT / 2)
      await expectCurrent(world)
    }
  })

  test('it equals the stored list after any change', async () => {
    const random = new SeededRandom(chooseSeed('parts of lists'))
    const { world, records } = await aLongList()
    for (let round = 0; round < ROUNDS; round += 1) {
      const changes = Array.from({ length: 1 + random.below(4) }, (): Change => {
        const i = random.below(records.length)
        const record = records[i] ?? aToken()
        switch (random.below(12)) {
          case 0: {
            // After that, the whole list is rebuilt.
            if (round < ROUNDS - 10) return aPut(record, undefined)
            const nameless = aToken({ AccessorID: '', Description: `${round}` })
            records.push(nameless)
            return aPut(nameless)
          }
          case 1:
          case 2: {
            const made = aToken({
              Local: random.below(2) === 0,
              ...(random.below(3) === 0 ? { ExpirationTime: formatInstant(world.clock.now() + 5_000) } : {}),
            })
            records.push(made)
            return aPut(made)
          }
          case 3:
            records.splice(i, 1)
            return { table: 'tokens', op: 'delete', record, expect: undefined }
          case 4: {
            // Deleted, and created again under the same accessor in another place.
            const again = aToken({ AccessorID: record.AccessorID })
            records.splice(i, 1, again)
            return { table: 'tokens', op: 'delete', record, expect: undefined }
          }
          default: {
            const isNamed = record.AccessorID === '' && random.below(2) === 0
            const AccessorID = isNamed ? aToken().AccessorID : record.AccessorID
            const updated = { ...record, AccessorID, Local: random.below(2) === 0, Description: `${round}` }
            records.splice(i, 1, updated)
            return { table: 'tokens', op: 'put', record: updated, expect: undefined }
          }
        }
      })
      for (const change of changes) await world.store.commit([change])
      if (random.below(5) === 0) await world.clock.advance(2_000)
      if (random.below(10) === 0) await world.policy({ Name: `round-${round}` })
      await expectCurrent(world)
    }
  })
})

test('a list too long to be cached is streamed, with the same content', { timeout: 20_000 }, async () => {
  const world = await aWorld({ lists: new CachedTokenLists(BYTES_MAX) })
  const Description = 'x'.repeat(4_000)
  const records = Array.from({ length: 4_500 }, () => aToken({ Description }))
  await world.store.commit(
    records.map((record) => ({ table: 'tokens', op: 'put', record, expect: 0 }) as const),
  )
  const reply = await world.service.handle({
    method: 'GET',
    url: '/v1/acl/tokens',
    header: (name) => (name === 'x-service-token' ? MANAGEMENT : undefined),
    readBody: async () => new Uint8Array(0),
    requestId: 'request-1',
  })
  expect(reply.body).not.toBeInstanceOf(Uint8Array)
  const [streamed, whole] = [await textOf(world, ''), await textOf(await aWorld({ twinOf: world }), '')]
  expect(streamed === whole).toBe(true)
  const entries = JSON.parse(streamed) as readonly TokenListEntry[]
  expect(new Set(entries.map(({ AccessorID }) => AccessorID)).size).toBe(4_502)
})
