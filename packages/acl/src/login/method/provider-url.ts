/** Checks the form of URLs in a method's configuration. The server decides to which addresses it connects. */
import { AclError, shorten } from '@latchkey/contract'

interface UrlContext {
  /** Whether URLs may be `http:`, for development. */
  readonly allowHttp: boolean
}

/** @throws AclError `field_invalid`. */
export function checkProviderUrl(text: string, field: string, context: UrlContext): URL {
  const url = parseUrl(text)
  if (url === undefined) throw invalidConfig(field, `is not a URL: ${JSON.stringify(shorten(text))}`)
  if (url.protocol !== 'https:' && !(context.allowHttp && url.protocol === 'http:')) {
    throw invalidConfig(field, 'must begin with https://')
  }
  if (url.username !== '' || url.password !== '' || text.includes('#')) {
    throw invalidConfig(field, 'may have no user and no fragment')
  }
  return url
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//

/**
 * Checks the address of a Kubernetes API: host, host:port or URL. A bare host means https.
 *
 * @throws AclError `field_invalid`.
 */
export function checkHost(host: string, context: UrlContext): URL {
  return checkProviderUrl(SCHEME.test(host) ? host : `https://${host}`, 'Host', context)
}

/** Checks only the form of a redirect URI: logins compare it as text. @throws AclError `field_invalid`. */
export function checkRedirectUri(text: string): void {
  const url = parseUrl(text)
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.username === '') return
  throw new AclError(
    'field_invalid',
    `Invalid Auth Method: Invalid AllowedRedirectURIs provided: [${shorten(text)}]`,
    { field: 'Config.AllowedRedirectURIs' },
  )
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

/** The refusal of a field in `Config`. @param problem the text after the name of the field. */
export function invalidConfig(field: string, problem: string): AclError {
  return new AclError('field_invalid', `Invalid Auth Method: '${field}' ${problem}`, {
    field: `Config.${field}`,
  })
}
