/** Checks the form of URLs in a method's configuration. The server decides to which addresses it connects. */
import { AclError, type AclErrorCode, shorten } from '@latchkey/contract'

interface UrlContext {
  /** Whether URLs may be `http:`, for development. */
  readonly allowHttp: boolean
}

/** @throws AclError `field_invalid`. */
export function checkProviderUrl(text: string, field: string, context: UrlContext): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw invalidConfig(field, `is not a URL: ${JSON.stringify(shorten(text))}`)
  if (url.protocol !== 'https:' && !(context.allowHttp && url.protocol === 'http:')) {
    throw invalidConfig(field, 'must begin with https://')
  }
  if (url.username !== '' || url.password !== '' || text.includes('#')) {
    throw invalidConfig(field, 'may have no user and no fragment')
  }
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//

/**
 * Checks the address of a Kubernetes API: host, host:port or URL. A bare host means https.
 *
 * @throws AclError `field_invalid`.
 */
export function checkHost(host: string, context: UrlContext): void {
  checkProviderUrl(SCHEME.test(host) ? host : `https://${host}`, 'Host', context)
}

/** Checks only the form of a redirect URI: logins compare it as text. @throws AclError `field_invalid`. */
export function checkRedirectUri(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.username === '') return
  throw invalidMethod(
    'Config.AllowedRedirectURIs',
    `Invalid AllowedRedirectURIs provided: [${shorten(text)}]`,
  )
}

/** The refusal of a field in `Config`. @param problem the text after the name of the field. */
export function invalidConfig(field: string, problem: string): AclError {
  return invalidMethod(`Config.${field}`, `'${field}' ${problem}`)
}

export function invalidMethod(
  field: string,
  problem: string,
  code: AclErrorCode = 'field_invalid',
): AclError {
  return new AclError(code, `Invalid Auth Method: ${problem}`, { field })
}
