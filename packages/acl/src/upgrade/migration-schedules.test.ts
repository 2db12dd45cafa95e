import { SeededRandom } from '@latchkey/testkit/random'
import { anUnmigratedToken } from '@latchkey/testkit/upgrade/builders'
import { checkMigration } from '@latchkey/testkit/upgrade/check-migration'
import { type MigrationStep, MigrationWorld, PROCESSES } from '@latchkey/testkit/upgrade/migration-world'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MigrationRecord } from '../records/system-records.ts'
import { NO_BATCHES, nextBatchAt, type planBatch as PlanBatch, planBatch, recordBatch } from './migration.ts'

const anyProcess = fc.constantFrom(...PROCESSES)
const anyToken = fc.nat(500)
const anyStep: fc.Arbitrary<MigrationStep> = fc.oneof(
  { weight: 8, arbitrary: anyProcess.map((process): MigrationStep => ({ kind: 'work', process })) },
  { weight: 2, arbitrary: anyProcess.map((process): MigrationStep => ({ kind: 'kill', process })) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(1, 300, 999, 1_000, 2_500).map((ms): MigrationStep => ({ kind: 'pass', ms })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(1, 5, 130).map((count): MigrationStep => ({ kind: 'create', count })),
  },
  { weight: 4, arbitrary: anyToken.map((token): MigrationStep => ({ kind: 'edit', token })) },
  { weight: 1, arbitrary: anyToken.map((token): MigrationStep => ({ kind: 'delete', token })) },
)
const anySchedule = fc
  .array(anyStep, { maxLength: 60, size: 'max' })
  .map((steps) => [{ kind: 'create', count: 200 } as const, ...steps])

/** The faults after a schedule, once one process has finished the work. */
function faultsOf(steps: readonly MigrationStep[], planner: typeof PlanBatch = planBatch): readonly string[] {
  const { batches, tokens, descriptions } = new MigrationWorld(planner).run(steps).settle()
  return checkMigration({ batches, tokens: tokens.values(), descriptions })
}

test('MIG-01, MIG-03: with three processes that all believe to be elected, kills and edits, each token gets one accessor within the rate limit, and no edit is lost (spec 8, 9.2.3)', () => {
  fc.assert(
    fc.property(anySchedule, (steps) => {
      expect(faultsOf(steps)).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('an undisturbed migration takes ceil(N / 128) batches in the order of creation (decisions: upgrade)', () => {
  const { batches } = new MigrationWorld().run([{ kind: 'create', count: 1_000 }]).settle()
  expect(batches.map(({ tokens }) => tokens.length)).toEqual([128, 128, 128, 128, 128, 128, 128, 104])
  expect(batches.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((second) => second * 1_000))
  const order = batches.flatMap(({ tokens }) => tokens.map((token) => token.CreateIndex))
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test('an edit between plan and commit wins; the next batch takes its token (decisions: upgrade)', () => {
  const world = new MigrationWorld().run([
    { kind: 'create', count: 3 },
    { kind: 'work', process: 0 },
    { kind: 'edit', token: 1 },
    { kind: 'work', process: 0 },
  ])
  expect(world.batches.map(({ tokens }) => tokens.length)).toEqual([2])
  world.settle()
  expect(world.batches.map(({ tokens }) => tokens.length)).toEqual([2, 1])
  expect(world.tokens.get('secret-2')?.Description).toMatch(/^edited/)
})

test('MIG-01: 1,000,000 tokens, three competing processes: never over 128, never two batches in a second (spec 8)', () => {
  const total = 1_000_000
  const random = new SeededRandom(3)
  const token = anUnmigratedToken()
  const next128 = (from: number) =>
    Array.from({ length: Math.min(128, total - from) }, (_, i) => ({ ...token, CreateIndex: from + i }))
  const commits: { readonly at: number; readonly tokens: number }[] = []
  let record: MigrationRecord = NO_BATCHES
  let now = 0
  while (record.done < total) {
    // Each process reads the record, waits until its time, wakes up to 255 ms late, and commits unless another process
    // was first.
    const seen = record
    const wakes = PROCESSES.map(() => nextBatchAt(seen.lastBatchAt, now) + random.below(256))
    for (const at of wakes.toSorted((a, b) => a - b)) {
      now = at
      if (record !== seen) continue
      const planned = planBatch(next128(seen.done), { random, isTaken: () => false })
      record = recordBatch(record, { at, tokens: planned.length })
      commits.push({ at, tokens: planned.length })
    }
  }
  expect(commits).toHaveLength(Math.ceil(total / 128))
  expect(Math.max(...commits.map((commit) => commit.tokens))).toBe(128)
  const gaps = commits.slice(1).map((commit, i) => commit.at - (commits[i]?.at ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000)
  expect(commits.reduce((sum, commit) => sum + commit.tokens, 0)).toBe(total)
})

describe('the checks catch a planner that', () => {
  const broken: readonly [string, typeof PlanBatch][] = [
    [
      'takes one token more than 128',
      (tokens, ids) => [
        ...planBatch(tokens, ids),
        ...planBatch(tokens.filter((t) => t.AccessorID === '').slice(128, 129), ids),
      ],
    ],
    [
      'gives an accessor to a token that has one',
      (tokens, ids) =>
        planBatch(
          tokens.map((token) => ({ ...token, AccessorID: '' })),
          ids,
        ),
    ],
    [
      'gives one accessor to all',
      (tokens, ids) =>
        planBatch(tokens, ids).map((planned, _, all) => ({
          ...planned,
          accessorId: all[0]?.accessorId ?? '',
        })),
    ],
    ['takes the youngest first', (tokens, ids) => planBatch(tokens, ids).toReversed()],
    [
      'plans on the token before an edit, with the ModifyIndex after it',
      (tokens, ids) =>
        planBatch(tokens, ids).map((planned) => ({
          ...planned,
          token: { ...planned.token, Description: 'new' },
        })),
    ],
  ]

  test.each(broken)('%s', (_, planner) => {
    const caught = fc.check(
      fc.property(anySchedule, (steps) => {
        try {
          return faultsOf(steps, planner).length === 0
        } catch {
          // An invariant of the rules stopped it first.
          return false
        }
      }),
      { numRuns: 300, endOnFailure: true },
    )
    expect(caught.failed).toBe(true)
  })
})
