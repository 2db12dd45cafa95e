import {
  type AuthMethodConfiguration,
  type AuthMethodRecord,
  authMethodKey,
  type JwtConfig,
  type Verification,
  type Verifier,
} from '@latchkey/acl'
import { limits, utf8Length } from '@latchkey/contract'
import { BoundedMap } from '@latchkey/service'
import type { Outgoing } from '../outgoing/outgoing.ts'
import { checkMethod } from './check-method.ts'
import { type KeySource, RotatingKeys, staticKeys } from './key-sources.ts'
import { verifyServiceAccount } from './kubernetes.ts'
import { fetchKeys } from './provider-keys.ts'
import { readStaticKey } from './public-keys.ts'
import { verifyJwt } from './verify-jwt.ts'

/** Maximum number of methods whose keys are cached. The keys of others are fetched again when needed. */
const METHODS_MAX = 1_000

export class ProviderVerifier implements Verifier {
  private readonly outgoing: Outgoing
  /** Sources by method and its ModifyIndex, so that a write of one method does not affect the keys of others. */
  private readonly sources = new BoundedMap<string, KeySource>(METHODS_MAX)

  constructor(outgoing: Outgoing) {
    this.outgoing = outgoing
  }

  async verify(method: AuthMethodRecord, bearer: string, now: number): Promise<Verification> {
    if (utf8Length(bearer) > limits.BEARER_BYTES_MAX) return { outcome: 'refused', reason: 'token_too_large' }
    const trimmed = bearer.trim()
    switch (method.Type) {
      case 'jwt':
        return verifyJwt(method.Config, this.sourceOf(method, method.Config), { bearer: trimmed, now })
      case 'kubernetes':
        return verifyServiceAccount(this.outgoing, method.Config, trimmed)
      case 'oidc':
        // Methods of this type log people in through a browser only.
        return { outcome: 'refused', reason: 'token_malformed' }
    }
  }

  check(method: AuthMethodConfiguration, { fetch }: { readonly fetch: boolean }): Promise<void> {
    return checkMethod(method, { outgoing: this.outgoing, fetch })
  }

  private sourceOf(method: AuthMethodRecord, config: JwtConfig): KeySource {
    const key = `${authMethodKey(method)} ${method.ModifyIndex}`
    return this.sources.get(key) ?? this.sources.set(key, this.newSource(config), 1)
  }

  private newSource(config: JwtConfig): KeySource {
    const { JWTValidationPubKeys: pems } = config
    if (pems !== undefined) return staticKeys(pems.flatMap((pem) => readStaticKey(pem) ?? []))
    return new RotatingKeys(() => fetchKeys(this.outgoing, config))
  }
}
