import type { TokenRecord } from '@latchkey/acl'
import type { Change, WaitOutcome } from '@latchkey/service'
import { aKey, anId, aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LocalState } from './follow/local-state.ts'
import { TopicIndexes } from './follow/topic-indexes.ts'
import { Waiters } from './follow/waiters.ts'
import { Alarm } from './members/alarm.ts'
import { LEASE_MS, Lease } from './members/lease.ts'
import { MemberChanges } from './members/member-changes.ts'
import { isProcessGone, processIdentity } from './members/process-identity.ts'
import { KvCache } from './read/kv-cache.ts'
import { readBytes, readText, storeBytes, storeText } from './read/stored-text.ts'
import { TokenCache } from './read/token-cache.ts'
import { accessorLoad, secretLoad, type TokenLoad, TokenLoads } from './read/token-loads.ts'
import { splitGroup } from './write/split-group.ts'

describe('stored text', () => {
  test('any string comes back as it was, and is one that PostgreSQL can hold', () => {
    const anyUnits = fc.array(fc.nat(0xffff), { maxLength: 12 }).map((units) => String.fromCharCode(...units))
    const odd = fc.string({
      unit: fc.constantFrom('\u0000', '\u001a', '\ud800', '\udc00', '0', 'a', '\ud83d\ude00'),
    })
    const property = fc.property(fc.oneof(anyUnits, odd), (text) => {
      const stored = storeText(text)
      expect(readText(stored)).toBe(text)
      expect(stored.isWellFormed() && !stored.includes('\u0000')).toBe(true)
    })
    fc.assert(property, { numRuns: 5_000 })
  })

  test('plain text is stored as it is, and bytes too', () => {
    expect(storeText('plain "text" ü 😀\n')).toBe('plain "text" ü 😀\n')
    expect([...readBytes(storeBytes(Uint8Array.of(0, 127, 255)))]).toEqual([0, 127, 255])
  })
})

describe('the token cache', () => {
  const put = (cache: TokenCache, token: TokenRecord) => cache.add(token, hashOf(token))
  const hashOf = (token: TokenRecord) => `hash of ${token.SecretID}`

  test('keeps within its bytes, and lets go of what was not asked for lately', () => {
    const cache = new TokenCache(10_000)
    const tokens = Array.from({ length: 20 }, () => aToken())
    const [first] = tokens
    for (const token of tokens) {
      put(cache, token)
      expect(cache.bySecretId(first?.SecretID ?? '')?.record).toBe(first)
      expect(cache.usedBytes).toBeLessThanOrEqual(10_000)
    }
    expect(cache.size).toBeGreaterThan(5)
    expect(cache.size).toBeLessThanOrEqual(10)
  })

  test('forgets a token by accessor, and by hash, with all that leads to it', () => {
    for (const keys of [
      (t: TokenRecord) => ({ accessorKey: t.AccessorID, secretHash: undefined }),
      (t: TokenRecord) => ({ accessorKey: undefined, secretHash: hashOf(t) }),
    ]) {
      const cache = new TokenCache(100_000)
      const token = aToken()
      put(cache, token)
      cache.invalidate(keys(token))
      expect(cache.bySecretId(token.SecretID)).toBeUndefined()
      expect(cache.byAccessorKey(token.AccessorID)).toBeUndefined()
      expect(cache.sameAs(hashOf(token), token.ModifyIndex)).toBeUndefined()
      expect(cache.usedBytes).toBe(0)
    }
  })

  test('DOS-05: a million unknown secrets take no more than its bytes', () => {
    const cache = new TokenCache(50_000)
    for (let i = 0; i < 1_000_000; i += 1) cache.addAbsentSecret(`s${i}`, `h${i}`)
    expect(cache.usedBytes).toBeLessThanOrEqual(50_000)
    expect(cache.bySecretId('s999999')).toMatchObject({ record: undefined })
    expect(cache.bySecretId('s1')).toBeUndefined()
  })

  test('with no bytes it keeps nothing', () => {
    const cache = new TokenCache(0)
    put(cache, aToken())
    expect(cache.size).toBe(0)
  })
})

