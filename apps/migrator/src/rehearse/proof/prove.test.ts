/** Every proof fails if its fact differs, and holds at its bound. */
import { expect, test } from 'vitest'
import { aScenario } from '../../../test/scenario.ts'
import type { TokenFaults } from '../steps/tokens.ts'
import type { IntentionsFound } from './intentions.ts'
import type { Simulated } from './measured.ts'
import { type Findings, prove } from './prove.ts'
import type { RightsProof } from './rights.ts'

const { workloads } = aScenario({ workloads: [{ name: 'console', kind: 'new', rate: 1 }] })

/** Clients that saw legacy mode in each of these times. */
const saw = (...spans: readonly (readonly [from: number, to: number])[]) =>
  new Map([
    [
      'console',
      new Map([
        [
          'legacy-mode',
          {
            first: spans[0]?.[0] ?? 0,
            last: spans.at(-1)?.[1] ?? 0,
            count: 10,
            spans: spans.map(([from, to]) => ({ from, to })),
          },
        ],
      ]),
    ],
  ])

const SIMULATED: Simulated = {
  servers: { s1: { datacenter: 'dc1', version: '1.4.0', mode: 'new', newModeAt: 10, legacyMode: [] } },
  migration: {
    tokens: 300,
    batches: 3,
    sizes: [128, 128, 44],
    firstBatchAt: 10,
    lastBatchAt: 110,
    remaining: 0,
    conflicts: 0,
    localTokens: 0,
  },
  orderedSizes: [],
  endsLegacyMode: true,
  secondaries: {},
  intentions: { dc1: 'done' },
  editedDestinations: new Set(['b']),
  refusedWrites: 1,
  windows: saw([1_000, 10_000]),
  violations: [],
  verdict: 'go',
  reasons: [],
}

const TOKENS: TokenFaults = {
  tokens: 302,
  accessors: 302,
  lost: 0,
  withoutAccessor: 0,
  returned: 0,
  misplaced: 0,
  lostEdits: 0,
}
const RIGHTS: RightsProof = { tokens: 302, questions: 900, notPresentable: 0, differences: [] }
const FOUND: Findings = {
  servers: { s1: { mode: 'new', newModeAt: 10 } },
  migration: {
    tokens: 300,
    batches: 3,
    sizes: [128, 128, 44],
    firstBatchAt: 10,
    lastBatchAt: 110,
    smallestGapMs: 1_000,
  },
  endedBy: ['s1'],
  secondaries: [],
  intentions: {
    ...{ created: ['a => b', 'a => c'], listed: ['a => b', 'a => c'], states: { dc1: 'done' } },
    fields: [
      { name: 'a => b', destination: 'b', kept: [], hasId: false },
      { name: 'a => c', destination: 'c', kept: ['ID', 'LegacyID'], hasId: true },
    ],
  },
  refusedWrites: ['removed'],
  edits: 5,
  tokens: TOKENS,
  rights: RIGHTS,
  refusedRecords: [],
  workloads,
  windows: SIMULATED.windows,
  stalls: [],
  isDisturbed: false,
}

const failing = (found: Findings) =>
  prove(found, SIMULATED).flatMap(({ name, holds }) => (holds ? [] : [name]))

test('MIG-04: all proofs hold where nothing differs', () => {
  expect(failing(FOUND)).toEqual([])
})

const { migration } = FOUND
const ACCESSORS = 'every token has exactly one accessor'
const MODES = 'the mode of each server matches the simulation'
const BATCHES = 'the batch sizes match the simulation'
const TIMES = 'the batch times match the simulation'
const CONSOLE = 'what console saw matches the simulation'

