/** Tokens as providers and attackers make them. */
import { createHmac, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'

/** The time of all tests, in seconds and in milliseconds since the epoch. */
export const NOW_S = 1_800_000_000
export const NOW = NOW_S * 1_000

export interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export const ecKeys = (namedCurve = 'P-256'): KeyPair => generateKeyPairSync('ec', { namedCurve })
export const rsaKeys = (modulusLength = 2_048): KeyPair => generateKeyPairSync('rsa', { modulusLength })
export const edKeys = (): KeyPair => generateKeyPairSync('ed25519')

export function pemOf({ publicKey }: KeyPair): string {
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

export function jwkOf({ publicKey }: KeyPair, fields: Readonly<Record<string, unknown>> = {}): JsonWebKey {
  return { ...publicKey.export({ format: 'jwk' }), ...fields }
}

/** Signs a text. */
export type Signer = (input: string) => Uint8Array

/** Signs with an algorithm and any kind of key that fits it. */
export function signer(algorithm: string, { privateKey: key }: KeyPair): Signer {
  const hash = `sha${algorithm.slice(2)}`
  return (input) => {
    const bytes = Buffer.from(input)
    switch (algorithm.slice(0, 2)) {
      case 'ES':
        return sign(hash, bytes, { key, dsaEncoding: 'ieee-p1363' })
      case 'PS':
        // RSA_PKCS1_PSS_PADDING, with a salt as long as the hash.
        return sign(hash, bytes, { key, padding: 6, saltLength: -1 })
      case 'RS':
        return sign(hash, bytes, key)
      default:
        return sign(null, bytes, key)
    }
  }
}

/** Signs with HS256 and any secret. */
export function hmac(secret: string | Uint8Array): Signer {
  return (input) => createHmac('sha256', secret).update(input).digest()
}

export const encode = (value: string | Uint8Array): string => Buffer.from(value).toString('base64url')

/** Makes a token from any header and payload. Objects become JSON; texts are used unchanged. */
export function compact(header: object | string, payload: object | string, signed: Signer): string {
  const [protectedHeader = '', claims = ''] = [header, payload].map((part) =>
    encode(typeof part === 'string' ? part : JSON.stringify(part)),
  )
  return `${protectedHeader}.${claims}.${encode(signed(`${protectedHeader}.${claims}`))}`
}

/** Claims that are valid at {@link NOW}, with changes; `undefined` removes one. */
export function claimsWith(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { iss: 'iss', aud: 'aud', iat: NOW_S, exp: NOW_S + 60, sub: 'alice', ...changes }
}
