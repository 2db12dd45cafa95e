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

test('claims that the check refuses are refused', async () => {
  const bearer = unsignedToken({ iss: 5, aud: 'a' }, NOW)
  expect(await verify(bearer)).toEqual({ outcome: 'refused', reason: 'claims_malformed' })
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
