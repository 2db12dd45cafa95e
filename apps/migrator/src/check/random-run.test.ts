import { nextBatch } from '@latchkey/acl'
import { expect, test } from 'vitest'
import { randomScenario } from '../../test/random-scenario.ts'
import { historyOf } from '../../test/scenario.ts'
import type { HistoryRecord } from '../simulate/history.ts'
import { latchkeyModel } from '../simulate/models/latchkey-model.ts'
import type { UpgradeModel } from '../simulate/models/model.ts'
import { serviceModel } from '../simulate/models/service-model.ts'
import { type History, simulate } from '../simulate/run.ts'
import { checkHistory } from './checkers.ts'

/** Set LATCHKEY_SEEDS to run more seeds, such as 10000. A failure names its seed. */
const SEEDS = Number(process.env.LATCHKEY_SEEDS ?? 1_500)

/** The first random upgrade that violates a rule. */
function firstFailure(seeds: number, model: UpgradeModel) {
  for (let seed = 1; seed <= seeds; seed++) {
    const rules = checkHistory(simulate(randomScenario(seed), model)).map(({ rule }) => rule)
    if (rules.length > 0) return { seed, rules }
  }
  return undefined
}

test.each([serviceModel, latchkeyModel])(
  `MIG-01, MIG-02: ${SEEDS} random upgrades keep every rule`,
  (model) => {
    expect(firstFailure(SEEDS, model)).toBeUndefined()
  },
  300_000,
)

/** Models with one wrong rule each, because a checker that has never failed proves nothing. */
const BUGS: readonly (readonly [string, string, (model: UpgradeModel) => Partial<UpgradeModel>])[] = [
  [
    'a leader does not wait for servers older than 1.4.0',
    'not early',
    ({ waitsFor }) => ({
      waitsFor: (look) => waitsFor({ ...look, own: look.own.filter(({ mode }) => mode !== 'old') }),
    }),
  ],
  [
    'a leader does not wait for servers with ACLs switched off',
    'not early',
    ({ waitsFor }) => ({
      waitsFor: (look) => waitsFor({ ...look, own: look.own.filter(({ mode }) => mode !== 'off') }),
    }),
  ],
  [
    'a follower decides like a leader, without waiting for it',
    'followers wait',
    ({ waitsFor }) => ({
      waitsFor: (look) => waitsFor(look.role === 'follower' ? { ...look, role: 'leader' } : look),
    }),
  ],
  [
    'a secondary does not wait for the primary',
    'primary first',
    ({ waitsFor }) => ({ waitsFor: (look) => waitsFor({ ...look, isPrimary: true }) }),
  ],
  ['a batch holds 129 tokens', 'law', () => ({ nextBatch: (waiting) => nextBatch(waiting, 129) })],
  [
    'a batch follows the one before after 900 ms',
    'law',
    () => ({
      nextPassMs: ({ lastPassMs = Number.NEGATIVE_INFINITY }, now) => Math.max(now, lastPassMs + 900),
    }),
  ],
  [
    'a server looks a few times and then never again for a day',
    'liveness',
    ({ lookDelayMs }) => ({ lookDelayMs: (n) => (n < 4 ? lookDelayMs(n) : 86_400_000) }),
  ],
]

test.each(BUGS)('a bug in a model is caught: %s', (name, rule, plant) => {
  const caught = (model: UpgradeModel) => firstFailure(500, { ...model, ...plant(model) })?.rules
  expect(caught(serviceModel)).toContain(rule)
  // Latchkey servers have no followers.
  if (!name.startsWith('a follower')) expect(caught(latchkeyModel)).toBeDefined()
})

/** An upgrade of 300 tokens, three of which a client edits. */
const sound = historyOf({ legacyTokens: 300, events: [{ kind: 'edit-tokens', at: 0.01, count: 3 }] })

function withRecords(change: (each: HistoryRecord) => HistoryRecord): History {
  return { ...sound, records: sound.records.map(change) }
}

function withStores(change: Partial<History['stores'][number]>): History {
  return { ...sound, stores: sound.stores.map((each) => ({ ...each, ...change })) }
}

test.each<readonly [string, string, History]>([
  [
    'a batch too soon',
    'law',
    withRecords((each) => (each.kind === 'batch' ? { ...each, at: Math.round(each.at / 2) } : each)),
  ],
  [
    'a token in two batches',
    'one accessor',
    withRecords((each) => (each.kind === 'batch' ? { ...each, tokens: [[0, 128]] } : each)),
  ],
  [
    'an accessor of two tokens',
    'one accessor',
    withRecords((each) => (each.kind === 'batch' ? { ...each, accessorFrom: 0 } : each)),
  ],
  [
    'a return to legacy mode',
    'never back',
    {
      ...sound,
      records: [
        ...sound.records,
        { at: sound.endedAt, kind: 'mode', server: 's1', datacenter: 'dc1', mode: 'legacy' },
      ],
    },
  ],
  ['an edit that is gone', 'no lost edit', withStores({ writes: new Map([[0, 0]]) })],
  ['a token without an accessor', 'liveness', withStores({ unmigrated: [[299, 300]] })],
])('checkers read only the history: they detect %s', (_, rule, history) => {
  expect(checkHistory(history).map((each) => each.rule)).toContain(rule)
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
