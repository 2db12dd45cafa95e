/** A method with one static key, tokens that it accepts, and a verifier for them. */
import type { JwtConfig } from '@latchkey/acl'
import { aMethod } from '@latchkey/testkit/records/record-builders'
import { ProviderVerifier } from '../../src/login/provider-verifier.ts'
import { Outgoing } from '../../src/outgoing/outgoing.ts'
import { claimsWith, compact, ecKeys, NOW, pemOf, rsaKeys, type Signer, signer } from './tokens.ts'

/** The key of {@link STATIC}. */
export const keys = ecKeys()
export const p384 = ecKeys('P-384')
export const rsa = rsaKeys()
export const signed = signer('ES256', keys)

/** One static ES256 key, a bound issuer and a bound audience. */
export const STATIC: JwtConfig = {
  JWTValidationPubKeys: [pemOf(keys)],
  BoundIssuer: 'iss',
  BoundAudiences: ['aud'],
}
export const ES256 = { alg: 'ES256' }
/** A token that {@link STATIC} accepts. */
export const valid = compact(ES256, claimsWith(), signed)

export const verifier = new ProviderVerifier(new Outgoing({ allowHttp: true }))

export async function verify(bearer: string, config: JwtConfig = STATIC) {
  return verifier.verify(aMethod({ Config: config }), bearer, NOW)
}

/** `verified`, or the reason for the refusal. */
export async function outcomeOf(bearer: string, config: JwtConfig = STATIC): Promise<string> {
  const verification = await verify(bearer, config)
  return verification.outcome === 'refused' ? verification.reason : verification.outcome
}

export const withHeader = (header: object | string, sign: Signer = signed) =>
  compact(header, claimsWith(), sign)
