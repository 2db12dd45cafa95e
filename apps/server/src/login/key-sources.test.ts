import { createSecretKey } from 'node:crypto'
import type { AuthMethodRecord, JwtConfig, Verification } from '@latchkey/acl'
import { aMethod } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { type Answer, json, startKeyServer } from '../../test/login/key-server.ts'
import {
  claimsWith,
  compact,
  ecKeys,
  hmac,
  jwkOf,
  type KeyPair,
  NOW,
  NOW_S,
  rsaKeys,
  signer,
} from '../../test/login/tokens.ts'
import { Outgoing, OutgoingError, type OutgoingFailure } from '../outgoing/outgoing.ts'
import { ProviderVerifier } from './provider-verifier.ts'

const [first, second] = [ecKeys(), ecKeys()]
const MINUTE = 60_000
const DISCOVERY = '/.well-known/openid-configuration'

const keySet = (...jwks: readonly object[]): Answer => json({ keys: jwks })
const jwk = (keys: KeyPair, kid: string) => jwkOf(keys, { kid })
const down: Answer = (response) => response.writeHead(503).end('down for repair')

/** Starts a provider whose key set has {@link first}, with a method for it; each test sets the time of its logins. */
async function startProvider(config: Partial<JwtConfig> = {}, msMax = 1_000) {
  const server = await startKeyServer()
  server.answer('/keys', keySet(jwk(first, 'first')))
  const verifier = new ProviderVerifier(new Outgoing({ allowHttp: true, msMax }))
  const method = aMethod({
    Config: {
      JWKSURL: `${server.url}/keys`,
      BoundIssuer: 'iss',
      BoundAudiences: ['aud'],
      JWTSupportedAlgs: ['ES256', 'RS256'],
      ...config,
    },
  })

  /** Logs in with a token that a key signs at that time; without a `kid` if that is undefined. */
  async function logIn(keys: KeyPair, kid: string | undefined, atMs = 0, by: AuthMethodRecord = method) {
    const times = { iat: NOW_S + atMs / 1_000, exp: NOW_S + atMs / 1_000 + 60 }
    const token = compact({ alg: 'ES256', kid }, claimsWith(times), signer('ES256', keys))
    return outcome(await verifier.verify(by, token, NOW + atMs))
  }

  const verify = async (token: string) => outcome(await verifier.verify(method, token, NOW))
  return { server, verifier, method, logIn, verify }
}

/** `verified`, the reason of the refusal, or the failure of the provider. */
function outcome(verification: Verification): string {
  switch (verification.outcome) {
    case 'verified':
      return verification.outcome
    case 'refused':
      return verification.reason
    case 'provider_unavailable':
      return verification.cause instanceof OutgoingError ? verification.cause.failure : 'not known'
  }
}

/** An answer that is held back until the test releases it. */
function held(answer: Answer): { readonly answer: Answer; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { answer: (response) => void promise.then(() => answer(response)), release: () => resolve() }
}

