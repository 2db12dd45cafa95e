import { aMethod } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import type { AuthMethodRecord } from '../records/login-records.ts'
import { DecodingVerifier, unsignedToken } from './decoding-verifier.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const SECONDS = NOW / 1_000
const METHOD = aMethod({ Config: { BoundIssuer: 'i', BoundAudiences: ['a'] } })
const verify = (bearer: string, method = METHOD) => new DecodingVerifier().verify(method, bearer, NOW)

test('claims are read without checking header and signature', async () => {
  const claims = { iss: 'i', aud: 'a', name: 'Ada \u{1f511}' }
  const read = { ...claims, iat: SECONDS, exp: SECONDS + 3_600 }
  const [, payload] = unsignedToken(claims, NOW).split('.')
  for (const bearer of [unsignedToken(claims, NOW), ` e30.${payload}.c2lnbmF0dXJl\n`]) {
    expect(await verify(bearer)).toEqual({ outcome: 'verified', claims: read })
  }
})

test.each([
  ['another issuer', { iss: 'x' }, 'issuer_invalid'],
  ['an issuer that is not a string', { iss: 5 }, 'claims_malformed'],
])('%s is refused', async (_title, claims, reason) => {
  const bearer = unsignedToken({ iss: 'i', aud: 'a', ...claims }, NOW)
  expect(await verify(bearer)).toEqual({ outcome: 'refused', reason })
})

test.each([
  '',
  'a',
  'e30.e30',
  'e30..e30',
  '.e30.',
  'e30.e30.a.b',
  'e30.W10.',
  'e30.!.',
  'e30._w.',
  'e30.e30x.',
])('the text %j is not a token', async (bearer) => {
  expect(await verify(bearer)).toEqual({ outcome: 'refused', reason: 'token_malformed' })
})

test('a service account has no issuer, audience or times', async () => {
  const claims = { namespace: 'shop', name: 'web', iat: null, exp: null }
  const kubernetes = { ...METHOD, Type: 'kubernetes' } as AuthMethodRecord
  expect(await verify(unsignedToken(claims, NOW), kubernetes)).toEqual({ outcome: 'verified', claims })
})
