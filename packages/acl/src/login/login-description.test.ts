import { refusalOf } from '@latchkey/testkit/records/refusal'
import { expect, test } from 'vitest'
import { loginDescription } from './login-description.ts'

test.each([
  [{}, 'token created via login'],
  [{ z: '2', a: '1' }, 'token created via login: {"a":"1","z":"2"}'],
  [
    { k: '<a href="x">&\\\u2028\u2029' },
    'token created via login: {"k":"\\u003ca href=\\"x\\"\\u003e\\u0026\\\\\\u2028\\u2029"}',
  ],
  [
    { k: "\n\r\t\b\f\u0000\u001f\u007f/'é" },
    'token created via login: {"k":"\\n\\r\\t\\u0008\\u000c\\u0000\\u001f\u007f/\'é"}',
  ],
  // In byte order: 𝒳 is after the private use area.
  [
    { 𝒳: '', '\uE000': '', é: '', a: '', aa: '' },
    'token created via login: {"a":"","aa":"","é":"","\uE000":"","𝒳":""}',
  ],
  [{ '\ud800': '\udc00' }, 'token created via login: {"\ufffd":"\ufffd"}'],
])('%j', (meta, description) => {
  expect(loginDescription(meta)).toBe(description)
})

test('a login in a browser says so', () => {
  expect(loginDescription({}, 'oidc')).toBe('token created via OIDC login')
})

test('Meta has at most 64 entries and 2 KiB as it is written', () => {
  const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}`, '']))
  const bytes = (count: number) => ({ k: 'a'.repeat(count - '{"k":""}'.length) })
  expect(() => loginDescription(entries(64))).not.toThrow()
  expect(() => loginDescription(bytes(2_048))).not.toThrow()
  for (const meta of [entries(65), bytes(2_049), { k: '<'.repeat(400) }]) {
    expect(refusalOf(() => loginDescription(meta))).toMatchObject({ code: 'field_too_long', field: 'Meta' })
  }
})
