/** Forged and manipulated tokens, at a method with a static key. */
import type { JwtConfig } from '@latchkey/acl'
import { describe, expect, test } from 'vitest'
import { startKeyServer } from './key-server.ts'
import { ES256, keys, outcomeOf, p384, rsa, STATIC, signed, valid, withHeader } from './static-key.ts'
import {
  claimsWith,
  compact,
  ecKeys,
  encode,
  hmac,
  jwkOf,
  NOW_S,
  pemOf,
  type Signer,
  signer,
} from './tokens.ts'

const attacker = ecKeys()
const [validHeader, validPayload, validSignature = ''] = valid.split('.')

const withClaims = (changes: Record<string, unknown>) => compact(ES256, claimsWith(changes), signed)
const derSigned: Signer = (input) => {
  const raw = Buffer.from(signed(input))
  const integer = (part: Buffer) => {
    const bytes = (part[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), part]) : part
    return Buffer.concat([Buffer.from([2, bytes.length]), bytes])
  }
  const both = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))])
  return Buffer.concat([Buffer.from([0x30, both.length]), both])
}

interface Attack {
  readonly title: string
  readonly bearers: () => readonly string[]
  readonly refusal: string | readonly string[]
  readonly config?: JwtConfig
}

const ATTACKS: readonly Attack[] = [
  {
    title: 'ATT-01: alg none with an empty signature',
    bearers: () => [`${encode('{"alg":"none"}')}.${validPayload}.`],
    refusal: 'token_malformed',
  },
  {
    title: 'ATT-02: other spellings of none, and no alg at all',
    bearers: () =>
      ['None', 'nOnE', 'NONE', '', 5, undefined].map((alg) => withHeader({ alg }, () => Buffer.of(0))),
    refusal: [
      ...Array.from({ length: 4 }, () => 'algorithm_not_allowed'),
      'token_malformed',
      'token_malformed',
    ],
  },
  {
    title: 'ATT-03: alg none in front of a real signature',
    bearers: () => [
      `${encode('{"alg":"none"}')}.${validPayload}.${validSignature}`,
      withHeader({ alg: 'none' }),
    ],
    refusal: 'algorithm_not_allowed',
  },
  {
    title: 'ATT-04: HS256 with the PEM of the public key as the secret',
    bearers: () => [pemOf(keys), pemOf(keys).trim()].map((pem) => withHeader({ alg: 'HS256' }, hmac(pem))),
    refusal: 'algorithm_not_allowed',
  },
  {
    title: 'ATT-05: HS256 with the DER of the public key, and with an empty secret',
    bearers: () =>
      [keys.publicKey.export({ type: 'spki', format: 'der' }), ''].map((secret) =>
        withHeader({ alg: 'HS256' }, hmac(secret)),
      ),
    refusal: 'algorithm_not_allowed',
  },
  {
    title: "ATT-06: the right algorithm with the attacker's key",
    bearers: () => [withHeader(ES256, signer('ES256', attacker))],
    refusal: 'signature_unknown',
  },
  {
    title: "ATT-07: the attacker's key in the header",
    bearers: () => [withHeader({ ...ES256, jwk: jwkOf(attacker) }, signer('ES256', attacker))],
    refusal: 'signature_unknown',
  },
  {
    title: 'ATT-09: a kid that is a path, a URL, not a string, or 100 kB long',
    bearers: () => [
      ...['../../etc/passwd', 'http://127.0.0.1/key'].map((kid) =>
        withHeader({ ...ES256, kid }, signer('ES256', attacker)),
      ),
      withHeader({ ...ES256, kid: { path: 'x' } }),
      withHeader({ ...ES256, kid: 'k'.repeat(100_000) }),
    ],
    refusal: ['signature_unknown', 'signature_unknown', 'token_malformed', 'token_too_large'],
  },
  {
    title: 'ATT-10: a signature that is missing, cut, of another token, or spelled differently',
    bearers: () => {
      const cut = Buffer.from(validSignature, 'base64url').subarray(0, 63)
      const other = withClaims({ sub: 'bob' }).split('.')[2]
      // In base64url, the last character of 64 bytes has four bits without data.
      const last = validSignature.at(-1) ?? ''
      const respelled = validSignature.slice(0, -1) + String.fromCharCode(last.charCodeAt(0) + 1)
      return ['', encode(cut), other, respelled, `${validSignature}=`, `${validSignature}\n.`].map(
        (signature) => `${validHeader}.${validPayload}.${signature}`,
      )
    },
    refusal: [
      'token_malformed',
      'signature_unknown',
      'signature_unknown',
      'token_malformed',
      'token_malformed',
      'token_malformed',
    ],
  },
  {
    title: 'ATT-11: a changed payload under the original signature',
    bearers: () => [
      `${validHeader}.${encode(JSON.stringify(claimsWith({ sub: 'admin' })))}.${validSignature}`,
    ],
    refusal: 'signature_unknown',
  },
  {
    title: 'ATT-12: an ES256 signature in DER, and one of zeros',
    bearers: () => [withHeader(ES256, derSigned), withHeader(ES256, () => Buffer.alloc(64))],
    refusal: 'signature_unknown',
  },
  {
    title: 'ATT-13: ES256 for a P-384 key',
    config: { ...STATIC, JWTValidationPubKeys: [pemOf(p384)], JWTSupportedAlgs: ['ES256', 'ES384'] },
    bearers: () => [withHeader(ES256, (input) => signer('ES256', p384)(input))],
    refusal: 'signature_unknown',
  },
  {
    title: 'ATT-13: PS256 for an RS256 signature',
    config: { ...STATIC, JWTValidationPubKeys: [pemOf(rsa)] },
    bearers: () => [withHeader({ alg: 'PS256' }, signer('RS256', rsa))],
    refusal: 'signature_unknown',
  },
  {
    title: 'ATT-14: an algorithm that the key supports but the method does not list',
    config: { ...STATIC, JWTValidationPubKeys: [pemOf(rsa)], JWTSupportedAlgs: ['RS256'] },
    bearers: () => ['RS512', 'PS256'].map((alg) => withHeader({ alg }, signer(alg, rsa))),
    refusal: 'algorithm_not_allowed',
  },
  {
    title: 'ATT-15: the JSON serialisation of a valid token',
    bearers: () => {
      const parts = { protected: validHeader, payload: validPayload, signature: validSignature }
      const { payload, ...signature } = parts
      const unprotected = { payload, signature: validSignature, header: ES256 }
      return [parts, { payload, signatures: [signature] }, unprotected].map((form) => JSON.stringify(form))
    },
    refusal: 'token_malformed',
  },
  {
    title: 'ATT-16: the encrypted form, and a token inside a token',
    bearers: () => [
      `${valid}.${validPayload}.${validPayload}`,
      compact({ ...ES256, cty: 'JWT' }, valid, signed),
    ],
    refusal: ['token_malformed', 'claims_malformed'],
  },
  {
    title: 'ATT-17: crit and b64 of any kind',
    bearers: () =>
      [{ crit: ['x'], x: 1 }, { crit: [] }, { crit: null }, { b64: false }, { b64: true, crit: ['b64'] }].map(
        (more) => withHeader({ ...ES256, ...more }),
      ),
    refusal: 'token_malformed',
  },
  {
    title: 'ATT-18: a name twice in the header',
    bearers: () => [
      withHeader('{"alg":"ES256","alg":"ES256"}'),
      withHeader('{"alg":"none","\\u0061lg":"ES256"}'),
      withHeader('{"alg":"ES256"} x'),
      withHeader('\ufeff{"alg":"ES256"}'),
      withHeader('["ES256"]'),
    ],
    refusal: 'token_malformed',
  },
  {
    title: 'ATT-18: a name twice in the payload',
    bearers: () => {
      const claims = JSON.stringify(claimsWith()).slice(0, -1)
      return [
        `${claims},"iss":"iss"}`,
        `${claims},"exp":${NOW_S + 60}}`,
        `${claims}}}`,
        `\ufeff${claims}}`,
        '[]',
      ].map((payload) => compact(ES256, payload, signed))
    },
    refusal: 'claims_malformed',
  },
]

describe('attacks with a static key', () => {
  for (const { title, bearers, refusal, config } of ATTACKS) {
    test(title, async () => {
      const outcomes = await Promise.all(bearers().map((bearer) => outcomeOf(bearer, config)))
      expect(outcomes).toEqual(typeof refusal === 'string' ? outcomes.map(() => refusal) : refusal)
    })
  }

  test('ATT-08: a key set or certificate that the header points to is not fetched', async () => {
    const server = await startKeyServer()
    const jku = `${server.url}/keys`
    const header = { ...ES256, jku, x5u: jku, x5c: [encode(pemOf(attacker))] }
    expect(await outcomeOf(withHeader(header, signer('ES256', attacker)))).toBe('signature_unknown')
    expect(server.asked).toEqual([])
  })
})
