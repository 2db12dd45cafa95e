import { expect, test } from 'vitest'
import { nearestName, refuseUnknownNames } from './nearest-name.ts'

test.each([
  ['tokn', 'token'],
  ['retrys', 'retries'],
  ['expiration_ttl', 'ExpirationTTL'],
  ['gohsts', 'ghosts'],
  ['time-out', 'timeout'],
  ['attempt', undefined],
  ['s11', 's1'],
  ['y', undefined],
])('%s is probably %s', (written, meant) => {
  const known = ['x', 's1', 'token', 'retries', 'ExpirationTTL', 'ghosts', 'timeout', 'attemptTimeout']
  expect(nearestName(written, known)).toBe(meant)
})

test('an unknown name is a TypeError that suggests the nearest, or lists all', () => {
  const known = ['token', 'retries']
  refuseUnknownNames('option', { token: undefined }, known)
  expect(() => refuseUnknownNames('option', { token: 1, retrys: undefined }, known)).toThrow(
    new TypeError('there is no option named "retrys"; did you mean retries?'),
  )
  expect(() => refuseUnknownNames('option', { other: 1 }, known)).toThrow(
    new TypeError('there is no option named "other", only token, retries'),
  )
})
