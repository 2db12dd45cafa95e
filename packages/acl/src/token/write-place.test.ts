import { expect, test } from 'vitest'
import { placeOfTokenWrite } from './write-place.ts'

test.each([
  ['a global token is created', undefined, undefined, 'primary'],
  ['a token that is not Local is created', undefined, false, 'primary'],
  ['a Local token is created', undefined, true, 'here'],
  ['a global token is updated, cloned or deleted', { Local: false }, undefined, 'primary'],
  ['a Local token is cloned or deleted, or updated without Local', { Local: true }, undefined, 'here'],
  ['a Local token is updated with Local: true', { Local: true }, true, 'here'],
  ['a Local token is updated with Local: false', { Local: true }, false, 'here'],
  ['a global token is updated with Local: true', { Local: false }, true, 'here'],
] as const)('%s: %o, %o: %s', (_case, existing, requestedLocal, place) => {
  expect(placeOfTokenWrite(existing, requestedLocal)).toBe(place)
})
