/** How a process applies the changes of other processes: to waits, caches, directory and topics. */
import type { WaitOutcome } from '@latchkey/service'
import { aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { KvCache, TokenCache } from '../read/caches.ts'
import { storeBytes, storeText } from '../read/stored-text.ts'
import { LocalState } from './local-state.ts'
import { NO_RECORDS } from './read-changes.ts'
import { TopicIndexes } from './topic-indexes.ts'
import { Waiters } from './waiters.ts'

describe('waits', () => {
  const after = (promise: Promise<WaitOutcome>, outcomes: WaitOutcome[]) =>
    void promise.then((o) => outcomes.push(o))

  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('end at their time, never early and less than 10 ms late, however the times are spread and added', async () => {
    const waiters = new Waiters()
    const late: number[] = []
    const add = (ms: number) => {
      const due = performance.now() + ms
      void waiters.add('tokens', ms, undefined).then(() => late.push(performance.now() - due))
    }
    for (const ms of [5_000, 1, 0.1, 49, 50, 51, 120, 4_999.5]) add(ms)
    // Each is due before the ones that wait.
    for (let ms = 1_500; ms > 500; ms -= 1.9) add(ms)
    for (let ms = 0; ms < 6_000; ms += 1) {
      if (ms === 200 || ms === 3_333) for (const soon of [64, 30, 3]) add(soon)
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(late).toHaveLength(8 + 527 + 6)
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...late)).toBeLessThan(10)
    expect(waiters.count).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('MEM-02: an abort frees its wait and its timer at once', async () => {
    const waiters = new Waiters()
    const outcomes: WaitOutcome[] = []
    const controllers = Array.from({ length: 10_000 }, () => new AbortController())
    for (const [i, { signal }] of controllers.entries())
      after(waiters.add(`token:${i}`, 60_000, signal), outcomes)
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

const TABLES = {
  tokens: 5,
  policies: 0,
  roles: 0,
  kv: 5,
  namespaces: 0,
  authMethods: 0,
  bindingRules: 0,
  nodes: 0,
  services: 0,
  checks: 0,
  coordinates: 0,
  sessions: 0,
  serviceIndexes: 0,
  intentions: 0,
  intentionDestinations: 0,
  system: 0,
}

function aLocalState() {
  const parts = { tokens: new TokenCache(100_000), keys: new KvCache(100_000), waiters: new Waiters() }
  return { ...parts, state: new LocalState({ ...parts, onMembers: () => {} }) }
}

test('COH-02: changed tokens, and all tokens after a reset, are dropped', async () => {
  const { state, tokens, keys, waiters } = aLocalState()
  const token = aToken()
  const know = () => {
    tokens.add(token, '5ec')
    keys.keep('kv:default/x', undefined)
  }
  const isForgotten = () => !tokens.bySecretId(token.SecretID) && !keys.get('kv:default/x')

  know()
  state.applyBatch({
    index: 5,
    now: 0,
    isMember: true,
    tokens: [],
    tables: TABLES,
    records: NO_RECORDS,
    changes: [
      { index: 5, entity: 'tokens', op: 'put', key: storeText(token.AccessorID), binary_key: '\\x5ec' },
      { index: 5, entity: 'kv', op: 'put', key: 'default', binary_key: storeBytes(Buffer.from('x')) },
    ],
  })
  expect(isForgotten()).toBe(true)
  expect(state.recentTokens.after(4)).toEqual([token.AccessorID])

  know()
  const wait = waiters.add('roles', 60_000, undefined)
  state.reset(9, { ...TABLES, tokens: 7 }, NO_RECORDS)
  expect(isForgotten()).toBe(true)
  expect(state.recentTokens.after(6)).toBeUndefined()
  expect(await wait).toBe('changed')
})

test('tokens of an own commit are cached, unless they are as many as in a copy', () => {
  const { state, tokens } = aLocalState()
  const cachedOf = (count: number) => {
    const records = Array.from({ length: count }, () => aToken())
    const index = state.appliedIndex + 1
    const changes = records.map((record) => ({ table: 'tokens', op: 'put', record, expect: 0 }) as const)
    state.applyOwn([{ index, changes, secretHashes: records.map(({ SecretID }) => SecretID) }])
    return records.filter(({ SecretID }) => tokens.bySecretId(SecretID)).length
  }
  expect([cachedOf(1), cachedOf(10), cachedOf(1_000)]).toEqual([1, 10, 0])
})

test('a batch removes deleted records from the directory; one that was applied already changes nothing', () => {
  const { state } = aLocalState()
  const policy = aPolicy()
  const batch = (index: number, op: 'put' | 'delete') =>
    state.applyBatch({
      index,
      now: 0,
      isMember: true,
      tokens: [],
      tables: { ...TABLES, policies: index },
      records: { ...NO_RECORDS, policies: op === 'put' ? [policy] : [] },
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

test('topics: tables are always remembered, single records for a while; for the rest the answer is undefined', () => {
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
  topics.reset(1_000, { ...TABLES, tokens: 500, kv: 700 })
  expect(topics.changedAfter('token:c', 500)).toBe(false)
  expect(topics.changedAfter('token:c', 499)).toBeUndefined()
  expect(topics.changedAfter('kv:default/x', 500)).toBeUndefined()
  expect(topics.changedAfter('kv:default/x', 700)).toBe(false)
  for (let i = 0; i < 60_000; i += 1) topics.touch(`token:${i}`, 100 + i)
  expect(topics.changedAfter('token:a', 50)).toBeUndefined()
  topics.touch('tokens', 60_099)
  // Forgotten, and changed after the given index: `false` would lose its wake-up.
  expect(topics.changedAfter('token:2000', 1_500)).toBeUndefined()
  expect(topics.changedAfter('token:59999', 100)).toBe(true)
})
