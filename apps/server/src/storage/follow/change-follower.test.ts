/** A process without its change feed sees only the results of its own queries. */
import { randomUUID } from 'node:crypto'
import type { TokenRecord } from '@latchkey/acl'
import { aKey, aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { pino } from 'pino'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, PATIENT, sql } from '../../../test/database.ts'
import { openTestStore, putNew, testRing } from '../../../test/store.ts'
import { connectDatabase } from '../../database/connect.ts'
import { openSecrets } from '../keys/open-secrets.ts'
import { DatabaseClock } from '../members/database-clock.ts'
import { joinMember } from '../members/member-rows.ts'
import { KvCache, TokenCache } from '../read/caches.ts'
import { KvReader } from '../read/kv-reader.ts'
import { TokenLists } from '../read/lists/token-lists.ts'
import { Queries } from '../read/queries.ts'
import { TokenReader } from '../read/token-reader.ts'
import { ChangeFollower } from './change-follower.ts'
import { LocalState } from './local-state.ts'
import type { ChangesQuestion } from './read-changes.ts'
import { Waiters } from './waiters.ts'

const { url } = await createTestDatabase()
const database = connectDatabase({ url, log: pino({ level: 'silent' }), limits: PATIENT })
const writer = await openTestStore({ url })
afterAll(async () => {
  await writer.close()
  await database.close()
})

/** Lets a test hold back an answer of the database. */
class HeldQueries extends Queries {
  onAnswer: () => Promise<void> | undefined = () => undefined

  override async changes(question: ChangesQuestion) {
    const batch = await super.changes(question)
    await this.onAnswer()
    return batch
  }
}

async function aReader() {
  const memberId = `reader ${randomUUID()}`
  let joins = 0
  const secrets = await openSecrets(database.prisma, testRing('test'))
  const queries = new HeldQueries(database, secrets)
  const cache = new KvCache(100_000)
  const tokens = new TokenCache(100_000)
  const state = new LocalState({ tokens, keys: cache, waiters: new Waiters(), onMembers: () => {} })
  const clock = new DatabaseClock({ onStepRefused: () => {} })
  const follower = new ChangeFollower({
    memberId,
    queries,
    state,
    clock,
    commits: { isBusy: false },
    rejoin: async () => {
      joins += 1
      const self = {
        id: memberId,
        datacenter: 'dc1',
        node: memberId,
        version: '1.11.0',
        mode: 'enabled',
      } as const
      await joinMember(database.prisma, { ...self, address: '', process: '', beat: joins }, undefined)
    },
    isReloading: false,
  })
  const parts = { queries, state, follower, secrets, replica: undefined }
  await follower.open()
  await follower.sync()
  return {
    memberId,
    queries,
    state,
    follower,
    tokens: new TokenReader(parts),
    lists: new TokenLists(parts),
    keys: new KvReader({ queries, state, follower, cache }),
  }
}
type Reader = Awaited<ReturnType<typeof aReader>>

async function drain(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pages);
}

describe('COH-03: a read from the database returns after the local state has caught up with it', () => {
  const key = aKey()
  const range = { namespace: key.Namespace, prefix: '' }
  const reads: Readonly<Record<string, (reader: Reader, token: TokenRecord) => Promise<unknown>>> = {
    'a token by its secret': ({ tokens }, { SecretID }) => tokens.bySecret(SecretID),
    'a token by its accessor': ({ tokens }, { AccessorID }) => tokens.byAccessor(AccessorID),
    'a list of tokens': ({ lists }) => drain(lists.pages({})),
    'a count of tokens': ({ lists }) => lists.count({}),
    'expired tokens': ({ lists }) => lists.expired(0, 1),
    'a key': ({ keys }) => keys.entry(key.Namespace, key.Key),
    'a tree of keys': ({ keys }) => drain(keys.list(range)),
    'names of keys': ({ keys }) => drain(keys.keys(range)),
  }

  test.each(Object.entries(reads))('%s', async (_name, read) => {
    const reader = await aReader()
    const policy = aPolicy()
    const token = aToken({ Policies: [{ ID: policy.ID }] })
    await writer.commit([{ table: 'policies', op: 'put', record: policy, expect: 0 }])
    const index = await writer.commit([
      putNew(token),
      { table: 'kv', op: 'put', record: key, expect: undefined },
    ])
    await read(reader, token)
    expect(reader.state.appliedIndex).toBe(index)
    expect(reader.state.directory().policy(policy.ID)).toBeDefined()
  })
})

