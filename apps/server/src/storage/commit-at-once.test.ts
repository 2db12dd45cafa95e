import type { Change, TokenRecord } from '@latchkey/acl'
import { anId, aToken } from '@latchkey/acl/testing'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { openTestStore, putNew, testRing } from '../../test/store.ts'
import { connectDatabase } from '../database/connect.ts'
import { encodeChange } from './encode-change.ts'
import { openSecrets } from './open-secrets.ts'
import { Queries } from './queries.ts'

const database = await createTestDatabase()
const store = await openTestStore({ url: database.url })
const connection = connectDatabase({ url: database.url, log: pino({ level: 'silent' }) })
const secrets = await openSecrets(connection.prisma, testRing('test'))
const queries = new Queries(connection)
afterAll(async () => {
  await connection.close()
  await database.drop()
})

const { memberId } = store.membership

function commitAtOnce(changes: readonly Change[], author = memberId, known = 0): Promise<number | undefined> {
  return queries.commitAtOnce(
    changes.map((change) => encodeChange(change, secrets)),
    author,
    known,
  )
}

function update(record: TokenRecord, expect: number): Change {
  return { table: 'tokens', op: 'put', record, expect }
}

async function read({ AccessorID }: TokenRecord): Promise<TokenRecord | undefined> {
  await store.refresh('consistent')
  return store.tokenByAccessor(AccessorID)
}

test('creates, updates and deletes have the indexes that follow, in their order', async () => {
  const [changed, removed] = [aToken(), aToken()]
  const before = (await commitAtOnce([putNew(changed), putNew(removed)])) ?? 0
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
  const gone: Change = { table: 'tokens', op: 'delete', record: removed, expect: before + 2 }
  const at = await commitAtOnce([putNew(full), putNew(plain), update(edited, before + 1), gone])
  expect(at).toBe(before + 2)
  const index = before + 2
  expect(await read(full)).toEqual({ ...full, CreateIndex: index + 1, ModifyIndex: index + 1 })
  expect(await read(plain)).toEqual({ ...plain, CreateIndex: index + 2, ModifyIndex: index + 2 })
  expect(await read(edited)).toEqual({ ...edited, CreateIndex: before + 1, ModifyIndex: index + 3 })
  expect(await read(removed)).toBeUndefined()
  expect(store.status().appliedIndex).toBe(index + 4)
})

test("what all have in common stays with all, and what may be missing is nobody else's", async () => {
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
    expect(await commitAtOnce(tokens.map(putNew))).toBeDefined()
    await store.refresh('consistent')
    const expired = await store.expiredTokens(Date.UTC(2041), 100)
    for (const token of tokens) {
      expect(await store.tokenBySecret(token.SecretID)).toEqual({ ...token, ...indexes })
      const isExpired = expired.some(({ SecretID }) => SecretID === token.SecretID)
      expect(isExpired).toBe(token.ExpirationTime !== undefined)
    }
  }
})

test('one conflict of any kind: nothing is done, not even for the others', async () => {
  const [known, other] = [aToken(), aToken()]
  const before = (await commitAtOnce([putNew(known), putNew(other)])) ?? 0
  const conflicts: Record<string, Change> = {
    'accessor in use': putNew(aToken({ AccessorID: known.AccessorID })),
    'secret in use': putNew(aToken({ SecretID: known.SecretID })),
    'accessor is a secret': putNew(aToken({ AccessorID: known.SecretID })),
    'secret is an accessor': putNew(aToken({ SecretID: known.AccessorID })),
    'an update of another version': update(known, before + 2),
    'an update of nothing': update(aToken(), 1),
    'an update to an accessor in use': update({ ...known, AccessorID: other.AccessorID }, before + 1),
    'a delete of another version': { table: 'tokens', op: 'delete', record: known, expect: before + 2 },
  }
  for (const [what, change] of Object.entries(conflicts)) {
    const neighbour = aToken()
    expect(await commitAtOnce([putNew(neighbour), change]), what).toBeUndefined()
    expect(await read(neighbour), what).toBeUndefined()
  }
  expect(await read(known)).toMatchObject({ ModifyIndex: before + 1 })
  expect(store.status().appliedIndex).toBe(before + 2)
})

test('by no member, or by one that has seen more than the database has: nothing is done', async () => {
  const { appliedIndex } = store.status()
  expect(await commitAtOnce([putNew(aToken())], anId(0xffff))).toBeUndefined()
  expect(await commitAtOnce([putNew(aToken())], memberId, appliedIndex + 1)).toBeUndefined()
  await store.refresh('consistent')
  expect(store.status().appliedIndex).toBe(appliedIndex)
})

test('through the store, a conflict is told to its own caller alone', async () => {
  const known = aToken()
  await store.commit([putNew(known)])
  const tokens = Array.from({ length: 20 }, () => aToken())
  const writes = [...tokens, known].map((token) => store.commit([putNew(token)]))
  const outcomes = await Promise.allSettled(writes)
  expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: { reason: 'secret_in_use' } })
  expect(outcomes.slice(0, -1).every(({ status }) => status === 'fulfilled')).toBe(true)
})