describe('waits', () => {
  const after = (promise: Promise<WaitOutcome>, outcomes: WaitOutcome[]) =>
    void promise.then((o) => outcomes.push(o))

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('end at their own time, never before and at most a tick late', async () => {
    const waiters = new Waiters()
    const ended: number[] = []
    for (const ms of [1, 49, 50, 51, 120, 5_000]) {
      void waiters.add('tokens', ms, undefined).then(() => ended.push(performance.now() - ms))
    }
    const startedAt = performance.now()
    for (let ms = 0; ms < 6_000; ms += 10) await vi.advanceTimersByTimeAsync(10)
    expect(ended).toHaveLength(6)
    for (const late of ended) {
      expect(late - startedAt).toBeGreaterThanOrEqual(0)
      expect(late - startedAt).toBeLessThanOrEqual(100)
    }
    expect(waiters.count).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('MEM-02: ten thousand of them share one timer, and an abort frees its wait at once', async () => {
    const waiters = new Waiters()
    const outcomes: WaitOutcome[] = []
    const controllers = Array.from({ length: 10_000 }, () => new AbortController())
    for (const [i, { signal }] of controllers.entries())
      after(waiters.add(`token:${i}`, 60_000, signal), outcomes)
    expect(vi.getTimerCount()).toBe(1)
    for (const controller of controllers) controller.abort()
    expect(waiters.count).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
    await Promise.resolve()
    expect(outcomes.filter((outcome) => outcome === 'aborted')).toHaveLength(10_000)
  })

  test('waits of a topic end with its change, others continue; closing ends all, and future ones', async () => {
    const waiters = new Waiters()
    const outcomes: WaitOutcome[] = []
    after(waiters.add('tokens', 60_000, undefined), outcomes)
    const other = waiters.add('roles', 60_000, undefined)
    waiters.wake('tokens')
    await Promise.resolve()
    expect(outcomes).toEqual(['changed'])
    expect(waiters.count).toBe(1)
    waiters.close()
    expect(await other).toBe('timeout')
    expect(await waiters.add('roles', 60_000, undefined)).toBe('timeout')
  })
})

describe('the lease', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'], now: 1_000_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('holds from the question for its time, and not a moment longer', () => {
    const lease = new Lease()
    expect(lease.isValid()).toBe(false)
    const askedAt = performance.now()
    vi.advanceTimersByTime(400)
    lease.grant(askedAt)
    expect(lease.isValid()).toBe(true)
    vi.advanceTimersByTime(LEASE_MS - 401)
    expect(lease.isValid()).toBe(true)
    vi.advanceTimersByTime(1)
    expect(lease.isValid()).toBe(false)
  })

  test('expires if the wall clock shows that the machine slept, or was set', () => {
    for (const jump of [LEASE_MS, -LEASE_MS]) {
      const lease = new Lease()
      lease.grant(performance.now())
      vi.setSystemTime(Date.now() + jump)
      expect(lease.isValid()).toBe(false)
    }
  })

  test('is over at once when it is revoked', () => {
    const lease = new Lease()
    lease.grant(performance.now())
    lease.revoke()
    expect(lease.isValid()).toBe(false)
  })
})

