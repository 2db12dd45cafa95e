import { readFileSync } from 'node:fs'
import type { TokenRecord } from '@latchkey/acl'
import type { Change, ConflictReason } from '@latchkey/service'
import { aKey, anId, aToken } from '@latchkey/testkit/records/record-builders'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { commitRowsSql } from '../../../scripts/commit-rows-sql.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { openTestStore, putNew, testRing } from '../../../test/store.ts'
import { PACKAGE_FILES } from '../../config/package-files.ts'
import { connectDatabase } from '../../database/connect.ts'
import { openSecrets } from '../keys/open-secrets.ts'
import { commitRows, onPool } from './row-commits.ts'
import { encodeWrite, type GroupAnswer } from './writes.ts'

const database = await createTestDatabase()
const store = await openTestStore({ url: database.url })
const connection = connectDatabase({ url: database.url, log: pino({ level: 'silent' }) })
const secrets = await openSecrets(connection.prisma, testRing('test'))
afterAll(async () => {
  await connection.close()
  await database.drop()
})

const author = { memberId: store.membership.memberId, beat: 0, waited: undefined, known: 0 }

/** A group of writes that share no id, with one change each or several. */
async function commit(
  group: readonly (Change | readonly Change[])[],
  { apart = group.length, by = author } = {},
): Promise<GroupAnswer | undefined> {
  const writes = group.map((write) => encodeWrite('op' in write ? [write] : write, secrets).rows)
  const answer = await commitRows(onPool(connection.pool), writes, apart, by)
  if (answer && 'epoch' in answer) throw new TypeError('no other member has a lease')
  return answer
}

/** The index before a group that has no conflict. */
async function before(group: readonly Change[]): Promise<number> {
  const answer = await commit(group)
  if (!answer) throw new TypeError('the member is fenced')
  expect(answer.results).toEqual(group.map((_, i) => answer.before + 1 + i))
  return answer.before
}

function update(record: TokenRecord, expect: number): Change {
  return { table: 'tokens', op: 'put', record, expect }
}

async function read({ AccessorID }: TokenRecord): Promise<TokenRecord | undefined> {
  await store.refresh('consistent')
  return store.tokenByAccessor(AccessorID)
}

test('creates, updates and deletes get consecutive indexes, in order', async () => {
  const [changed, removed] = [aToken(), aToken()]
  const start = await before([putNew(changed), putNew(removed)])
  const full = aToken({
    Description: 'NULL, "quoted", {braced}, \\ and \u0000',
    Policies: [{ ID: 'a"b\\c' }, { ID: 'd,e' }],
    ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc1'] }],
    NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }],
    ExpirationTime: '2040-01-01T00:00:00Z',
    Local: true,
  })
  const plain = aToken()
  const edited = { ...changed, Description: 'edited' }
  const gone: Change = { table: 'tokens', op: 'delete', record: removed, expect: start + 2 }
  const index = await before([putNew(full), putNew(plain), update(edited, start + 1), gone])
  expect(index).toBe(start + 2)
  expect(await read(full)).toEqual({ ...full, CreateIndex: index + 1, ModifyIndex: index + 1 })
  expect(await read(plain)).toEqual({ ...plain, CreateIndex: index + 2, ModifyIndex: index + 2 })
  expect(await read(edited)).toEqual({ ...edited, CreateIndex: start + 1, ModifyIndex: index + 3 })
  expect(await read(removed)).toBeUndefined()
  expect(store.status().appliedIndex).toBe(index + 4)
})

test('a missing value is not taken from another row of its group', async () => {
  const expiring = { ExpirationTime: '2040-01-01T00:00:00Z', Description: 'common' }
  const legacy = { AccessorID: '', Type: 'client', Rules: 'key "" { policy = "read" }' } as const
  const indexes = { CreateIndex: expect.any(Number), ModifyIndex: expect.any(Number) }
  const groups = [
    [expiring, expiring, expiring],
    [legacy, legacy],
    [expiring, { Description: 'common' }, legacy],
  ]
  for (const group of groups) {
    const tokens = group.map((fields) => aToken(fields))
    await before(tokens.map(putNew))
    await store.refresh('consistent')
    const expired = await store.expiredTokens(Date.UTC(2041), 100)
    for (const token of tokens) {
      expect(await store.tokenBySecret(token.SecretID)).toEqual({ ...token, ...indexes })
      const isExpired = expired.some(({ SecretID }) => SecretID === token.SecretID)
      expect(isExpired).toBe(token.ExpirationTime !== undefined)
    }
  }
})