describe('keys of a set', () => {
  test('a kid names its key; a token without one tries all; a key without one is never named', async () => {
    const { server, logIn } = await startProvider()
    server.answer('/keys', keySet(jwkOf(second), jwk(first, 'first')))
    expect(await logIn(first, 'first')).toBe('verified')
    expect(await logIn(first, undefined)).toBe('verified')
    expect(await logIn(second, undefined)).toBe('verified')
    expect(await logIn(second, 'second')).toBe('signature_unknown')
    expect(await logIn(second, 'first')).toBe('signature_unknown')
    // The named key is known, so fetching the keys again would not help.
    expect(await logIn(second, 'first', 30_000)).toBe('signature_unknown')
    expect(server.asked).toEqual(['/keys'])
  })

  test('keys of unknown kinds are skipped', async () => {
    const { server, logIn } = await startProvider()
    server.answer('/keys', keySet({ kty: 'LMS', kid: 'first' }, { kty: 'EC' }, jwk(first, 'first')))
    expect(await logIn(first, 'first')).toBe('verified')
  })

  test('without JWTSupportedAlgs, only RS256 is accepted', async () => {
    const rsa = rsaKeys()
    const { server, verify } = await startProvider()
    server.answer('/keys', keySet(jwkOf(rsa)))
    const { verifier, method } = await startProvider()
    const { JWTSupportedAlgs: _, ...Config } = {
      ...(method.Config as JwtConfig),
      JWKSURL: `${server.url}/keys`,
    }
    const outcomes: string[] = []
    for (const alg of ['RS256', 'PS256', 'RS512']) {
      const token = compact({ alg }, claimsWith(), signer(alg, rsa))
      outcomes.push(outcome(await verifier.verify(aMethod({ Config }), token, NOW)))
    }
    expect(outcomes).toEqual(['verified', 'algorithm_not_allowed', 'algorithm_not_allowed'])
    expect(await verify(compact({ alg: 'PS256' }, claimsWith(), signer('PS256', rsa)))).toBe(
      'algorithm_not_allowed',
    )
  })

  test('ATT-26: a symmetric key in the set verifies nothing', async () => {
    const secret = createSecretKey(Buffer.alloc(32, 7))
    const { server, verify } = await startProvider({ JWTSupportedAlgs: ['HS256', 'ES256'] })
    server.answer(
      '/keys',
      keySet({ ...secret.export({ format: 'jwk' }), kid: 'secret' }, jwk(first, 'first')),
    )
    const token = compact({ alg: 'HS256', kid: 'secret' }, claimsWith(), hmac(secret.export()))
    expect(await verify(token)).toBe('signature_unknown')
  })

  test.each([
    ['use: enc', { use: 'enc' }],
    ['another alg', { alg: 'ES384' }],
    ['an alg for encryption', { alg: 'ECDH-ES' }],
    ['other key_ops', { key_ops: ['deriveKey'] }],
    ['key_ops that are not a list', { key_ops: 'verify' }],
    ['a private part', { d: first.privateKey.export({ format: 'jwk' }).d }],
  ])('ATT-27: a key with %s verifies nothing', async (_title, fields) => {
    const { server, logIn } = await startProvider()
    server.answer('/keys', keySet(jwkOf(first, { kid: 'first', ...fields })))
    expect(await logIn(first, 'first')).toBe('signature_unknown')
  })
})

describe('rotation', () => {
  test('an unknown kid makes the server fetch the keys again, at most every 30 s', async () => {
    const { server, logIn } = await startProvider()
    expect(await logIn(first, 'first')).toBe('verified')
    server.answer('/keys', keySet(jwk(first, 'first'), jwk(second, 'second')))
    expect(await logIn(second, 'second', 29_999)).toBe('signature_unknown')
    expect(server.asked).toHaveLength(1)
    expect(await logIn(second, 'second', 30_000)).toBe('verified')
    expect(await logIn(first, 'first', 30_000)).toBe('verified')
    expect(server.asked).toHaveLength(2)
  })

  test('so does a token without a kid that matches no known key', async () => {
    const { server, logIn } = await startProvider()
    server.answer('/keys', keySet(jwkOf(first)))
    expect(await logIn(first, undefined)).toBe('verified')
    server.answer('/keys', keySet(jwkOf(second)))
    expect(await logIn(second, undefined, 30_000)).toBe('verified')
  })

  test('keys are renewed in the background from the eighth minute on', async () => {
    const { server, logIn } = await startProvider()
    expect(await logIn(first, 'first')).toBe('verified')
    expect(await logIn(first, 'first', 8 * MINUTE - 1)).toBe('verified')
    expect(server.asked).toHaveLength(1)
    const { answer, release } = held(keySet(jwk(second, 'second')))
    server.answer('/keys', answer)
    // This login does not wait for the answer.
    expect(await logIn(first, 'first', 8 * MINUTE)).toBe('verified')
    await expect.poll(() => server.asked.length).toBe(2)
    release()
    expect(await logIn(second, 'second', 8 * MINUTE)).toBe('verified')
    expect(server.asked).toHaveLength(2)
  })

  test('ATT-28: a key that the provider withdrew is refused after ten minutes', async () => {
    const { server, logIn } = await startProvider()
    expect(await logIn(first, 'first')).toBe('verified')
    server.answer('/keys', keySet(jwk(second, 'second')))
    expect(await logIn(first, 'first', 8 * MINUTE - 1)).toBe('verified')
    expect(await logIn(first, 'first', 10 * MINUTE)).toBe('signature_unknown')
    expect(await logIn(second, 'second', 10 * MINUTE)).toBe('verified')
  })

  test('ATT-29: a flood of invented kids causes one request in 30 s', async () => {
    const { server, logIn } = await startProvider()
    expect(await logIn(first, 'first')).toBe('verified')
    const flood = (atMs: number) =>
      Promise.all(Array.from({ length: 50 }, (_, i) => logIn(second, `invented-${atMs}-${i}`, atMs)))
    for (const atMs of [30_000, 45_000, 59_999]) {
      expect(new Set(await flood(atMs))).toEqual(new Set(['signature_unknown']))
    }
    expect(server.asked).toHaveLength(2)
    await flood(60_000)
    expect(server.asked).toHaveLength(3)
  })

  test('concurrent first logins share one request', async () => {
    const { server, logIn } = await startProvider()
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => logIn(first, 'first')))
    expect(new Set(outcomes)).toEqual(new Set(['verified']))
    expect(server.asked).toHaveLength(1)
  })
})

