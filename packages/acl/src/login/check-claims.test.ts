import { describe, expect, test } from 'vitest'
import type { JwtConfig } from '../records/login-records.ts'
import { checkClaims } from './decoding-verifier.ts'
import type { LoginRefusal } from './login-refusal.ts'

const NOW_S = 1_800_000_000
const NOW = NOW_S * 1_000

/** A method with static keys, which the check of claims ignores. */
const PLAIN: JwtConfig = { JWTValidationPubKeys: [] }
const DISCOVERY: JwtConfig = { OIDCDiscoveryURL: 'https://idp.example' }
const ISSUED = { iat: NOW_S }

type Row = readonly [
  title: string,
  config: JwtConfig,
  claims: Record<string, unknown>,
  refusal: LoginRefusal | undefined,
  nowMs?: number,
]

function rows(...table: Row[]) {
  for (const [title, config, claims, refusal, nowMs = NOW] of table) {
    test(title, () => {
      expect(checkClaims(config, claims, nowMs)).toBe(refusal)
    })
  }
}

describe('times', () => {
  const at = (seconds: number) => NOW + seconds * 1_000
  rows(
    ['exp, its skew ends now', PLAIN, { exp: NOW_S, iat: NOW_S }, undefined, at(60)],
    ['exp, its skew ended 1 ms ago', PLAIN, { exp: NOW_S, iat: NOW_S }, 'token_expired', at(60) + 1],
    ['iat alone lasts 150 s and the skew', PLAIN, ISSUED, undefined, at(210)],
    ['iat alone, 1 ms later', PLAIN, ISSUED, 'token_expired', at(210) + 1],
    ['nbf alone lasts as long', PLAIN, { nbf: NOW_S }, undefined, at(210)],
    ['nbf alone, 1 ms later', PLAIN, { nbf: NOW_S }, 'token_expired', at(210) + 1],
    [
      'without exp the later of iat and nbf counts',
      PLAIN,
      { iat: NOW_S, nbf: NOW_S - 50 },
      undefined,
      at(210),
    ],
    ['the same with nbf later', PLAIN, { iat: NOW_S - 50, nbf: NOW_S }, undefined, at(210)],
    ['exp alone, 150 s and the skew away', PLAIN, { exp: NOW_S }, undefined, at(-210)],
    ['exp alone, 1 ms further', PLAIN, { exp: NOW_S }, 'token_not_yet_valid', at(-210) - 1],
    ['exp alone, an hour away', PLAIN, { exp: NOW_S + 3_600 }, 'token_not_yet_valid'],
    ['nbf within the skew', PLAIN, { nbf: NOW_S + 60 }, undefined],
    ['nbf 1 ms further', PLAIN, { nbf: NOW_S + 60 }, 'token_not_yet_valid', NOW - 1],
    ['iat within the skew', PLAIN, { iat: NOW_S + 60, nbf: NOW_S }, undefined],
    ['iat 1 ms further', PLAIN, { iat: NOW_S + 60, nbf: NOW_S }, 'token_issued_in_future', NOW - 1],
    ['nbf after exp, both within the skew', PLAIN, { nbf: NOW_S + 10, exp: NOW_S - 10 }, undefined],
    ['none of exp, nbf and iat', PLAIN, {}, 'times_missing'],
    ['all null or zero', PLAIN, { exp: null, nbf: 0, iat: null }, 'times_missing'],
    ['fractions are cut', PLAIN, { exp: NOW_S + 0.9, iat: NOW_S }, 'token_expired', at(60) + 1],
    ['a negative exp', PLAIN, { exp: -5 }, 'token_expired'],
    ['names are case-sensitive', PLAIN, { Exp: NOW_S + 60, IAT: NOW_S }, 'times_missing'],
  )
})

describe('leeways', () => {
  const none = { ...PLAIN, ClockSkewLeeway: -1 }
  rows(
    ['no skew: exp is now', none, { exp: NOW_S, iat: NOW_S }, undefined],
    ['no skew: exp was 1 ms ago', none, { exp: NOW_S, iat: NOW_S }, 'token_expired', NOW + 1],
    ['no skew: nbf is 1 ms away', none, { nbf: NOW_S }, 'token_not_yet_valid', NOW - 1],
    ['as a text', { ...none, ExpirationLeeway: '10s' }, ISSUED, undefined, NOW + 10_000],
    ['as a text, 1 ms later', { ...none, ExpirationLeeway: '10s' }, ISSUED, 'token_expired', NOW + 10_001],
    ['as nanoseconds', { ...none, NotBeforeLeeway: 5e9 }, { exp: NOW_S }, undefined, NOW - 5_000],
    [
      'as nanoseconds, 1 ms earlier',
      { ...none, NotBeforeLeeway: 5e9 },
      { exp: NOW_S },
      'token_not_yet_valid',
      NOW - 5_001,
    ],
    ['negative: no lifetime', { ...none, ExpirationLeeway: -1 }, ISSUED, 'token_expired', NOW + 1],
    ['0 is the default', { ...PLAIN, ExpirationLeeway: 0 }, ISSUED, undefined, NOW + 210_000],
  )
})