describe('COH-02: the change log brings the tokens that this process has cached, as of its index', () => {
  const put = (record: TokenRecord) => ({ table: 'tokens', op: 'put', record, expect: undefined }) as const

  test.each([1, 64, 65])(
    '%i changed tokens, one of them twice, one deleted, one never read',
    async (count) => {
      const reader = await aReader()
      const [deleted, unread] = [aToken(), aToken()]
      const cached = Array.from({ length: count }, () => aToken())
      await writer.commit([deleted, unread, ...cached].map(putNew))
      for (const { SecretID } of [deleted, ...cached]) await reader.tokens.bySecret(SecretID)
      const { misses } = reader.tokens.counts
      await writer.commit([{ table: 'tokens', op: 'delete', record: deleted, expect: undefined }])
      await writer.commit([put({ ...unread, Description: 'changed' })])
      for (const Description of ['changed', 'last']) {
        await Promise.all(cached.map((token) => writer.commit([put({ ...token, Description })])))
      }
      await reader.follower.sync()
      for (const { AccessorID, SecretID } of cached) {
        const token = await reader.tokens.bySecret(SecretID)
        expect(token).toEqual(await writer.tokenBySecret(SecretID))
        expect(token?.Description).toBe('last')
        expect(await reader.tokens.byAccessor(AccessorID)).toBe(token)
      }
      // A batch has the tokens of 64 indexes: the two above and the first changes of the others.
      expect(reader.tokens.counts.misses - misses).toBe(Math.max(0, count - 62))
      expect(await reader.tokens.bySecret(deleted.SecretID)).toBeUndefined()
      expect(await reader.tokens.bySecret(unread.SecretID)).toMatchObject({ Description: 'changed' })
    },
  )

  test('and is not mixed with tokens of a later snapshot, while records of the directory are read', async () => {
    const reader = await aReader()
    const token = aToken()
    await writer.commit([putNew(token)])
    await reader.tokens.bySecret(token.SecretID)
    const policy = aPolicy()
    await writer.commit([{ table: 'policies', op: 'put', record: policy, expect: 0 }])
    reader.queries.onAnswer = () => {
      reader.queries.onAnswer = () => undefined
      return writer.commit([put({ ...token, Policies: [{ ID: policy.ID }] })]).then(() => {})
    }
    await reader.follower.sync()
    expect((await reader.tokens.bySecret(token.SecretID))?.Policies).toEqual([])
    await reader.follower.sync()
    expect((await reader.tokens.bySecret(token.SecretID))?.Policies).toEqual([{ ID: policy.ID }])
  })
})

test('COH-02: readers that arrive during a query share the next query, which sees every commit before it', async () => {
  const { queries, follower, state } = await aReader()
  const earlier = follower.rounds
  const [answered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  queries.onAnswer = () => {
    answered.resolve()
    return released.promise
  }
  const first = follower.sync()
  await answered.promise
  const index = await writer.commit([putNew(aToken())])
  const later = [follower.sync(), follower.sync()]
  released.resolve()
  await first
  expect(state.appliedIndex).toBeLessThan(index)
  await Promise.all(later)
  expect(state.appliedIndex).toBe(index)
  expect(follower.rounds).toBe(earlier + 2)
})

test('a reader that waits for an unresponsive database fails with the query before its own', async () => {
  const { queries, follower } = await aReader()
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let answers = 0
  queries.onAnswer = () => {
    answers += 1
    asked.resolve()
    return released.promise
  }
  const first = follower.sync()
  await asked.promise
  const later = follower.sync()
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 1_000)
  released.reject(new Error('cut'))
  const outcomes = await Promise.allSettled([first, later])
  vi.restoreAllMocks()
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(answers).toBe(1)
})

test('notifications that may have been missed cause one query', async () => {
  const { follower } = await aReader()
  const { rounds } = follower
  follower.hear(undefined)
  await expect.poll(() => follower.rounds).toBe(rounds + 1)
  follower.hear(0)
  await follower.sync()
  expect(follower.rounds).toBe(rounds + 2)
})

test('COH-04: a wait for a record that changed before this process began ends at once', async () => {
  const token = aToken()
  const index = await writer.commit([putNew(token)])
  await writer.commit([putNew(aToken())])
  const late = await openTestStore({ url })
  expect(await late.wait(`token:${token.AccessorID}`, index - 1, 1_000)).toBe('changed')
})

test('COH-02: a process that is fenced after it confirmed a read shows no row before it has joined again', async () => {
  const reader = await aReader()
  const { memberId, follower, state, tokens } = reader
  const [known, token] = [aToken(), aToken()]
  await writer.commit([putNew(known)])
  await follower.sync()
  const where = { id: memberId }
  const { joinIndex } = await database.prisma.member.findUniqueOrThrow({ where })
  await database.prisma.member.update({ where, data: { isFenced: true } })
  const index = await writer.commit([putNew(token)])
  expect(await tokens.bySecret(token.SecretID)).toMatchObject({ AccessorID: token.AccessorID })
  const member = await database.prisma.member.findUniqueOrThrow({ where })
  expect(member.isFenced).toBe(false)
  expect(member.joinIndex).toBeGreaterThan(joinIndex)
  expect(state.appliedIndex).toBeGreaterThan(index)
})

test('COH-05: a round that finds the database behind what this process has seen raises the index above it', async () => {
  const own = await createTestDatabase()
  const store = await openTestStore({ url: own.url })
  const seen = await store.commit([putNew(aToken())])
  // As after the takeover of a standby that lacked the last commits.
  await sql(own.url, 'UPDATE commit_index SET index = $1', [seen - 1])
  await store.refresh('consistent')
  expect(store.commitIndex()).toBeGreaterThan(seen)
})
