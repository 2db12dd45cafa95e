import { readFileSync } from 'node:fs'
import type { TokenRecord } from '@latchkey/acl'
import type { Change } from '@latchkey/service'
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

test('the SQL function is the one that its generator writes: run `pnpm --filter @latchkey/server generate:sql`', () => {
  expect(readFileSync(PACKAGE_FILES.commitRows, 'utf8')).toBe(commitRowsSql())
})
