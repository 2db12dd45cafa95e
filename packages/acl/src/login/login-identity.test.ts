import { expect, test } from 'vitest'
import { loginIdentity } from './login-plan.ts'

test.each([
  ['the subject', { sub: 'project:shop' }, 'project:shop'],
  ['a subject of 256 characters', { sub: 's'.repeat(256) }, 's'.repeat(256)],
  ['no subject', { name: 'anna' }, ''],
  ['a subject that is not a string', { sub: ['anna'] }, ''],
  ['an inherited subject', Object.create({ sub: 'anna' }), ''],
  ['a subject with half a surrogate pair', { sub: 'a\ud800' }, 'a\ufffd'],
])('the identity of %s', (_, claims, identity) => {
  expect(loginIdentity(claims)).toBe(identity)
})

test('long subjects are cut, and stay different', () => {
  const [a, b] = ['a', 'b'].map((end) => loginIdentity({ sub: `${'😀'.repeat(200)}${end}` }))
  expect(a).toMatch(/^(😀){64}…[0-9a-f]{64}$/u)
  expect(a).not.toBe(b)
})
