import { expect, test } from 'vitest'
import { type MigrationState, migrationProgress, NO_BATCHES, recordBatch } from './migration.ts'

const progress = (fields: Partial<MigrationState>) =>
  migrationProgress({
    record: NO_BATCHES,
    remaining: 0,
    aclMode: { mode: 'enabled', since: 0 },
    isPrimary: true,
    now: 10_000,
    ...fields,
  })

const first = recordBatch(NO_BATCHES, { at: 10_000, tokens: 128 })
const second = recordBatch(first, { at: 11_000, tokens: 128 })

test('waits in legacy mode and in a secondary, with the minimum time as the estimate (spec 9.2.3)', () => {
  const expected = { state: 'waiting', done: 0, total: 10_000, batches: 0, rate: 0, estimateSeconds: 78 }
  expect(progress({ remaining: 10_000, aclMode: { mode: 'legacy' } })).toEqual(expected)
  expect(progress({ remaining: 10_000, isPrimary: false })).toEqual(expected)
})

test('counts done and remaining tokens, and the minimum seconds to the last batch (spec 8)', () => {
  expect(progress({ record: first, remaining: 129 })).toEqual({
    state: 'running',
    done: 128,
    total: 257,
    batches: 1,
    rate: 128,
    estimateSeconds: 2,
  })
  expect(progress({ record: first, remaining: 1, now: 10_400 }).estimateSeconds).toBe(0.6)
  expect(progress({ record: first, remaining: 1, now: 99_000 }).estimateSeconds).toBe(0)
})

test('the rate ignores the time since the last batch', () => {
  expect(progress({ record: second, remaining: 5, now: 11_900 }).rate).toBe(128)
  const slow = recordBatch(second, { at: 15_000, tokens: 44 })
  expect(progress({ record: slow, remaining: 5, now: 15_000 }).rate).toBe(50)
})

test('is done when nothing is left, and runs again when a legacy token is created (spec 9.2.4)', () => {
  expect(progress({ record: second })).toMatchObject({ state: 'done', total: 256, estimateSeconds: 0 })
  expect(progress({ record: second, remaining: 1, now: 99_000 })).toMatchObject({
    state: 'running',
    total: 257,
  })
})

test('nothing to do is done, in a secondary as well once the tokens of the primary have arrived', () => {
  expect(progress({ isPrimary: false }).state).toBe('done')
  expect(progress({})).toEqual({ state: 'done', done: 0, total: 0, batches: 0, rate: 0, estimateSeconds: 0 })
})