const makeConflicts = (known: TokenRecord, other: TokenRecord, index: number) =>
  ({
    'accessor in use': [putNew(aToken({ AccessorID: known.AccessorID })), 'accessor_in_use'],
    'secret in use': [putNew(aToken({ SecretID: known.SecretID })), 'secret_in_use'],
    'accessor is a secret': [putNew(aToken({ AccessorID: known.SecretID })), 'accessor_in_use'],
    'secret is an accessor': [putNew(aToken({ SecretID: known.AccessorID })), 'secret_in_use'],
    'an update of another version': [update(known, index + 1), 'changed'],
    'an update of nothing': [update(aToken(), 1), 'changed'],
    'an update to an accessor in use': [
      update({ ...known, AccessorID: other.AccessorID }, index),
      'accessor_in_use',
    ],
    'a delete of another version': [
      { table: 'tokens', op: 'delete', record: known, expect: index + 1 },
      'changed',
    ],
    'a delete that expects absence': [{ table: 'tokens', op: 'delete', record: known, expect: 0 }, 'changed'],
    'a missing namespace': [putNew(aToken({ Namespace: 'nowhere' })), 'changed'],
    'a key of another version': [{ table: 'kv', op: 'put', record: aKey(), expect: 7 }, 'changed'],
  }) satisfies Record<string, readonly [Change, ConflictReason]>

test('COH-08: a conflict of any kind is reported to its own write, and the others get consecutive indexes', async () => {
  const [known, other] = [aToken(), aToken()]
  const index = (await before([putNew(known), putNew(other)])) + 1
  for (const [what, [change, reason]] of Object.entries(makeConflicts(known, other, index))) {
    const [first, last] = [aToken(), aToken()]
    const answer = await commit([putNew(first), change, putNew(last)])
    const at = answer?.before ?? 0
    expect(answer?.results, what).toEqual([at + 1, reason, at + 2])
    expect(await read(last), what).toMatchObject({ ModifyIndex: at + 2 })
    expect(store.status().appliedIndex, what).toBe(at + 2)
    expect(store.tableIndex('tokens'), what).toBe(at + 2)
  }
  expect(await read(known)).toMatchObject({ ModifyIndex: index })
})

test('one conflict undoes all changes of its write; the other writes are committed', async () => {
  const known = aToken()
  await before([putNew(known)])
  const key = aKey()
  const tokens = Array.from({ length: 6 }, () => aToken())
  const [a, b, c, d, e, f] = tokens.map(putNew)
  const clash = putNew(aToken({ AccessorID: tokens[4]?.AccessorID.toUpperCase() ?? '' }))
  if (!a || !b || !c || !d || !e || !f) throw new TypeError('six changes were made')
  const putKey: Change = { table: 'kv', op: 'put', record: key, expect: 0 }
  const answer = await commit([
    [a, putKey],
    [b, putNew(aToken({ SecretID: known.SecretID }))],
    [c, d],
    // Only its own changes conflict, with each other.
    [e, clash],
    [f],
  ])
  const at = answer?.before ?? 0
  expect(answer?.results).toEqual([at + 1, 'secret_in_use', at + 2, 'accessor_in_use', at + 3])
  await store.refresh('consistent')
  const found = await Promise.all(tokens.map(({ SecretID }) => store.tokenBySecret(SecretID)))
  expect(found.map((token) => token?.ModifyIndex)).toEqual([
    at + 1,
    undefined,
    at + 2,
    at + 2,
    undefined,
    at + 3,
  ])
  expect(await store.kvEntry('default', key.Key)).toMatchObject({ ModifyIndex: at + 1 })
  expect(store.tableIndex('kv')).toBe(at + 1)
})

