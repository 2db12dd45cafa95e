import { ZERO_TIME } from '@latchkey/contract'
import { SeededRandom } from '@latchkey/testkit/random'
import { anUnmigratedToken } from '@latchkey/testkit/upgrade/builders'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS_TOKEN_ACCESSOR_ID, GLOBAL_MANAGEMENT_POLICY_ID } from '../builtin.ts'
import { tokenHash } from '../hash.ts'
import type { MigrationRecord } from '../records/system-records.ts'
import {
  batchCountOf,
  batchesDurationMs,
  convertForMigration,
  NO_BATCHES,
  nextBatchAt,
  planBatch,
  recordBatch,
} from './migration.ts'

const ACCESSOR = '6f3a9d9e-0000-4000-8000-000000000001'
const plan = (tokens: Parameters<typeof planBatch>[0], isTaken: (id: string) => boolean = () => false) =>
  planBatch(tokens, { random: new SeededRandom(1), isTaken })
const tokens = (count: number) =>
  Array.from({ length: count }, (_, i) => anUnmigratedToken({ ID: `secret-${i}`, CreateIndex: count - i }))

describe('planning a batch (spec 8, 9.2.3)', () => {
  test('takes the first 128 of more, in CreateIndex order, ties as given (decisions: upgrade)', () => {
    const planned = plan(tokens(129)).map(({ token }) => token.CreateIndex)
    expect(planned).toEqual(Array.from({ length: 128 }, (_, i) => i + 1))
    const ties = ['b', 'a', 'c'].map((ID) => anUnmigratedToken({ ID, CreateIndex: 5 }))
    expect(plan(ties).map(({ token }) => token.SecretID)).toEqual(['b', 'a', 'c'])
  })

  test('skips tokens with an accessor', () => {
    expect(plan([{ ...anUnmigratedToken(), AccessorID: ACCESSOR }])).toEqual([])
  })

  test('gives every token an accessor of its own', () => {
    const ids = plan(tokens(128)).map(({ accessorId }) => accessorId)
    expect(new Set(ids).size).toBe(128)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  test('gives the anonymous token its fixed accessor', () => {
    const [planned] = plan([anUnmigratedToken({ ID: 'anonymous' })])
    expect(planned?.accessorId).toBe(ANONYMOUS_TOKEN_ACCESSOR_ID)
  })

  test('draws again if an id is taken, reserved or drawn before, and skips the token if none is free', () => {
    const draws = [0, 1, 1, 2].flatMap((byte) => Array.from({ length: 16 }, () => byte))
    const random = { bytes: (count: number) => Uint8Array.from(draws.splice(0, count)) }
    const planned = planBatch(tokens(2), { random, isTaken: () => false }).map(({ accessorId }) => accessorId)
    expect(planned.map((id) => id.slice(0, 8))).toEqual(['01010101', '02020202'])
    expect(plan(tokens(2), () => true)).toEqual([])
  })
})

describe('converting a token (spec 9.2.3)', () => {
  test('sets the accessor of a client token and nothing else, not even the hash', () => {
    const token = anUnmigratedToken()
    expect(convertForMigration(token, ACCESSOR)).toEqual({ ...token, AccessorID: ACCESSOR })
  })

  test('links a management token that has no link to global-management and renews its hash', () => {
    const token = anUnmigratedToken({ Type: 'management', Rules: '' })
    const converted = convertForMigration(token, ACCESSOR)
    expect(converted.Policies).toEqual([{ ID: GLOBAL_MANAGEMENT_POLICY_ID }])
    expect(converted.Hash).toBe(tokenHash(converted))
    expect(converted.Hash).not.toBe(token.Hash)
    expect(converted).toMatchObject({
      Type: 'management',
      CreateTime: ZERO_TIME,
      CreateIndex: 7,
      ModifyIndex: 9,
    })
  })

  test('does not link a management token that has a link or identity already', () => {
    const token = {
      ...anUnmigratedToken({ Type: 'management' }),
      ServiceIdentities: [{ ServiceName: 'web' }],
    }
    expect(convertForMigration(token, ACCESSOR).Policies).toEqual([])
  })

  test('refuses to give a second accessor', () => {
    const converted = convertForMigration(anUnmigratedToken(), ACCESSOR)
    expect(() => convertForMigration(converted, ACCESSOR)).toThrow('another')
  })
})

describe('the time of a batch (spec 8)', () => {
  test('the first goes at once, the next a second after the last one of any process', () => {
    expect(nextBatchAt(undefined, 5_000)).toBe(5_000)
    expect(nextBatchAt(5_000, 5_000)).toBe(6_000)
    expect(nextBatchAt(5_000, 5_999)).toBe(6_000)
    expect(nextBatchAt(5_000, 6_000)).toBe(6_000)
    expect(nextBatchAt(5_000, 9_000)).toBe(9_000)
  })

  test('a clock that was set back only delays it', () => {
    expect(nextBatchAt(5_000, 1_000)).toBe(6_000)
  })

  test('the record refuses a batch that is too early, too large or empty', () => {
    const record = recordBatch(NO_BATCHES, { at: 5_000, tokens: 128 })
    expect(() => recordBatch(record, { at: 5_999, tokens: 1 })).toThrow('invariant')
    expect(() => recordBatch(record, { at: 4_000, tokens: 1 })).toThrow('invariant')
    expect(() => recordBatch(record, { at: 6_000, tokens: 129 })).toThrow('invariant')
    expect(() => recordBatch(record, { at: 6_000, tokens: 0 })).toThrow('invariant')
    expect(recordBatch(record, { at: 6_000, tokens: 1 })).toEqual({
      batches: 2,
      done: 129,
      lastBatchAt: 6_000,
      run: { startedAt: 5_000, tokens: 129 },
    })
  })

  test('a batch after a long pause begins a new run for the rate', () => {
    const first = recordBatch(NO_BATCHES, { at: 0, tokens: 128 })
    expect(recordBatch(first, { at: 59_999, tokens: 1 }).run).toEqual({ startedAt: 0, tokens: 129 })
    expect(recordBatch(first, { at: 60_000, tokens: 1 })).toMatchObject({
      done: 129,
      run: { startedAt: 60_000, tokens: 1 },
    })
  })
})

test.each([
  [0, 0, 0],
  [1, 1, 0],
  [128, 1, 0],
  [129, 2, 1],
  [1_002, 8, 7],
  [10_000, 79, 78],
])(
  '%i tokens take %i batches, the last %i s after the first (decisions: upgrade)',
  (count, batches, seconds) => {
    let waiting = tokens(count)
    let record: MigrationRecord = NO_BATCHES
    let now = 1_000
    while (waiting.length > 0) {
      now = nextBatchAt(record.lastBatchAt, now)
      const done = new Set(plan(waiting).map(({ token }) => token))
      record = recordBatch(record, { at: now, tokens: done.size })
      waiting = waiting.filter((token) => !done.has(token))
    }
    expect(record).toMatchObject({ batches, done: count })
    expect(now - 1_000).toBe(seconds * 1_000)
    expect([batchCountOf(count), batchesDurationMs(count)]).toEqual([batches, seconds * 1_000])
  },
)
