import { expect, test } from 'vitest'
import { BUG_NAMES, BUGS, type BugName } from '../../test/random/bugs.ts'
import { firstFailure } from '../../test/random/random-run.ts'
import { randomScenario } from '../../test/random/random-scenario.ts'
import { historyOf } from '../../test/scenario.ts'
import { latchkeyModel } from '../simulate/models/latchkey-model.ts'
import { serviceModel } from '../simulate/models/service-model.ts'
import { simulate } from '../simulate/run.ts'
import { checkHistory } from './checkers.ts'

/** Set LATCHKEY_SEEDS to run more seeds, such as 10000. A failure names its seed. */
const SEEDS = Number(process.env.LATCHKEY_SEEDS ?? 1_500)

test.each([serviceModel, latchkeyModel])(
  `MIG-01, MIG-02: ${SEEDS} random upgrades keep every rule`,
  (model) => {
    expect(firstFailure(1, SEEDS, model)).toBeUndefined()
  },
  300_000,
)

/** The checker that must find each bug. */
const FOUND_BY: Readonly<Record<BugName, string>> = {
  'flips-early': 'not early',
  'ignores-acls-off': 'not early',
  'follower-alone': 'followers wait',
  'secondary-first': 'primary first',
  'mode-back': 'never back',
  'batch-of-129': 'law',
  hasty: 'law',
  'blind-write': 'no lost edit',
  'second-accessor': 'one accessor',
  'shared-accessor': 'one accessor',
  'no-takeover': 'liveness',
  'forgets-skipped': 'liveness',
  'forgets-new': 'liveness',
  'looks-once': 'liveness',
}

test.each(BUG_NAMES)('the seeded bug %s is caught', (bug) => {
  const failure = firstFailure(1, 500, BUGS[bug].plant(serviceModel))
  expect(failure?.violations.map(({ rule }) => rule)).toContain(FOUND_BY[bug])
})

/** Latchkey servers have no followers, and read a batch again instead of skipping tokens. */
const NOT_IN_LATCHKEY: readonly BugName[] = ['follower-alone', 'forgets-skipped']

test.each(BUG_NAMES.filter((bug) => !NOT_IN_LATCHKEY.includes(bug)))(
  'the seeded bug %s is caught in the rules of our servers too',
  (bug) => {
    expect(firstFailure(1, 500, BUGS[bug].plant(latchkeyModel))).toBeDefined()
  },
)

test('the same seed gives the same history, byte by byte', () => {
  const run = () => JSON.stringify(simulate(randomScenario(42), serviceModel))
  expect(run()).toBe(run())
})

test('most random upgrades end in a healthy cluster, so that liveness is checked', () => {
  const seeds = Array.from({ length: 300 }, (_, i) => i + 1)
  const well = seeds.filter((seed) => {
    const { members, stores } = simulate(randomScenario(seed), serviceModel)
    return (
      members.every(({ mode }) => mode === 'new') && stores.every(({ unmigrated }) => unmigrated.length === 0)
    )
  })
  expect(well.length).toBeGreaterThan(200)
})

test('checkers read only the history: they detect a manual change', () => {
  const history = historyOf({ legacyTokens: 300 })
  expect(checkHistory(history)).toEqual([])
  const records = history.records.map((each) =>
    each.kind === 'batch' ? { ...each, at: Math.round(each.at / 2) } : each,
  )
  expect(checkHistory({ ...history, records }).map(({ rule }) => rule)).toContain('law')
})
