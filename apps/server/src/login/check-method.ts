/** Checks the keys, certificates and URLs of a new or changed method. Decisions: auth methods. */
import type { AuthMethodConfiguration, JwtConfig, KubernetesConfig, OidcConfig } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { type Outgoing, OutgoingError } from '../outgoing/outgoing.ts'
import { kubernetesUrl } from './kubernetes.ts'
import { fetchDiscovery, fetchKeySet } from './provider-keys.ts'
import { areCertificates, readStaticKey } from './public-keys.ts'

interface CheckOptions {
  readonly outgoing: Outgoing
  /** Whether to fetch the URLs. URLs that may never be fetched are refused in any case. */
  readonly fetch: boolean
}

export async function checkMethod(method: AuthMethodConfiguration, options: CheckOptions): Promise<void> {
  switch (method.Type) {
    case 'jwt':
      checkStaticKeys(method.Config)
      await checkKeySet(method.Config, options)
      return checkDiscovery(method.Config, options)
    case 'oidc':
      return checkDiscovery(method.Config, options)
    case 'kubernetes':
      return checkKubernetes(method.Config, options)
  }
}

function checkStaticKeys({ JWTValidationPubKeys = [], JWTSupportedAlgs }: JwtConfig): void {
  for (const [index, pem] of JWTValidationPubKeys.entries()) {
    const name = `JWTValidationPubKeys[${index}]`
    const key = readStaticKey(pem)
    if (key === undefined) {
      const problem = 'data does not contain any valid RSA, ECDSA, or ED25519 public keys'
      throw invalid(name, `error parsing public key ${name}: ${problem}`)
    }
    if (JWTSupportedAlgs !== undefined && !key.algorithms.some((each) => JWTSupportedAlgs.includes(each))) {
      const able = key.algorithms.join(', ')
      throw invalid(
        'JWTSupportedAlgs',
        `'JWTSupportedAlgs' has no algorithm of ${name}, which can do ${able}`,
      )
    }
  }
}

async function checkKeySet(
  { JWKSURL: url, JWKSCACert: ca }: JwtConfig,
  options: CheckOptions,
): Promise<void> {
  checkCertificates('JWKSCACert', ca)
  if (url === undefined) return
  await checkUrl('JWKSURL', url, { ...options, ask: () => fetchKeySet(options.outgoing, url, ca) })
}

async function checkDiscovery(config: JwtConfig | OidcConfig, options: CheckOptions): Promise<void> {
  const { OIDCDiscoveryURL: url, OIDCDiscoveryCACert: ca } = config
  checkCertificates('OIDCDiscoveryCACert', ca)
  if (url === undefined) return
  await checkUrl('OIDCDiscoveryURL', url, {
    ...options,
    ask: () => fetchDiscovery(options.outgoing, url, ca),
  })
}

async function checkKubernetes(config: KubernetesConfig, options: CheckOptions): Promise<void> {
  if (!areCertificates(config.CACert)) {
    const problem = 'data does not contain any valid RSA or ECDSA certificates'
    throw invalid('CACert', `error parsing kubernetes ca cert: ${problem}`)
  }
  // Not fetched: the API only answers questions about a credential, and there is none yet.
  await checkUrl('Host', kubernetesUrl(config), { ...options, ask: undefined })
}

function checkCertificates(name: string, pem: string | undefined): void {
  if (pem === undefined || areCertificates(pem)) return
  throw invalid(name, `error checking ${name}: could not parse CA PEM value successfully`)
}

async function checkUrl(
  name: string,
  url: string,
  { outgoing, fetch, ask }: CheckOptions & { readonly ask: (() => Promise<unknown>) | undefined },
): Promise<void> {
  try {
    outgoing.checkUrl(url)
    if (fetch) await ask?.()
  } catch (cause) {
    if (!(cause instanceof OutgoingError)) throw cause
    throw invalid(name, `error checking ${name}: ${cause.failure}`, cause)
  }
}

function invalid(name: string, problem: string, cause?: unknown): AclError {
  return new AclError('field_invalid', `Invalid Auth Method: ${problem}`, { field: `Config.${name}`, cause })
}