describe('with discovery', () => {
  const claims = { iss: 'https://idp.example', exp: NOW_S }
  rows(
    ['exp is now', DISCOVERY, claims, undefined],
    ['exp was 1 ms ago: no skew', DISCOVERY, claims, 'token_expired', NOW + 1],
    ['exp is required', DISCOVERY, { iss: claims.iss, iat: NOW_S }, 'token_expired'],
    ['exp an hour away: nbf is not filled in', DISCOVERY, { ...claims, exp: NOW_S + 3_600 }, undefined],
    ['nbf 60 s away', DISCOVERY, { ...claims, nbf: NOW_S + 60 }, undefined],
    ['nbf 1 ms further', DISCOVERY, { ...claims, nbf: NOW_S + 60 }, 'token_not_yet_valid', NOW - 1],
    ['iat is ignored', DISCOVERY, { ...claims, iat: NOW_S + 3_600 }, undefined],
    ['the issuer is the URL', DISCOVERY, { ...claims, iss: 'https://idp.example/' }, 'issuer_invalid'],
    ['an audience that is not bound', DISCOVERY, { ...claims, aud: 'other' }, undefined],
    [
      'one that is not the bound one',
      { ...DISCOVERY, BoundAudiences: ['aud'] },
      { ...claims, aud: 'other' },
      'audience_unmatched',
    ],
  )
})

describe('issuer', () => {
  const bound = { ...PLAIN, BoundIssuer: 'iss' }
  rows(
    ['the bound one', bound, { ...ISSUED, iss: 'iss' }, undefined],
    ['any if none is bound', PLAIN, { ...ISSUED, iss: 'other' }, undefined],
    ['missing', bound, ISSUED, 'issuer_invalid'],
    ['null', bound, { ...ISSUED, iss: null }, 'issuer_invalid'],
    ['with an extra slash', bound, { ...ISSUED, iss: 'iss/' }, 'issuer_invalid'],
    ['in another case', bound, { ...ISSUED, iss: 'ISS' }, 'issuer_invalid'],
    ['under another case of its name', bound, { ...ISSUED, ISS: 'iss' }, 'issuer_invalid'],
    ['inherited', bound, Object.create({ ...ISSUED, iss: 'iss' }), 'times_missing'],
    ['a list that holds it', bound, { ...ISSUED, iss: ['iss'] }, 'claims_malformed'],
    ['a number, though none is bound', PLAIN, { ...ISSUED, iss: 5 }, 'claims_malformed'],
  )
})

describe('audience', () => {
  const bound = { ...PLAIN, BoundAudiences: ['aud', 'more'] }
  rows(
    ['a text', bound, { ...ISSUED, aud: 'aud' }, undefined],
    ['one of a list', bound, { ...ISSUED, aud: ['x', 'more'] }, undefined],
    ['missing', bound, ISSUED, 'audience_unmatched'],
    ['another', bound, { ...ISSUED, aud: 'x' }, 'audience_unmatched'],
    ['two in one text', bound, { ...ISSUED, aud: 'aud,more' }, 'audience_unmatched'],
    ['in another case', bound, { ...ISSUED, aud: 'AUD' }, 'audience_unmatched'],
    ['an empty list', bound, { ...ISSUED, aud: [] }, 'audience_unmatched'],
    ['none bound and none given', PLAIN, ISSUED, undefined],
    ['none bound, and an empty list', PLAIN, { ...ISSUED, aud: [] }, undefined],
    ['none bound, and one given', PLAIN, { ...ISSUED, aud: 'aud' }, 'audience_unbound'],
    ['none bound, and an empty text given', PLAIN, { ...ISSUED, aud: '' }, 'audience_unbound'],
  )
})

test.each([
  [{ exp: 'soon' }],
  [{ exp: '1900000000' }],
  [{ exp: true }],
  [{ exp: [NOW_S] }],
  [{ exp: 1e30 }],
  [{ exp: Number.POSITIVE_INFINITY }],
  [{ nbf: '0' }],
  [{ iat: {} }],
  [{ aud: 5 }],
  [{ aud: { aud: 'aud' } }],
  [{ aud: ['aud', 5] }],
  [{ aud: ['aud', null] }],
  [{ sub: 5 }],
  [{ jti: ['a'] }],
])('claims_malformed: a claim of %j has the wrong type', (claims) => {
  const bound = { ...PLAIN, BoundAudiences: ['aud'] }
  expect(checkClaims(bound, { ...ISSUED, aud: 'aud', ...claims }, NOW)).toBe('claims_malformed')
})

test('of several reasons the first is given', () => {
  const config = { ...PLAIN, BoundIssuer: 'iss', BoundAudiences: ['aud'] }
  const claims = { iss: 'x', aud: 'x', nbf: NOW_S + 90, exp: NOW_S - 90, iat: NOW_S + 90 }
  const given: (LoginRefusal | undefined)[] = []
  for (const repair of [{}, { iss: 'iss' }, { nbf: NOW_S }, { exp: NOW_S }, { iat: NOW_S }, { aud: 'aud' }]) {
    Object.assign(claims, repair)
    given.push(checkClaims(config, claims, NOW))
  }
  expect(given).toEqual([
    'issuer_invalid',
    'token_not_yet_valid',
    'token_expired',
    'token_issued_in_future',
    'audience_unmatched',
    undefined,
  ])
})