test.each<[string, Partial<Findings>, string]>([
  ['a token is gone', { tokens: { ...TOKENS, lost: 1 } }, ACCESSORS],
  ['a token has no accessor', { tokens: { ...TOKENS, withoutAccessor: 1 } }, ACCESSORS],
  ['two tokens share an accessor', { tokens: { ...TOKENS, accessors: 301 } }, ACCESSORS],
  ['a deleted token exists', { tokens: { ...TOKENS, returned: 1 } }, ACCESSORS],
  ['a local token is in another datacenter', { tokens: { ...TOKENS, misplaced: 1 } }, ACCESSORS],
  ['an edit is lost', { tokens: { ...TOKENS, lostEdits: 1 } }, 'no edit is lost'],
  [
    'a right is lost',
    { rights: { ...RIGHTS, differences: ['token 0: lost key:read'] } },
    'no secret gained or lost a right',
  ],
  [
    'two batches are 999 ms apart',
    { migration: { ...migration, smallestGapMs: 999 } },
    'the batch limits held',
  ],
  ['the mode ended twice', { endedBy: ['s1', 's2'] }, 'legacy mode ended once'],
  ['a server is in another mode', { servers: { s1: { mode: 'legacy', newModeAt: null } } }, MODES],
  ['a server left the mode 2 s later', { servers: { s1: { mode: 'new', newModeAt: 12 } } }, MODES],
  ['a batch has another size', { migration: { ...migration, sizes: [128, 127, 45] } }, BATCHES],
  [
    'a token fewer was migrated after a takeover, and none was deleted',
    { isDisturbed: true, migration: { ...migration, tokens: 299, sizes: [128, 128, 43] } },
    BATCHES,
  ],
  ['the batches take 2.1 % longer', { migration: { ...migration, lastBatchAt: 112.1 } }, TIMES],
  ['the first batch is 2 s late', { migration: { ...migration, firstBatchAt: 12, lastBatchAt: 112 } }, TIMES],
  [
    'another write was refused',
    { refusedWrites: ['removed', 'removed'] },
    'the refused writes match the simulation',
  ],
  [
    'a record of the dump is refused',
    { refusedRecords: ['[3].ID is empty'] },
    'every record of the dump was imported',
  ],
  ['clients saw an error for longer', { windows: saw([1_000, 14_000]) }, CONSOLE],
  ['clients saw no error', { windows: new Map() }, CONSOLE],
  ['clients saw an error again, for long', { windows: saw([1_000, 10_000], [40_000, 50_000]) }, CONSOLE],
  ['clients saw an error at its end alone', { windows: saw([9_000, 10_000]) }, CONSOLE],
  [
    'a server left the mode 5 s later, of which 3 s were a stall',
    { servers: { s1: { mode: 'new', newModeAt: 15 } }, stalls: [{ from: 9_000, to: 13_000 }] },
    MODES,
  ],
  [
    'the batches come half as often, on a machine that stalls, without anything to disturb them',
    { migration: { ...migration, lastBatchAt: 210 }, stalls: [{ from: 10_000, to: 210_000 }] },
    TIMES,
  ],
  [
    'the batches come half as often after a takeover, and a part of that were stalls',
    {
      isDisturbed: true,
      migration: { ...migration, lastBatchAt: 210 },
      stalls: [{ from: 10_000, to: 90_000 }],
    },
    TIMES,
  ],
])('%s', (_, change, name) => {
  expect(failing({ ...FOUND, ...change })).toEqual([name])
})

test.each<[string, Partial<Findings>]>([
  ['the batches take 2 % longer', { migration: { ...migration, lastBatchAt: 112 } }],
  ['a server left the mode within a look', { servers: { s1: { mode: 'new', newModeAt: 11 } } }],
  [
    'a server left the mode 5 s later, of which 4 s were a stall',
    { servers: { s1: { mode: 'new', newModeAt: 15 } }, stalls: [{ from: 10_500, to: 14_500 }] },
  ],
  [
    'clients saw an error for 4 s longer, all of them stalls',
    { windows: saw([1_000, 14_000]), stalls: [{ from: 9_000, to: 15_000 }] },
  ],
  ['clients saw an error again, for a moment', { windows: saw([1_000, 10_000], [40_000, 40_000]) }],
  [
    'a takeover stalled',
    {
      isDisturbed: true,
      migration: { ...migration, lastBatchAt: 117 },
      stalls: [{ from: 50_000, to: 54_000 }],
    },
  ],
  [
    'writes one by one moved tokens to another batch',
    { isDisturbed: true, migration: { ...migration, batches: 4, sizes: [128, 128, 40, 4] } },
  ],
])('holds if %s', (_, change) => {
  expect(failing({ ...FOUND, ...change })).toEqual([])
})

