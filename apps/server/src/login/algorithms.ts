/** Which signature algorithms a public key supports. Decisions: auth methods. */
import type { KeyObject } from 'node:crypto'

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
export function algorithmsOf(key: KeyObject): readonly string[] {
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
