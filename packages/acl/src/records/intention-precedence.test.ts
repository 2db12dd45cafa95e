import { anIntention } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { IntentionIndex, precedenceOf } from './intention-index.ts'

const EXACT = ['default', 'x'] as const
const ANY = ['default', '*'] as const
const ALL = ['*', '*'] as const

const between = (source: readonly [string, string], destination: readonly [string, string]) =>
  anIntention({
    SourceNS: source[0],
    SourceName: source[1],
    DestinationNS: destination[0],
    DestinationName: destination[1],
  })

test('precedence counts the exact parts, those of the destination first (decisions: intentions)', () => {
  const ranked = [EXACT, ANY, ALL].flatMap((destination) =>
    [EXACT, ANY, ALL].map((source) => precedenceOf(between(source, destination))),
  )
  expect(ranked).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
})

test('the intention of the highest precedence that covers both ends decides', () => {
  const intentions = [ALL, ANY, EXACT].flatMap((destination) =>
    [ALL, ANY, EXACT].map((source) => between(source, destination)),
  )
  const asked = { SourceNS: 'default', SourceName: 'x', DestinationNS: 'default', DestinationName: 'x' }
  for (let left = intentions.length; left > 0; left -= 1) {
    const some = intentions.slice(0, left)
    const destinations = [...new Set(some.map((each) => each))].map((each) => ({
      DestinationNS: each.DestinationNS,
      DestinationName: each.DestinationName,
      Meta: {},
      CreateIndex: 1,
      ModifyIndex: 1,
    }))
    expect(new IntentionIndex(some, destinations).deciding(asked)).toBe(some.at(-1))
  }
  expect(new IntentionIndex([], []).deciding(asked)).toBeUndefined()
})

test('a wildcard is covered by wildcards alone', () => {
  const [exact, any] = [between(ANY, EXACT), between(EXACT, ANY)]
  const destinations = [exact, any].map(({ DestinationNS, DestinationName }) => ({
    DestinationNS,
    DestinationName,
    Meta: {},
    CreateIndex: 1,
    ModifyIndex: 1,
  }))
  const index = new IntentionIndex([exact, any], destinations)
  expect(index.toDestination('default', '*')).toEqual([any])
  expect(index.ofSource('default', '*')).toEqual([exact])
  expect(index.toDestination('default', 'x')).toEqual([exact, any])
})