test('with deletions the sizes are exact, except for those that were in flight during a batch', () => {
  const holds = (last: number, ordered: readonly number[]) => {
    const found = { ...FOUND, isDisturbed: true, migration: { ...migration, sizes: [128, 128, last] } }
    const proofs = prove(found, { ...SIMULATED, orderedSizes: ordered.map((size) => [128, 128, size]) })
    return proofs.find(({ name }) => name === BATCHES)?.holds
  }
  expect([42, 43, 44].map((last) => holds(last, [43, 43]))).toEqual([false, true, false])
  expect([42, 43, 44, 45].map((last) => holds(last, [43, 44]))).toEqual([false, true, true, false])
})

test('a workload that our service has no calls for is named, not proved', () => {
  const { workloads: others } = aScenario({ workloads: [{ name: 'balancer', kind: 'tag-filter' }] })
  const proofs = prove({ ...FOUND, workloads: others }, SIMULATED)
  expect(proofs.at(-1)?.detail).toBe('not rehearsed: a rehearsal makes no calls of kind tag-filter')
})

test('clients that saw an error all along did not see it as in two simulated bursts', () => {
  const simulated = { ...SIMULATED, windows: saw([1_000, 10_000], [50_000, 60_000]) }
  const calls = Array.from({ length: 60 }, (_, i) => [(i + 1) * 1_000, (i + 1) * 1_000] as const)
  const inBursts = calls.filter(([at]) => at <= 10_000 || at >= 50_000)
  const proofs = [calls, inBursts].map((each) => prove({ ...FOUND, windows: saw(...each) }, simulated))
  expect(proofs.map((all) => all.find(({ name }) => name === CONSOLE)?.holds)).toEqual([false, true])
})

test('an intention that is gone, or twice, and another state of their migration fail (spec 9.5)', () => {
  const { intentions } = FOUND
  if (intentions === undefined) throw new TypeError('it has intentions')
  const ONCE = 'every intention exists exactly once'
  const failingWith = (change: Partial<IntentionsFound>) =>
    failing({ ...FOUND, intentions: { ...intentions, ...change } })
  expect(failingWith({ listed: ['a => b'] })).toEqual([ONCE])
  expect(failingWith({ listed: ['a => b', 'a => c', 'a => b'] })).toEqual([ONCE])
  expect(failingWith({ states: { dc1: 'waiting' } })).toEqual([
    'the progress of the intention migration matches the simulation',
  ])
})

test('an edited intention that keeps a field of the ID-based API fails, and another that loses its ID (spec 9.5.3)', () => {
  const { intentions } = FOUND
  const [edited, other] = intentions?.fields ?? []
  if (intentions === undefined || !edited || !other) throw new TypeError('it has two intentions')
  const detailOf = (...fields: IntentionsFound['fields']) =>
    prove({ ...FOUND, intentions: { ...intentions, fields } }, SIMULATED).flatMap((proof) =>
      proof.holds ? [] : [proof.detail],
    )
  expect(detailOf(edited, other)).toEqual([])
  expect(detailOf({ ...edited, hasId: true }, other)).toEqual(['a => b is still known by its ID'])
  expect(detailOf({ ...edited, kept: ['LegacyMeta'] }, other)).toEqual(['a => b still has LegacyMeta'])
  expect(detailOf(edited, { ...other, hasId: false })).toEqual(['a => c is unknown by its ID'])
})
