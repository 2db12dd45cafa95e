import { expect, test } from 'vitest'
import { resultOf, threeServers } from '../../test/scenario.ts'

const migrationOf = (legacyTokens: number, rest: object = {}) =>
  resultOf({ legacyTokens, ...rest }).migration.dc1

test.each([
  { tokens: 1, batches: 1, seconds: 0, last: 1 },
  { tokens: 128, batches: 1, seconds: 0, last: 128 },
  { tokens: 129, batches: 2, seconds: 1, last: 1 },
  { tokens: 10_002, batches: 79, seconds: 78, last: 18 },
  { tokens: 100_000, batches: 782, seconds: 781, last: 32 },
])(
  '$tokens tokens are $batches batches, the last $seconds s after the first (spec 8)',
  ({ tokens, batches, seconds, last }) => {
    const migration = migrationOf(tokens)
    expect(migration).toMatchObject({ tokens, batches, firstBatchAt: 0.05, remaining: 0 })
    expect(migration?.lastBatchAt).toBeCloseTo(0.05 + seconds, 6)
    expect(migration?.sizes.at(-1)).toBe(last)
    expect(migration?.sizes.slice(0, -1).every((size) => size === 128)).toBe(true)
  },
)

test('no token, no batch', () => {
  expect(migrationOf(0)).toMatchObject({ tokens: 0, batches: 0, firstBatchAt: null, lastBatchAt: null })
})

test('the first batch is written as the leader leaves legacy mode, without waiting', () => {
  expect(migrationOf(10_000, { datacenters: threeServers(0, 10, 20) })).toMatchObject({
    batches: 79,
    firstBatchAt: 25.55,
    lastBatchAt: 103.55,
  })
})

test('MIG-03: each conflict costs a place in a later batch, and the edit stays', () => {
  const migration = migrationOf(256, { events: [{ kind: 'edit-tokens', at: 0, count: 3, racing: true }] })
  expect(migration).toMatchObject({ tokens: 256, sizes: [125, 128, 3], conflicts: 3, remaining: 0 })
})

test('an edit between the read and the write of a batch is a conflict; an earlier edit is not', () => {
  const edits = (at: number) =>
    migrationOf(128, { commitTime: 0.2, events: [{ kind: 'edit-tokens', at, count: 2 }] })
  expect(edits(0.04)?.sizes).toEqual([128])
  expect(edits(0.1)?.sizes).toEqual([126, 2])
})

test('a token created while the loop is busy waits for its next second; an idle loop takes it at once', () => {
  const { timeline, migration } = resultOf({
    legacyTokens: 128,
    events: [
      { kind: 'create-tokens', at: 0.4, count: 1 },
      { kind: 'create-tokens', at: 10.7, count: 5 },
    ],
  })
  const batches = timeline.filter(({ kind }) => kind === 'batch').map(({ at }) => at)
  expect(batches).toEqual([0.05, 1.05, 10.7])
  expect(migration.dc1?.sizes).toEqual([128, 1, 5])
})

test('a pass that finds nothing counts too: a token created right after it waits a second', () => {
  const { timeline } = resultOf({ legacyTokens: 0, events: [{ kind: 'create-tokens', at: 0.5, count: 1 }] })
  expect(timeline.filter(({ kind }) => kind === 'batch').map(({ at }) => at)).toEqual([1.05])
})

test('without a majority there is no leader, and the migration stops', () => {
  const { migration, findings, verdict } = resultOf({
    legacyTokens: 1_000,
    datacenters: threeServers(0, 0, 0),
    events: [
      { kind: 'crash', at: 2.5, server: 's1' },
      { kind: 'crash', at: 2.6, server: 's2' },
    ],
  })
  expect(migration.dc1).toMatchObject({ batches: 3, remaining: 616 })
  expect(findings.map(({ id }) => id)).toEqual(expect.arrayContaining(['no-leader', 'accessors-missing']))
  const detailOf = (all: typeof findings) => all.find(({ id }) => id === 'no-leader')?.detail
  expect(detailOf(findings)).toMatch(/: fewer than 2 of its servers are up$/)
  expect(verdict).toBe('no-go')
  const alone = resultOf({
    datacenters: [{ name: 'dc1', servers: [{ id: 's1', start: 0 }] }],
    events: [{ kind: 'crash', at: 2.5, server: 's1' }],
  })
  expect(detailOf(alone.findings)).toMatch(/: none of its servers is up$/)
})

test('from 1.11 the loop ends at its first empty pass: without the legacy API there can be no later tokens', () => {
  const { timeline } = resultOf({
    version: '1.11.0',
    legacyTokens: { management: 3 },
    events: [{ kind: 'create-tokens', at: 30, count: 1 }],
  })
  expect(timeline.filter(({ kind }) => kind === 'batch')).toHaveLength(1)
  expect(timeline.find(({ kind }) => kind === 'tokens-created')?.detail).toContain('removed in 1.11')
})

test('a batch that is undone every second succeeds at the next second after its bad token is deleted', () => {
  const { timeline, migration, findings } = resultOf({
    legacyTokens: [{ count: 1, unwritable: true }, { count: 299 }],
    events: [
      { kind: 'delete-tokens', at: 10.3, count: 1, offset: 1 },
      { kind: 'delete-tokens', at: 20.3, count: 1 },
    ],
  })
  const batches = timeline.filter(({ kind }) => kind.startsWith('batch')).map(({ at }) => at)
  expect(batches).toEqual([0.05, 21.05, 22.05, 23.05])
  expect(migration.dc1).toMatchObject({ tokens: 298, remaining: 0 })
  expect(findings.find(({ id }) => id === 'batch-undone')).toMatchObject({
    severity: 'warning',
    from: 0.05,
    to: 21.05,
  })
})