test('COH-02: a ring ends the sleep, or the next one where it came before, and no later one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const alarm = new Alarm()
    const ended: string[] = []
    const sleep = (name: string) => void alarm.sleep(1_000).then(() => ended.push(name))
    sleep('rung')
    alarm.ring()
    await vi.advanceTimersByTimeAsync(0)
    expect(ended).toEqual(['rung'])
    alarm.ring()
    sleep('rung before')
    await vi.advanceTimersByTimeAsync(0)
    expect(ended).toEqual(['rung', 'rung before'])
    sleep('slept')
    await vi.advanceTimersByTimeAsync(999)
    expect(ended).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toHaveLength(3)
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

const TABLES = { tokens: 5, policies: 0, roles: 0, kv: 5, namespaces: 0, system: 0 }
const NO_RECORDS = { policies: [], roles: [], namespaces: [], system: [] }

function aLocalState() {
  const parts = {
    tokens: new TokenCache(100_000),
    loads: new TokenLoads(),
    keys: new KvCache(100_000),
    waiters: new Waiters(),
  }
  const members = new MemberChanges(new Lease(), new Alarm())
  return { ...parts, state: new LocalState({ ...parts, members }) }
}

test('COH-02: what changes, and everything after a reset, is forgotten and told to reads that are under way', async () => {
  const { state, tokens, loads, keys, waiters } = aLocalState()
  const token = aToken()
  const reads: TokenLoad[] = []
  const answer = Promise.withResolvers<undefined>()
  for (const key of [accessorLoad(token.AccessorID), secretLoad('5ec')]) {
    void loads.run(key, (load) => {
      reads.push(load)
      return answer.promise
    })
  }
  const know = () => {
    tokens.add(token, '5ec')
    keys.keep('kv:default/x', undefined)
  }
  const isForgotten = () => !tokens.bySecretId(token.SecretID) && !keys.get('kv:default/x')

  know()
  state.applyBatch({
    index: 5,
    now: 0,
    tables: TABLES,
    directory: NO_RECORDS,
    changes: [
      { index: 5, entity: 'tokens', op: 'put', key: storeText(token.AccessorID), binary_key: '\\x5ec' },
      { index: 5, entity: 'kv', op: 'put', key: 'default', binary_key: storeBytes(Buffer.from('x')) },
    ],
  })
  expect(isForgotten()).toBe(true)
  expect(reads.map(({ touchedAt }) => touchedAt)).toEqual([5, 5])
  expect(state.recentTokens.after(4)).toEqual([token.AccessorID])

  know()
  const wait = waiters.add('roles', 60_000, undefined)
  state.reset(9, { ...TABLES, tokens: 7 }, NO_RECORDS)
  expect(isForgotten()).toBe(true)
  expect(reads.map(({ touchedAt }) => touchedAt)).toEqual([9, 9])
  expect(state.recentTokens.after(6)).toBeUndefined()
  expect(await wait).toBe('changed')
  answer.resolve(undefined)
})

test('a batch takes out of the directory what is gone; one that was applied already changes nothing', () => {
  const { state } = aLocalState()
  const policy = aPolicy()
  const batch = (index: number, op: 'put' | 'delete') =>
    state.applyBatch({
      index,
      now: 0,
      tables: { ...TABLES, policies: index },
      directory: { ...NO_RECORDS, policies: op === 'put' ? [policy] : [] },
      changes: [{ index, entity: 'policies', op, key: policy.ID, binary_key: null }],
    })
  batch(6, 'put')
  expect(state.directory().policy(policy.ID)).toBe(policy)
  batch(7, 'delete')
  expect(state.directory().policy(policy.ID)).toBeUndefined()
  batch(6, 'put')
  expect(state.directory().policy(policy.ID)).toBeUndefined()
  expect([state.appliedIndex, state.topics.table('policies')]).toEqual([7, 7])
})

test('topics: tables for ever, single records while they are remembered, and no guess beyond', () => {
  const topics = new TopicIndexes(10)
  topics.touch('tokens', 12)
  topics.touch('token:a', 12)
  expect(topics.changedAfter('tokens', 11)).toBe(true)
  expect(topics.changedAfter('tokens', 12)).toBe(false)
  expect(topics.changedAfter('token:a', 11)).toBe(true)
  expect(topics.changedAfter('token:a', 12)).toBe(false)
  expect(topics.changedAfter('token:b', 10)).toBe(false)
  expect(topics.changedAfter('token:b', 9)).toBeUndefined()
  // Older than the start: a table that has not changed has no changed records.
  topics.reset(1_000, { tokens: 500, policies: 0, roles: 0, kv: 700, namespaces: 0, system: 0 })
  expect(topics.changedAfter('token:c', 500)).toBe(false)
  expect(topics.changedAfter('token:c', 499)).toBeUndefined()
  expect(topics.changedAfter('kv:default/x', 500)).toBeUndefined()
  expect(topics.changedAfter('kv:default/x', 700)).toBe(false)
  for (let i = 0; i < 60_000; i += 1) topics.touch(`token:${i}`, 100 + i)
  expect(topics.changedAfter('token:a', 50)).toBeUndefined()
  topics.touch('tokens', 60_099)
  // Forgotten, and changed above what is asked: a false here would lose its wake-up.
  expect(topics.changedAfter('token:2000', 1_500)).toBeUndefined()
  expect(topics.changedAfter('token:59999', 100)).toBe(true)
})

test('a group is split so that no id or key is in two of the writes that are made at once', () => {
  const create = (AccessorID: string, SecretID: string): { readonly changes: readonly Change[] } => ({
    changes: [{ table: 'tokens', op: 'put', record: aToken({ AccessorID, SecretID }), expect: 0 }],
  })
  const put = (Key: string): Change => ({ table: 'kv', op: 'put', record: aKey({ Key }), expect: undefined })
  const [a, b, c, d] = [anId(0xa), anId(0xb), anId(0xc), anId(0xd)]
  const first = create(a, b)
  const sameAccessor = create(a.toUpperCase(), c)
  const crossed = create(b, d)
  const free = create(anId(1), anId(2))
  const several = { changes: [...create(anId(3), anId(4)).changes, put('x')] }
  const sameKey = { changes: [put('x')] }
  const tree: { readonly changes: readonly Change[] } = {
    changes: [{ table: 'kv', op: 'delete-tree', namespace: 'default', prefix: 'y' }],
  }
  expect(splitGroup([first, sameAccessor, crossed, free, several, sameKey, tree])).toEqual({
    apart: [first, free, several],
    others: [sameAccessor, crossed, sameKey, tree],
  })
})

test('a process recognizes itself as alive and an ended one as gone, and judges no other machine', () => {
  const identity = processIdentity()
  expect(isProcessGone(identity)).toBe(false)
  expect(isProcessGone('')).toBe(false)
  if (identity === '') return
  expect(isProcessGone(identity.replace(/\d+$/, '1'))).toBe(true)
  expect(isProcessGone(identity.replace(/^[^ ]+/, 'another-boot'))).toBe(false)
})
