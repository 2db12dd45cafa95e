/** Fetches the keys of a provider: its key set (RFC 7517), or the one that OIDC discovery names. */
import type { JwtConfig } from '@latchkey/acl'
import { type Outgoing, OutgoingError } from '../outgoing/outgoing.ts'
import { isJsonObject, type JsonObject, readJson } from './foreign-json.ts'
import { readJwk, type VerificationKey } from './public-keys.ts'

const KEY_SET_BYTES_MAX = 1_048_576
const DISCOVERY_BYTES_MAX = 262_144
/** Maximum number of keys in a set. Providers have two to ten; importing thousands would take seconds. */
const KEY_SET_KEYS_MAX = 100

export async function fetchKeys(outgoing: Outgoing, config: JwtConfig): Promise<readonly VerificationKey[]> {
  const { JWKSURL, JWKSCACert, OIDCDiscoveryURL = '', OIDCDiscoveryCACert } = config
  if (JWKSURL !== undefined) return fetchKeySet(outgoing, JWKSURL, JWKSCACert)
  const { jwks_uri: url } = await fetchDiscovery(outgoing, OIDCDiscoveryURL, OIDCDiscoveryCACert)
  if (typeof url !== 'string') throw new OutgoingError('not a discovery document')
  return fetchKeySet(outgoing, url, OIDCDiscoveryCACert)
}

export async function fetchKeySet(
  outgoing: Outgoing,
  url: string,
  ca: string | undefined,
): Promise<readonly VerificationKey[]> {
  const { body } = await outgoing.read({ url, ca, bytesMax: KEY_SET_BYTES_MAX })
  return readKeySet(body)
}

/** Reads the discovery document of an issuer, which must name exactly that issuer. @throws OutgoingError */
export async function fetchDiscovery(
  outgoing: Outgoing,
  issuer: string,
  ca: string | undefined,
): Promise<JsonObject> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { body } = await outgoing.read({ url, ca, bytesMax: DISCOVERY_BYTES_MAX })
  const document = readJson(body, 'not a discovery document')
  if (document.issuer !== issuer) throw new OutgoingError('issuer is not the URL')
  return document
}

/** Skips keys that cannot verify signatures: a provider may add kinds unknown to this server. */
function readKeySet(body: Uint8Array): readonly VerificationKey[] {
  const { keys } = readJson(body, 'not a key set')
  if (!Array.isArray(keys) || keys.length > KEY_SET_KEYS_MAX || !keys.every(isJsonObject)) {
    throw new OutgoingError('not a key set')
  }
  return keys.flatMap((jwk) => readJwk(jwk) ?? [])
}
