/** A verifier for tests and mocks. */

import { AclError, parseJson } from '@latchkey/contract'
import type { AuthMethodRecord, JwtConfig } from '../records/login-records.ts'
import type { LoginRefusal } from './login-refusal.ts'
import { leewaysOf } from './method/leeway.ts'
import type { Claims, Verification, Verifier } from './verifier.ts'

/**
 * Checks the registered claims of a token. Claim names are case-sensitive, and null is treated as absent.
 * A method with discovery requires its URL as the issuer and an `exp`, and checks the audience only if one is
 * bound.
 * @param now in milliseconds since the epoch.
 * @returns why the token is refused, if it is: the first reason in the order of the reference.
 */
export function checkClaims(config: JwtConfig, claims: Claims, now: number): LoginRefusal | undefined {
  const registered = readRegistered(claims)
  if (registered === undefined) return 'claims_malformed'
  const validity = validityOf(config, registered)
  if (validity === undefined) return 'times_missing'
  const issuer = config.OIDCDiscoveryURL ?? config.BoundIssuer
  if (issuer !== undefined && registered.issuer !== issuer) return 'issuer_invalid'
  if (now < validity.fromMs) return 'token_not_yet_valid'
  if (now > validity.toMs) return 'token_expired'
  if (now < validity.issuedMs) return 'token_issued_in_future'
  return checkAudience(config, registered.audiences)
}

/** Times are in milliseconds since the epoch; 0 if the claim is absent. */
interface Registered {
  readonly issuer: string | undefined
  readonly audiences: readonly string[]
  readonly exp: number
  readonly nbf: number
  readonly iat: number
}

function readRegistered(claims: Claims): Registered | undefined {
  const read = (name: string) => (Object.hasOwn(claims, name) ? (claims[name] ?? undefined) : undefined)
  const [iss, sub, jti] = [read('iss'), read('sub'), read('jti')]
  if (!isTextOrAbsent(iss) || !isTextOrAbsent(sub) || !isTextOrAbsent(jti)) return undefined
  const audiences = readAudiences(read('aud'))
  const [exp, nbf, iat] = [readTime(read('exp')), readTime(read('nbf')), readTime(read('iat'))]
  if (audiences === undefined || exp === undefined || nbf === undefined || iat === undefined) return undefined
  return { issuer: iss, audiences, exp, nbf, iat }
}

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

function readAudiences(value: unknown): readonly string[] | undefined {
  if (value === undefined) return []
  const audiences: readonly unknown[] = Array.isArray(value) ? value : [value]
  return audiences.every((each) => typeof each === 'string') ? audiences : undefined
}

/** Reads seconds; fractions are truncated. */
function readTime(value: unknown): number | undefined {
  if (value === undefined) return 0
  const ms = typeof value === 'number' ? Math.trunc(value) * 1_000 : Number.NaN
  return Number.isSafeInteger(ms) ? ms : undefined
}

/** How long before its `nbf` a method with discovery accepts a token. */
const DISCOVERY_NOT_BEFORE_LEEWAY_MS = 60_000

function validityOf(config: JwtConfig, { exp, nbf, iat }: Registered) {
  if (config.OIDCDiscoveryURL !== undefined) {
    return { fromMs: nbf - DISCOVERY_NOT_BEFORE_LEEWAY_MS, toMs: exp, issuedMs: 0 }
  }
  if (exp === 0 && nbf === 0 && iat === 0) return undefined
  const { expirationMs, notBeforeMs, clockSkewMs } = leewaysOf(config)
  const end = exp || Math.max(iat, nbf) + expirationMs
  const start = nbf || iat || end - notBeforeMs
  return { fromMs: start - clockSkewMs, toMs: end + clockSkewMs, issuedMs: iat - clockSkewMs }
}

/** Refuses an audience that is not bound: the token was issued for another service. */
function checkAudience(
  { BoundAudiences = [], OIDCDiscoveryURL }: JwtConfig,
  audiences: readonly string[],
): LoginRefusal | undefined {
  if (BoundAudiences.length > 0) {
    return audiences.some((each) => BoundAudiences.includes(each)) ? undefined : 'audience_unmatched'
  }
  return audiences.length > 0 && OIDCDiscoveryURL === undefined ? 'audience_unbound' : undefined
}

/**
 * Checks everything about a credential except its signature: form, issuer, audience and times. For tests and mocks
 * only, because anyone can log in as anyone. A credential for type kubernetes has the claims `namespace`, `name` and
 * `uid`, which are not checked.
 */
export class DecodingVerifier implements Verifier {
  async verify(method: AuthMethodRecord, bearer: string, now: number): Promise<Verification> {
    const claims = readClaims(bearer)
    if (claims === undefined) return { outcome: 'refused', reason: 'token_malformed' }
    const reason = method.Type === 'jwt' ? checkClaims(method.Config, claims, now) : undefined
    return reason === undefined ? { outcome: 'verified', claims } : { outcome: 'refused', reason }
  }

  async check(): Promise<void> {}
}

function readClaims(bearer: string): Claims | undefined {
  const [header, payload, signature, ...more] = bearer.trim().split('.')
  if (!header || !payload || signature === undefined || more.length > 0) return undefined
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    )
    const claims = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? claims : undefined
  } catch (error) {
    // Neither base64 nor UTF-8, or not JSON.
    if (error instanceof AclError || error instanceof DOMException || error instanceof TypeError)
      return undefined
    throw error
  }
}

const VALID_SECONDS = 3_600

/**
 * Builds a credential for {@link DecodingVerifier}: a JWT without a signature. @param now in milliseconds
 * since the epoch. By default, the token is issued at this time and valid for an hour.
 */
export function unsignedToken(claims: Claims, now: number): string {
  const iat = Math.floor(now / 1_000)
  const encode = (value: unknown) => {
    const bytes = new TextEncoder().encode(JSON.stringify(value))
    const base64 = btoa(String.fromCharCode(...bytes))
    return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  }
  return `${encode({ alg: 'none' })}.${encode({ iat, exp: iat + VALID_SECONDS, ...claims })}.`
}
