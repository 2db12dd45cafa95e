/** A verifier for tests and mocks. */
import { AclError, parseJson } from '@latchkey/contract'
import type { AuthMethodRecord } from '../records/login-records.ts'
import { checkClaims } from './check-claims.ts'
import type { Claims, Verification, Verifier } from './verifier.ts'

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
