/** Verifies tokens that a provider signed. Decisions: login. */
import { checkClaims, type JwtConfig, type LoginRefusal, type Verification } from '@latchkey/acl'
import { limits } from '@latchkey/contract'
import { compactVerify } from 'jose/jws/compact/verify'
import { OutgoingError } from '../outgoing/outgoing.ts'
import { type JsonObject, parseObject } from './foreign-json.ts'
import type { KeySource } from './key-sources.ts'
import type { VerificationKey } from './public-keys.ts'

/**
 * Checks form, algorithm, signature, issuer, audience and times, in this order.
 *
 * @param now in milliseconds since the epoch.
 */
export async function verifyJwt(
  config: JwtConfig,
  source: KeySource,
  { bearer, now }: { readonly bearer: string; readonly now: number },
): Promise<Verification> {
  const token = readSignedToken(bearer)
  if (token === undefined) return refused('token_malformed')
  const algorithms = config.JWTSupportedAlgs ?? source.defaultAlgorithms
  if (!algorithms.includes(token.algorithm)) return refused('algorithm_not_allowed')
  try {
    if (!(await isSigned(token, source, now))) return refused('signature_unknown')
  } catch (cause) {
    // A provider that claims to be another one is not unavailable: nothing that it signs will ever be accepted.
    const isImpostor = cause instanceof OutgoingError && cause.failure === 'issuer is not the URL'
    return isImpostor ? refused('issuer_invalid', cause) : { outcome: 'provider_unavailable', cause }
  }
  return verifyClaims(config, token.payload, now)
}

function refused(reason: LoginRefusal, cause?: unknown): Verification {
  return { outcome: 'refused', reason, cause }
}

/** @throws OutgoingError if the keys must be fetched and the provider does not supply them. */
async function isSigned(token: SignedToken, source: KeySource, now: number): Promise<boolean> {
  const fitting = fittingKeys(token, source, await source.current(now))
  if (await isSignedByOne(token, fitting)) return true
  // The key that the token names is known, so fetching the keys again would not help.
  if (token.kid !== undefined && fitting.length > 0) return false
  const renewed = await source.renew(now)
  return renewed !== undefined && isSignedByOne(token, fittingKeys(token, source, renewed))
}

function fittingKeys(
  { algorithm, kid }: SignedToken,
  { hasKids }: KeySource,
  keys: readonly VerificationKey[],
): readonly VerificationKey[] {
  return keys
    .filter((key) => key.algorithms.includes(algorithm) && (!hasKids || kid === undefined || key.kid === kid))
    .slice(0, limits.AUTH_METHOD_KEYS_MAX)
}

async function isSignedByOne(token: SignedToken, keys: readonly VerificationKey[]): Promise<boolean> {
  for (const key of keys) if (await isSignedBy(token, key)) return true
  return false
}

/** Keys are `KeyObject`s: given a public key as text or bytes, jose would treat it as a symmetric key. */
async function isSignedBy({ text, algorithm }: SignedToken, { key }: VerificationKey): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: [algorithm] })
    return true
  } catch {
    // Catches everything: for invalid tokens, jose also throws errors that are not its own.
    return false
  }
}

function verifyClaims(config: JwtConfig, payload: Uint8Array, now: number): Verification {
  try {
    const claims = parseObject(payload)
    const refusal = checkClaims(config, claims, now)
    return refusal === undefined ? { outcome: 'verified', claims } : refused(refusal)
  } catch (cause) {
    return refused('claims_malformed', cause)
  }
}

interface SignedToken {
  readonly text: string
  readonly algorithm: string
  readonly kid: string | undefined
  readonly payload: Uint8Array
}

const COMPACT_FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/

export function hasCompactForm(text: string): boolean {
  return COMPACT_FORM.test(text)
}

/**
 * Reads a token without verifying it. Headers that name keys (`jku`, `jwk`, `x5u`, `x5c`) are ignored.
 *
 * @returns `undefined` if the text is not such a token, or requires an extension (`crit`, `b64`).
 */
function readSignedToken(text: string): SignedToken | undefined {
  if (!hasCompactForm(text)) return undefined
  const [header, payload, signature] = text.split('.').map(decode)
  if (header === undefined || payload === undefined || signature === undefined) return undefined
  const fields = parseHeader(header)
  if (fields === undefined || fields.crit !== undefined || fields.b64 !== undefined) return undefined
  const { alg, kid } = fields
  if (typeof alg !== 'string' || (kid !== undefined && typeof kid !== 'string')) return undefined
  return { text, algorithm: alg, kid, payload }
}

/** Refuses all spellings except the canonical one, so that no token can be written in two ways. */
function decode(part: string): Uint8Array | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : undefined
}

function parseHeader(bytes: Uint8Array): JsonObject | undefined {
  try {
    return parseObject(bytes)
  } catch {
    return undefined
  }
}
