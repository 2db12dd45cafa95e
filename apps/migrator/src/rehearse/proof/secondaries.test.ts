/** Every proof of a secondary fails if its fact differs, and holds at its bound. */
import { expect, test } from 'vitest'
import { type SecondaryFound, type SecondarySimulated, secondaryProofs } from './secondaries.ts'

const FOUND: SecondaryFound = {
  datacenter: 'dc2',
  endedBy: ['b1'],
  copies: { withAccessor: 302, withoutAccessor: 0, ghosts: 0, missing: 0, misplaced: 0, differing: 0 },
  rights: { tokens: 302, questions: 900, notPresentable: 0, differences: [] },
  completeAt: 20,
  delayMsMax: 0,
}
const SIMULATED: SecondarySimulated = { endsLegacyMode: true, withoutAccessor: 0, completeAt: 20 }

/** Names of the proofs that fail. */
const failed = (found: Partial<SecondaryFound>, simulated: Partial<SecondarySimulated> = {}) =>
  secondaryProofs(
    { ...FOUND, ...found },
    { ...SIMULATED, ...simulated },
    { slackMs: 1_000, share: 0, stalls: [{ from: 0, to: 500 }] },
  ).flatMap(({ name, holds }) => (holds ? [] : [name]))

const copies = (fields: object) => ({ copies: { ...FOUND.copies, ...fields } as SecondaryFound['copies'] })
const COPIES = ['the tokens of dc2 match the primary']
const TIME = ['the accessors reached dc2 as simulated']

test('all hold where the servers did what was simulated', () => {
  expect(failed({})).toEqual([])
  expect(failed({ copies: undefined, rights: undefined })).toEqual([])
})

test('legacy mode ends once, or not at all', () => {
  expect(failed({ endedBy: [] })).toEqual(['legacy mode of dc2 ended once'])
  expect(failed({ endedBy: ['b1', 'b2'] })).toEqual(['legacy mode of dc2 ended once'])
  expect(failed({}, { endsLegacyMode: false })).toEqual(['legacy mode of dc2 did not end, as simulated'])
  expect(failed({ endedBy: [] }, { endsLegacyMode: false })).toEqual([])
})

test.each([{ withoutAccessor: 1 }, { ghosts: 1 }, { missing: 1 }, { misplaced: 1 }, { differing: 1 }])(
  '%j is no copy of the primary',
  (fields) => {
    expect(failed(copies(fields))).toEqual(COPIES)
  },
)

test('copies that stay without an accessor, as simulated, may have no original', () => {
  const stuck = { withAccessor: 0, withoutAccessor: 302, ghosts: 3, missing: 2 }
  const found = { ...copies(stuck), completeAt: null }
  expect(failed(found, { withoutAccessor: 302, completeAt: null })).toEqual([])
})

test('a right that differs, and accessors that come too late or never, fail', () => {
  const rights = { tokens: 1, questions: 1, notPresentable: 0, differences: ['token 0: lost key:read'] }
  expect(failed({ rights })).toEqual(['no secret gained or lost a right in dc2'])
  expect(failed({ completeAt: 21 })).toEqual([])
  expect(failed({ completeAt: 21.001 })).toEqual(TIME)
  expect(failed({ completeAt: 22.5, delayMsMax: 1_500 })).toEqual([])
  expect(failed({ completeAt: null })).toEqual(TIME)
  expect(failed({}, { completeAt: null })).toEqual(TIME)
  expect(failed({}, { completeAt: undefined })).toEqual([])
})
