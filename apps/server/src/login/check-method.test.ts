import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { AuthMethodConfiguration, JwtConfig, KubernetesConfig } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { Authority } from '../../test/login/certificates.ts'
import { type Answer, json, startKeyServer } from '../../test/login/key-server.ts'
import { ecKeys, edKeys, jwkOf, pemOf, rsaKeys } from '../../test/login/tokens.ts'
import { Outgoing } from '../outgoing/outgoing.ts'
import { ProviderVerifier } from './provider-verifier.ts'

const development = new Outgoing({ allowHttp: true, msMax: 500 })
const DISCOVERY = '/.well-known/openid-configuration'
const ec = ecKeys()
const authority = new Authority()
let CACert: string
beforeAll(async () => {
  CACert = await authority.certificate()
})

interface Options {
  readonly outgoing?: Outgoing
  readonly fetch?: boolean
}

/** The field and the text of the refusal; `undefined` if the method is accepted. */
async function problemOf(method: AuthMethodConfiguration, options: Options = {}) {
  const { outgoing = development, fetch = true } = options
  try {
    await new ProviderVerifier(outgoing).check(method, { fetch })
    return undefined
  } catch (error) {
    if (!(error instanceof AclError) || error.code !== 'field_invalid') throw error
    return { field: error.details.field, problem: error.message.replace('Invalid Auth Method: ', '') }
  }
}

const jwt = (Config: JwtConfig): AuthMethodConfiguration => ({ Type: 'jwt', Config })
const keysOf = (...pems: string[]) => jwt({ JWTValidationPubKeys: pems })

describe('static keys', () => {
  const rsa = rsaKeys()
  const forged = createPublicKey({ format: 'jwk', key: jwkOf(rsa, { e: 'AQ' }) })
  const pkcs1 = rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const [rsaPss, x25519, secp256k1, p224] = [
    generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }),
    generateKeyPairSync('x25519'),
    ecKeys('secp256k1'),
    ecKeys('P-224'),
  ].map(pemOf)

  test.each<readonly [string, () => string | Promise<string>]>([
    ['RSA of 2048 bits', () => pemOf(rsaKeys())],
    ['P-256', () => pemOf(ec)],
    ['P-384', () => pemOf(ecKeys('P-384'))],
    ['P-521', () => pemOf(ecKeys('P-521'))],
    ['Ed25519', () => pemOf(edKeys())],
    ['a certificate', () => authority.issue(ec.publicKey)],
    ['with text around it', () => `key:\n${pemOf(ec)}\nend`],
  ])('%s is accepted', async (_title, pem) => {
    expect(await problemOf(keysOf(await pem()))).toBeUndefined()
  })

  test.each<readonly [string, () => string | Promise<string>]>([
    ['RSA of 1024 bits', () => pemOf(rsaKeys(1_024))],
    ['RSA with an exponent of 1', () => pemOf({ ...rsa, publicKey: forged })],
    ['RSA in PKCS#1', () => pkcs1],
    ['RSA-PSS', () => rsaPss ?? ''],
    ['X25519', () => x25519 ?? ''],
    ['secp256k1', () => secp256k1 ?? ''],
    ['P-224', () => p224 ?? ''],
    ['a private key', () => ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['a private key first', () => ec.privateKey.export({ type: 'pkcs8', format: 'pem' }) + pemOf(ec)],
    ['a certificate signed with SHA-1', () => authority.issue(ec.publicKey, { hash: 'SHA-1' })],
    ['a certificate of a short key', () => authority.issue(rsaKeys(1_024).publicKey)],
    ['a JWK', () => JSON.stringify(jwkOf(ec))],
    ['a damaged key', () => pemOf(ec).replace('MFkw', 'MFkx')],
    ['no PEM', () => 'pem'],
    ['nothing', () => ''],
  ])('%s is refused', async (_title, pem) => {
    const name = 'JWTValidationPubKeys[1]'
    expect(await problemOf(keysOf(pemOf(ec), await pem()), { fetch: false })).toEqual({
      field: `Config.${name}`,
      problem: `error parsing public key ${name}: data does not contain any valid RSA, ECDSA, or ED25519 public keys`,
    })
  })

  test('a key that supports none of the listed algorithms is refused', async () => {
    const JWTValidationPubKeys = [pemOf(rsaKeys()), pemOf(ec)]
    expect(
      await problemOf(jwt({ JWTValidationPubKeys, JWTSupportedAlgs: ['PS512', 'ES256'] })),
    ).toBeUndefined()
    expect(await problemOf(jwt({ JWTValidationPubKeys, JWTSupportedAlgs: ['RS256'] }))).toEqual({
      field: 'Config.JWTSupportedAlgs',
      problem: "'JWTSupportedAlgs' has no algorithm of JWTValidationPubKeys[1], which can do ES256",
    })
  })
})