describe('an unreachable provider', () => {
  test('known keys work for an hour', async () => {
    const { server, logIn } = await startProvider()
    expect(await logIn(first, 'first')).toBe('verified')
    server.answer('/keys', down)
    expect(await logIn(first, 'first', 10 * MINUTE)).toBe('verified')
    expect(await logIn(first, 'first', 60 * MINUTE - 1)).toBe('verified')
    expect(await logIn(first, 'first', 60 * MINUTE)).toBe('status not 200')
    server.answer('/keys', keySet(jwk(first, 'first')))
    expect(await logIn(first, 'first', 61 * MINUTE)).toBe('verified')
  })

  test('it is contacted every 30 s, in the background, and a new key is found', async () => {
    const { server, logIn } = await startProvider()
    await logIn(first, 'first')
    server.answer('/keys', down)
    await logIn(first, 'first', 10 * MINUTE)
    expect(await logIn(first, 'first', 10 * MINUTE + 29_999)).toBe('verified')
    expect(server.asked).toHaveLength(2)
    const { answer, release } = held(keySet(jwk(second, 'second')))
    server.answer('/keys', answer)
    expect(await logIn(first, 'first', 10 * MINUTE + 30_000)).toBe('verified')
    await expect.poll(() => server.asked.length).toBe(3)
    release()
    expect(await logIn(second, 'second', 10 * MINUTE + 30_000)).toBe('verified')
    expect(await logIn(first, 'first', 10 * MINUTE + 30_000)).toBe('signature_unknown')
    expect(server.asked).toHaveLength(3)
  })

  test('a token with an unknown kid is neither accepted nor refused', async () => {
    const { server, logIn } = await startProvider()
    await logIn(first, 'first')
    server.answer('/keys', down)
    expect(await logIn(second, 'second', 30_000)).toBe('status not 200')
    expect(await logIn(second, 'second', 31_000)).toBe('status not 200')
    expect(await logIn(first, 'first', 31_000)).toBe('verified')
    expect(server.asked).toHaveLength(2)
  })

  test('a login that began earlier shares the request of a later one', async () => {
    const { server, logIn } = await startProvider()
    await logIn(first, 'first')
    const { answer, release } = held(keySet(jwk(second, 'second')))
    server.answer('/keys', answer)
    const later = logIn(second, 'second', 30_000)
    await expect.poll(() => server.asked.length).toBe(2)
    const earlier = logIn(second, 'second', 29_999)
    release()
    expect(await Promise.all([later, earlier])).toEqual(['verified', 'verified'])
    expect(server.asked).toHaveLength(2)
  })

  test('without known keys it is contacted every 5 s', async () => {
    const { server, logIn } = await startProvider()
    server.answer('/keys', down)
    for (const atMs of [0, 1, 4_999]) {
      expect(await logIn(first, 'first', atMs)).toBe('status not 200')
    }
    expect(server.asked).toHaveLength(1)
    server.answer('/keys', keySet(jwk(first, 'first')))
    expect(await logIn(first, 'first', 5_000)).toBe('verified')
  })

  const endless: Answer = (response) => {
    const more = () => response.write(' '.repeat(65_536), () => response.destroyed || setImmediate(more))
    more()
  }
  const dripping: Answer = (response) => {
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  }
  const large: Answer = (response) =>
    response.writeHead(200, { 'Content-Length': 1e8 }).end(Buffer.alloc(1e8, 32))
  const cut: Answer = (response) =>
    response.writeHead(200, { 'Content-Length': 99 }).write('{"keys":[', () => response.destroy())
  test.each<readonly [string, Answer, OutgoingFailure]>([
    ['ATT-31: an endless answer', endless, 'answer too long'],
    ['ATT-31: an answer of 100 MB', large, 'answer too long'],
    ['ATT-31: an answer byte by byte', dripping, 'connection refused or timed out'],
    ['ATT-31: 10,000 keys', keySet(...Array.from({ length: 10_000 }, () => ({ kty: 'x' }))), 'not a key set'],
    ['no answer', () => {}, 'connection refused or timed out'],
    ['a connection that is cut', (response) => response.destroy(), 'connection refused or timed out'],
    ['an answer that is cut', cut, 'connection refused or timed out'],
    ['text that is not JSON', (response) => response.end('<html>'), 'not a key set'],
    ['an object with keys twice', (response) => response.end('{"keys":[],"keys":[]}'), 'not a key set'],
    ['an object whose keys are not a list', json({ keys: {} }), 'not a key set'],
    ['a list of keys that are not objects', json({ keys: ['key'] }), 'not a key set'],
    ['a redirect', (response) => response.writeHead(302, { Location: '/other' }).end(), 'status not 200'],
  ])('%s is not a key set', async (_title, answer, failure) => {
    // A busy machine is slow to read a long answer.
    const { server, logIn } = await startProvider({}, failure === 'answer too long' ? 60_000 : 1_000)
    server.answer('/keys', answer)
    server.answer('/other', keySet(jwk(first, 'first')))
    expect(await logIn(first, 'first')).toBe(failure)
    expect(server.asked).toEqual(['/keys'])
  })
})

