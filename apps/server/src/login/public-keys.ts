/** Public keys as PEM and as JWK, and which signature algorithms they support. Decisions: auth methods. */
import { createPublicKey, type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { JsonObject } from './foreign-json.ts'

export interface VerificationKey {
  readonly key: KeyObject
  /** `undefined` for static keys, which match tokens of any `kid`. */
  readonly kid: string | undefined
  /** The algorithms that the key supports; never empty. */
  readonly algorithms: readonly string[]
}

const RSA_BITS_MIN = 2_048
/** Excludes an exponent of 1, with which every text is its own signature. */
const RSA_EXPONENT_MIN = 3n

const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const CURVE_ALGORITHMS: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ['prime256v1', ['ES256']],
  ['secp384r1', ['ES384']],
  ['secp521r1', ['ES512']],
])

/** @returns an empty list for a key that is not accepted: of an unsupported kind or curve, too short, or not public. */
function algorithmsOf(key: KeyObject): readonly string[] {
  if (key.type !== 'public') return []
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = key.asymmetricKeyDetails ?? {}
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return modulusLength >= RSA_BITS_MIN && publicExponent >= RSA_EXPONENT_MIN ? RSA_ALGORITHMS : []
    case 'ec':
      return CURVE_ALGORITHMS.get(namedCurve) ?? []
    case 'ed25519':
      return ['EdDSA']
    default:
      return []
  }
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/
const CERTIFICATES = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

/** Reads the first block, a SubjectPublicKeyInfo or a certificate; `undefined` for other keys. */
export function readStaticKey(pem: string): VerificationKey | undefined {
  const [block = '', label] = BLOCK.exec(pem) ?? []
  try {
    const key = readPublicKey(label, block)
    const algorithms = key === undefined ? [] : algorithmsOf(key)
    return key === undefined || algorithms.length === 0 ? undefined : { key, kid: undefined, algorithms }
  } catch {
    return undefined
  }
}

/** Decides by the label, because `createPublicKey` would also accept PKCS#1, and the public half of a private key. */
function readPublicKey(label: string | undefined, block: string): KeyObject | undefined {
  if (label === 'PUBLIC KEY') return createPublicKey(block)
  if (label !== 'CERTIFICATE') return undefined
  const { publicKey, signatureAlgorithm } = new X509Certificate(block)
  return /sha1/i.test(signatureAlgorithm ?? '') ? undefined : publicKey
}

/** Whether a text contains at least one certificate, and none that is damaged. */
export function areCertificates(pem: string): boolean {
  const certificates = pem.match(CERTIFICATES) ?? []
  try {
    for (const certificate of certificates) new X509Certificate(certificate)
  } catch {
    return false
  }
  return certificates.length > 0
}

const KEY_TYPES: ReadonlySet<unknown> = new Set(['RSA', 'EC', 'OKP'])

/** @returns `undefined` for a key that cannot verify signatures. */
export function readJwk(jwk: JsonObject): VerificationKey | undefined {
  const { kty, kid, use = 'sig', key_ops: operations = ['verify'], alg, d } = jwk
  if (!KEY_TYPES.has(kty) || d !== undefined || use !== 'sig') return undefined
  if (!Array.isArray(operations) || !operations.includes('verify')) return undefined
  try {
    const key = createPublicKey({ format: 'jwk', key: jwk as JsonWebKey })
    const algorithms = algorithmsOf(key).filter((each) => alg === undefined || each === alg)
    if (algorithms.length === 0) return undefined
    return { key, kid: typeof kid === 'string' ? kid : undefined, algorithms }
  } catch {
    return undefined
  }
}