test('writes that share an id are committed after the others, each on the state that the previous one left', async () => {
  const token = aToken()
  const index = (await before([putNew(token)])) + 1
  const key = aKey({ Key: 'tree/leaf' })
  const free = aToken()
  const edit = (Description: string, expect: number | undefined): Change => ({
    table: 'tokens',
    op: 'put',
    record: { ...token, Description },
    expect,
  })
  const answer = await commit(
    [
      putNew(free),
      { table: 'kv', op: 'put', record: key, expect: undefined },
      edit('first', index),
      edit('late', index),
      edit('last', undefined),
      { table: 'kv', op: 'delete-tree', namespace: 'default', prefix: 'tree/' },
    ],
    { apart: 2 },
  )
  const at = answer?.before ?? 0
  expect(answer?.results).toEqual([at + 1, at + 2, at + 3, 'changed', at + 4, at + 5])
  expect(await read(token)).toMatchObject({ Description: 'last', CreateIndex: index, ModifyIndex: at + 4 })
  expect(await store.kvEntry('default', key.Key)).toBeUndefined()
})

test('an update of a cached token sends and changes nothing made from its ids, in any group', async () => {
  const known = aToken({ SecretID: 'Typed-With-Capitals' })
  const start = await before([putNew(known)])
  const ofIds = async () => {
    const { rows } = await connection.pool.query(
      'SELECT secret_cipher, secret_key_id, accessor_hash, folded_hash FROM token WHERE accessor_id = $1',
      [known.AccessorID],
    )
    return rows
  }
  const stored = await ofIds()
  const cache = { secretHashOf: () => secrets.lookupHash(known.SecretID) }
  const rotated = await openSecrets(connection.prisma, testRing('next', 'test'))
  const edit = encodeWrite([update({ ...known, Description: 'edited' }, start + 1)], secrets, cache)
  const group = [encodeWrite([putNew(aToken())], rotated), edit].map(({ rows }) => rows)
  const answer = await commitRows(onPool(connection.pool), group, 2, author)
  expect(answer).toMatchObject({ results: [start + 2, start + 3] })
  expect(await ofIds()).toEqual(stored)
  expect(stored).toMatchObject([{ secret_key_id: 'test' }])
  expect(JSON.stringify(edit.rows)).not.toContain(stored[0].secret_cipher.toString('hex').slice(0, 24))
  expect(edit.rows[0]?.change.values).not.toContain('test')
  expect(await read(known)).toMatchObject({ Description: 'edited', SecretID: known.SecretID })
})

test('an author that is no member commits nothing', async () => {
  const { appliedIndex } = store.status()
  const by = { ...author, memberId: anId(0xffff) }
  expect(await commit([putNew(aToken())], { by })).toBeUndefined()
  await store.refresh('consistent')
  expect(store.status().appliedIndex).toBe(appliedIndex)
})

test('COH-05: if a member has seen more than the database has, the index continues from there', async () => {
  const { appliedIndex } = store.status()
  const by = { ...author, known: appliedIndex + 10 }
  const token = aToken()
  const answer = await commit([putNew(token)], { by })
  expect(answer).toEqual({ before: appliedIndex + 11, results: [appliedIndex + 12], isBehind: true })
  expect(await read(token)).toMatchObject({ ModifyIndex: appliedIndex + 12 })
})

test('through the store, only its own caller sees a conflict', async () => {
  const known = aToken()
  await store.commit([putNew(known)])
  const tokens = Array.from({ length: 20 }, () => aToken())
  const writes = [...tokens, known].map((token) => store.commit([putNew(token)]))
  const outcomes = await Promise.allSettled(writes)
  expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: { reason: 'secret_in_use' } })
  expect(outcomes.slice(0, -1).every(({ status }) => status === 'fulfilled')).toBe(true)
})

test('the SQL function is the one that its generator writes: run `pnpm --filter @latchkey/server generate:sql`', () => {
  expect(readFileSync(PACKAGE_FILES.commitRows, 'utf8')).toBe(commitRowsSql())
})