describe('methods', () => {
  test('keep their keys when others are written, and fetch them again when they are written themselves', async () => {
    const { server, method, logIn } = await startProvider()
    await logIn(first, 'first')
    await logIn(first, 'first', 0, { ...method, Name: 'other', ModifyIndex: 9 } as AuthMethodRecord)
    expect(server.asked).toHaveLength(2)
    await logIn(first, 'first', 0, { ...method } as AuthMethodRecord)
    expect(server.asked).toHaveLength(2)
    await logIn(first, 'first', 0, { ...method, ModifyIndex: 10 } as AuthMethodRecord)
    await logIn(first, 'first', 0, { ...method, Namespace: 'team' } as AuthMethodRecord)
    expect(server.asked).toHaveLength(4)
  })
})

describe('discovery', () => {
  async function startIssuer(document: (url: string) => object) {
    const server = await startKeyServer()
    server.answer('/keys', keySet(jwk(first, 'first')))
    server.answer(DISCOVERY, json(document(server.url)))
    const verifier = new ProviderVerifier(new Outgoing({ allowHttp: true }))
    const method = aMethod({ Config: { OIDCDiscoveryURL: server.url, JWTSupportedAlgs: ['ES256'] } })
    const logIn = async (iss: string) => {
      const token = compact({ alg: 'ES256', kid: 'first' }, claimsWith({ iss }), signer('ES256', first))
      return outcome(await verifier.verify(method, token, NOW))
    }
    return { server, logIn }
  }

  test('the document names issuer and key set', async () => {
    const { server, logIn } = await startIssuer((url) => ({ issuer: url, jwks_uri: `${url}/keys` }))
    expect(await logIn(server.url)).toBe('verified')
    expect(await logIn('iss')).toBe('issuer_invalid')
    expect(server.asked).toEqual([DISCOVERY, '/keys'])
  })

  test.each([
    ['http://169.254.169.254/', 'address not allowed'],
    ['file:///etc/passwd', 'URL not allowed'],
    [5, 'not a discovery document'],
    [undefined, 'not a discovery document'],
  ])('ATT-30: a document whose key set is %s', async (jwks_uri, failure) => {
    const { server, logIn } = await startIssuer((url) => ({ issuer: url, jwks_uri }))
    expect(await logIn(server.url)).toBe(failure)
  })

  test.each(['https://other.example', '/', 'list'])(
    'ATT-32: a document of another issuer: %s',
    async (other) => {
      const issuerOf = (url: string) => (other === 'list' ? [url] : other === '/' ? `${url}/` : other)
      const { server, logIn } = await startIssuer((url) => ({
        issuer: issuerOf(url),
        jwks_uri: `${url}/keys`,
      }))
      expect(await logIn(server.url)).toBe('issuer_invalid')
      expect(await logIn('https://other.example')).toBe('issuer_invalid')
      expect(server.asked).not.toContain('/keys')
    },
  )
})