describe('a key set', () => {
  test.each<readonly [string, Answer, string | undefined]>([
    ['with keys', json({ keys: [jwkOf(ec)] }), undefined],
    ['that is not JSON', (response) => response.end('<html>secret</html>'), 'not a key set'],
    ['with another status', json({ keys: [] }, 201), 'status not 200'],
  ])('%s', async (_title, answer, failure) => {
    const server = await startKeyServer()
    server.answer('/keys', answer)
    const JWKSURL = `${server.url}/keys`
    const problem = await problemOf(jwt({ JWKSURL }))
    expect(problem?.problem).toBe(failure && `error checking JWKSURL: ${failure}`)
    expect(server.asked).toEqual(['/keys'])
    expect(await problemOf(jwt({ JWKSURL }), { fetch: false })).toBeUndefined()
    expect(server.asked).toHaveLength(1)
  })

  test.each([
    ['', undefined],
    ['no PEM', undefined],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', undefined],
  ])('invalid certificates: %j', async (pem) => {
    for (const [name, url] of [
      ['JWKSCACert', 'JWKSURL'],
      ['OIDCDiscoveryCACert', 'OIDCDiscoveryURL'],
    ] as const) {
      const method = jwt({ [url]: 'https://idp.example', [name]: pem })
      expect(await problemOf(method, { fetch: false })).toEqual({
        field: `Config.${name}`,
        problem: `error checking ${name}: could not parse CA PEM value successfully`,
      })
    }
  })
})

describe('ATT-30: URLs that lead elsewhere', () => {
  test.each([
    ['file:///etc/passwd', 'URL not allowed'],
    ['http://idp.example/keys', 'URL not allowed'],
    ['https://169.254.169.254/latest', 'address not allowed'],
    ['https://127.0.0.1/keys', 'address not allowed'],
    ['https://metadata.google.internal/', 'address not allowed'],
  ])('%s is refused, with or without a fetch', async (url, failure) => {
    const outgoing = new Outgoing({ allowHttp: false })
    for (const name of ['JWKSURL', 'OIDCDiscoveryURL'] as const) {
      for (const fetch of [true, false]) {
        expect(await problemOf(jwt({ [name]: url }), { outgoing, fetch })).toEqual({
          field: `Config.${name}`,
          problem: `error checking ${name}: ${failure}`,
        })
      }
    }
  })
})

describe('discovery', () => {
  const oidc = (OIDCDiscoveryURL: string): AuthMethodConfiguration => ({
    Type: 'oidc',
    Config: { OIDCDiscoveryURL, OIDCClientID: 'id', OIDCClientSecret: 'secret', AllowedRedirectURIs: [] },
  })

  test.each<readonly [string, (url: string) => Answer, string | undefined]>([
    ['a document whose issuer is the URL', (url) => json({ issuer: url }), undefined],
    ['ATT-32: of another issuer', () => json({ issuer: 'https://idp.example' }), 'issuer is not the URL'],
    ['ATT-32: with an extra slash', (url) => json({ issuer: `${url}/` }), 'issuer is not the URL'],
    ['ATT-32: without an issuer', () => json({}), 'issuer is not the URL'],
    ['text that is not JSON', () => (response) => response.end('secret'), 'not a discovery document'],
    ['JSON that is not an object', () => json([]), 'not a discovery document'],
    ['more than 256 KiB', () => (response) => response.end(Buffer.alloc(262_145, 32)), 'answer too long'],
  ])('%s', async (_title, answerOf, failure) => {
    const server = await startKeyServer()
    server.answer(DISCOVERY, answerOf(server.url))
    for (const method of [jwt({ OIDCDiscoveryURL: server.url }), oidc(server.url)]) {
      const problem = await problemOf(method)
      expect(problem?.problem).toBe(failure && `error checking OIDCDiscoveryURL: ${failure}`)
    }
  })

  test('an issuer that ends with a slash is accepted if the URL does too', async () => {
    const server = await startKeyServer()
    server.answer(DISCOVERY, json({ issuer: `${server.url}/` }))
    expect(await problemOf(jwt({ OIDCDiscoveryURL: `${server.url}/` }))).toBeUndefined()
  })
})

describe('kubernetes', () => {
  const kubernetes = (config: Partial<KubernetesConfig>): AuthMethodConfiguration => ({
    Type: 'kubernetes',
    Config: { Host: 'https://k8s.invalid', CACert, ServiceAccountJWT: 'a.b.c', ...config },
  })

  test('the API of the cluster is not contacted', async () => {
    expect(await problemOf(kubernetes({}))).toBeUndefined()
    expect(await problemOf(kubernetes({ Host: 'k8s.invalid:6443' }))).toBeUndefined()
  })

  test('CACert must be a certificate, and Host an allowed address', async () => {
    expect(await problemOf(kubernetes({ CACert: pemOf(ec) }))).toEqual({
      field: 'Config.CACert',
      problem: 'error parsing kubernetes ca cert: data does not contain any valid RSA or ECDSA certificates',
    })
    expect(await problemOf(kubernetes({ Host: '169.254.169.254' }))).toEqual({
      field: 'Config.Host',
      problem: 'error checking Host: address not allowed',
    })
  })
})
