/** Token lists kept in files across restarts equal the lists of the store, whatever happened in between. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenRecord } from '@latchkey/acl'
import type { Change, TokenFilter, TokenListRequest } from '@latchkey/service'
import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { aMethod, aNamespace, aRole, aToken } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { CachedTokenLists } from '../../src/token-lists/cached-token-lists.ts'
import { KeptLists } from '../../src/token-lists/kept/kept-lists.ts'
import { openTestStore, putNew } from '../store.ts'
import { COMMIT_SIZE, COUNT, openKeptLists, POLICY } from './harness.ts'

const world = await openKeptLists()
const {
  counted,
  sql,
  digests,
  start,
  request,
  textOf,
  readsOf,
  keep,
  files,
  put,
  update,
  remove,
  changePolicy,
  database,
  log,
  ring,
} = world

test('COH-07: after a restart, a list that did not change is read from its file', async () => {
  expect(await readsOf(start())).toBe(COUNT)
  await keep()
  expect(await readsOf(start())).toBe(0)
  expect(world.warnings).toEqual([])
})

describe('after a restart, only what changed is read', () => {
  const record = () => world.records[700] as TokenRecord
  const CHANGES: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['an update', () => update({ ...record(), Description: 'new' })],
    ['a deletion', () => remove(record())],
    ['a new token', () => put(putNew(aToken()))],
    [
      'all tokens of a commit deleted',
      () =>
        put(
          ...world.records
            .slice(400, 440)
            .map((one): Change => ({ table: 'tokens', op: 'delete', record: one, expect: undefined })),
        ),
    ],
    [
      'the first and the last token deleted',
      () =>
        put(
          ...[world.records[0], world.records.at(-1)].map(
            (one): Change => ({
              table: 'tokens',
              op: 'delete',
              record: one as TokenRecord,
              expect: undefined,
            }),
          ),
        ),
    ],
    [
      'the links of a row changed by hand',
      () => sql.query(`UPDATE token SET policies = '{}' WHERE accessor_id = $1`, [record().AccessorID]),
    ],
    [
      'the same change of two rows by hand',
      () =>
        sql.query(`UPDATE token SET description = 'twice' WHERE accessor_id IN ($1, $2)`, [
          record().AccessorID,
          world.records[701]?.AccessorID,
        ]),
    ],
    [
      'texts of two rows exchanged by hand',
      () =>
        sql.query(
          `UPDATE token t SET description = o.description FROM token o WHERE t.accessor_id IN ($1, $2) AND o.accessor_id IN ($1, $2) AND t.accessor_id <> o.accessor_id`,
          [record().AccessorID, world.records[701]?.AccessorID],
        ),
    ],
    // Unlike any write of the service, this keeps the token's index.
    [
      'a row changed by hand',
      () =>
        sql.query(`UPDATE token SET description = 'by hand' WHERE accessor_id = $1`, [record().AccessorID]),
    ],
    [
      'a row removed by hand',
      () => sql.query(`DELETE FROM token WHERE accessor_id = $1`, [record().AccessorID]),
    ],
    [
      'a row moved by hand',
      () =>
        sql.query(`UPDATE token SET create_index = create_index + 3 WHERE accessor_id = $1`, [
          record().AccessorID,
        ]),
    ],
  ]

  test.each(CHANGES)('%s', async (_name, change) => {
    await keep()
    await change()
    const read = await readsOf(start())
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(COUNT / 4)
    expect(world.warnings).toEqual([])
  })

  test('the file is rewritten with the change', async () => {
    await keep()
    await update({ ...record(), Description: 'new' })
    await keep()
    expect(await readsOf(start())).toBe(0)
  })

  test('a list that was patched in memory is written at the end of the process', async () => {
    const lists = start()
    await textOf(lists)
    await expect.poll(() => files().length).toBe(1)
    await update({ ...record(), Description: 'new' })
    await textOf(lists)
    // The change is too small to be written now.
    await sleep(100)
    expect(await readsOf(start())).toBeGreaterThan(0)
    await lists.close()
    expect(await readsOf(start())).toBe(0)
  })

  test('after a change of most of the list, all of it is read', async () => {
    await keep()
    await sql.query(`UPDATE token SET description = 'by hand' WHERE create_index % 10 <> 0`)
    expect(await readsOf(start())).toBe(COUNT)
  })
})

test('COH-07: random changes between restarts', { timeout: 120_000 }, async () => {
  const random = new SeededRandom(chooseSeed('kept lists'))
  for (let round = 0; round < 25; round += 1) {
    const lists = start()
    await readsOf(lists)
    for (let i = random.below(6); i > 0; i -= 1) {
      const at = random.below(world.records.length)
      const record = world.records[at] as TokenRecord
      const isDeleted = random.below(3) === 0
      const next = { ...record, Description: `round ${round}` }
      world.records.splice(at, 1, ...(isDeleted ? [] : [next]))
      await put({
        table: 'tokens',
        op: isDeleted ? 'delete' : 'put',
        record: isDeleted ? record : next,
        expect: undefined,
      })
      if (random.below(3) === 0) {
        const added = Array.from({ length: 1 + random.below(300) }, () => aToken())
        world.records.push(...added)
        await put(...added.map(putNew))
      }
    }
    if (random.below(2) === 0) await readsOf(lists)
    await lists.close()
  }
  expect(world.warnings).toEqual([])
})

describe('a file is not used', () => {
  test('after a policy was renamed', async () => {
    await keep()
    await changePolicy({ ...POLICY, Name: 'renamed' })
    expect(await readsOf(start())).toBe(COUNT)
  })

  test('if another version would render its tokens differently', async () => {
    await keep()
    const show: TokenListRequest['show'] = (tokens) => ({
      ...request().show(tokens),
      text: tokens.map(({ AccessorID }) => JSON.stringify(AccessorID)).join(',') as ReturnType<
        TokenListRequest['show']
      >['text'],
    })
    expect(await readsOf(start(), request({ show }))).toBe(COUNT)
  })

  test('for a list with other rights, or another filter or order', async () => {
    await keep()
    expect(await readsOf(start(), request({ secrets: 'none' }))).toBe(COUNT)
    const filters: readonly TokenFilter[] = [
      { namespace: 'default', newestFirst: true },
      { namespace: 'default', local: false },
    ]
    for (const filter of filters) {
      expect(await readsOf(start(), request({ filter }))).toBe(COUNT)
    }
  })

  test('for a read from a replica', async () => {
    await keep()
    expect(await readsOf(start(), request({ store: Object.create(counted) }))).toBe(COUNT)
  })

  test('for tokens that have expired since', async () => {
    const [first, second] = world.records as [TokenRecord, TokenRecord]
    const ExpirationTime = '2026-02-01T00:00:10Z'
    await update({ ...second, ExpirationTime })
    await keep()
    const later = request({ now: Date.parse(ExpirationTime) })
    const text = await textOf(start(), later)
    expect(text).not.toContain(second.AccessorID)
    expect(text).toContain(first.AccessorID)
    expect(await readsOf(start(), later)).toBeLessThan(COUNT / 4)
  })

  test('for tokens that changed while the list was read', async () => {
    let isFirst = true
    const lists = start({
      digests: {
        ...digests,
        async *digestedPages(filter) {
          for await (const page of digests.digestedPages(filter)) {
            yield page
            if (isFirst) await update({ ...(world.records[700] as TokenRecord), Description: 'late' })
            if (isFirst)
              await sql.query(`UPDATE token SET description = 'by hand' WHERE accessor_id = $1`, [
                world.records[3]?.AccessorID,
              ])
            isFirst = false
          }
        },
      },
    })
    await textOf(lists)
    await lists.close()
    const read = await readsOf(start())
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(COUNT / 4)
  })

  test('for a token that a process showed from memory after its row was changed manually', async () => {
    const warm = await openTestStore({ url: database.url })
    const { AccessorID } = world.records[3] as TokenRecord
    await warm.tokenByAccessor(AccessorID)
    await sql.query(`UPDATE token SET description = 'by hand' WHERE accessor_id = $1`, [AccessorID])
    const asked = request({
      store: warm,
      directoryVersion: warm.directory().version,
      tokensIndex: warm.tableIndex('tokens'),
    })
    const kept = new KeptLists({
      folder: world.folder,
      bytesMax: 1e8,
      ring,
      store: warm,
      digests: warm.tokenDigests,
      log,
      bytesMin: 1,
    })
    const lists = new CachedTokenLists(1e8, kept)
    await lists.whole(asked)
    await lists.close()
    expect(files()).toHaveLength(1)
    expect(await textOf(start())).toContain('by hand')
  })

  test('if the clock was ahead when it was written', async () => {
    const lists = start()
    await textOf(lists, request({ now: Date.parse('2026-03-01T00:00:00Z') }))
    await lists.close()
    expect(await readsOf(start())).toBe(COUNT)
  })

  test('after the directory has changed since the request was admitted', async () => {
    await keep()
    const asked = request()
    await changePolicy({ ...POLICY, Description: 'changed' })
    world.tokensRead = 0
    await textOf(start(), asked)
    expect(world.tokensRead).toBe(COUNT)
  })

  const role = aRole({ Name: 'role' })
  const method = aMethod({ Name: 'method' })
  const DIRECTORY_CHANGES: readonly (readonly [string, Change])[] = [
    [
      'a role',
      { table: 'roles', op: 'put', record: { ...role, Policies: [{ ID: POLICY.ID }] }, expect: undefined },
    ],
    [
      'the name of a role',
      { table: 'roles', op: 'put', record: { ...role, Name: 'renamed' }, expect: undefined },
    ],
    [
      'an auth method',
      { table: 'authMethods', op: 'put', record: { ...method, Generation: 7 }, expect: undefined },
    ],
  ]

  test.each(DIRECTORY_CHANGES)('after %s was changed', async (_name, change) => {
    await put({ table: 'roles', op: 'put', record: role, expect: undefined })
    await put({ table: 'authMethods', op: 'put', record: method, expect: undefined })
    await keep()
    expect(await readsOf(start())).toBe(0)
    await put(change)
    expect(await readsOf(start())).toBe(COUNT)
  })
})

describe('tokens of one commit of hundreds', () => {
  const many = () => Array.from({ length: 1_300 }, () => aToken())

  test('form one chunk of several parts', async () => {
    const added = many()
    await put(...added.map(putNew))
    await keep()
    expect(await readsOf(start())).toBe(0)
    await update({ ...(added[900] as TokenRecord), Description: 'new' })
    const read = await readsOf(start())
    expect(read).toBeGreaterThanOrEqual(1_300)
    expect(read).toBeLessThan(1_300 + COUNT / 4)
  })

  test('are read again if their chunk would be longer than 16 MiB', async () => {
    await put(...Array.from({ length: 40 }, () => putNew(aToken({ Description: 'x'.repeat(500_000) }))))
    await keep()
    const read = await readsOf(start())
    expect(read).toBeGreaterThanOrEqual(40)
    expect(read).toBeLessThan(COUNT / 4)
  })

  test('without accessors are listed, even if one gets an accessor while the list is in memory', async () => {
    const added = many().map((record) => ({ ...record, AccessorID: '' }))
    await put(...added.map(putNew))
    await keep()
    const lists = start()
    expect(await readsOf(lists)).toBe(0)
    const record = { ...(added[1_200] as TokenRecord), AccessorID: aToken().AccessorID }
    await put({ table: 'tokens', op: 'put', record, expect: undefined })
    await readsOf(lists)
  })
})

test('lists of two namespaces do not mix', async () => {
  await put({ table: 'namespaces', op: 'put', record: aNamespace({ Name: 'team' }), expect: undefined })
  const team = Array.from({ length: 100 }, () => aToken({ Namespace: 'team' }))
  await put(...team.map(putNew))
  // Its range of create indexes lies between those of others.
  await put(...Array.from({ length: COMMIT_SIZE }, () => putNew(aToken())))
  const asked = request({ filter: { namespace: 'team' } })
  const lists = start()
  await textOf(lists)
  await textOf(lists, asked)
  await lists.close()
  expect(files()).toHaveLength(2)
  await update({ ...(team[50] as TokenRecord), Description: 'new' })
  expect(await readsOf(start())).toBe(0)
  expect(await readsOf(start(), asked)).toBe(100)
})

test('tokens of a list from a file also expire in memory', async () => {
  const ExpirationTime = '2026-02-01T00:00:10Z'
  const [record] = world.records as [TokenRecord]
  await update({ ...record, ExpirationTime })
  await keep()
  const lists = start()
  expect(await readsOf(lists)).toBe(0)
  await readsOf(lists, request({ now: Date.parse(ExpirationTime) }))
})
