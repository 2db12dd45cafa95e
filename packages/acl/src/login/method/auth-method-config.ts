/**
 * The configuration of auth methods: the fields of each type, and the order of their checks. Decisions: auth methods.
 */
import { AclError, type AclErrorCode, limits, REDACTED_SECRET_ID, shorten } from '@latchkey/contract'
import { isNamespaceName } from '../../ids.ts'
import type {
  AuthMethodConfiguration,
  AuthMethodRecord,
  AuthMethodType,
  ClaimMappings,
  JwtConfig,
  KubernetesConfig,
  OidcConfig,
} from '../../records/login-records.ts'
import { checkLeeway } from './leeway.ts'

export type ConfigRequest = Writable<JwtConfig & Partial<OidcConfig> & Partial<KubernetesConfig>>

type Writable<T> = { readonly [Key in keyof T]?: T[Key] | undefined }

export interface ConfigContext {
  /** Whether URLs may be `http:` and point to this machine, for development. */
  readonly allowHttp: boolean
  readonly unknownFields?: ReadonlySet<string>
}

type ConfigField = keyof ConfigRequest & string

const TOKEN_FIELDS = [
  'BoundAudiences',
  'ClaimMappings',
  'JWTSupportedAlgs',
  'ListClaimMappings',
  'OIDCDiscoveryCACert',
  'OIDCDiscoveryURL',
] as const

const FIELDS: Readonly<Record<AuthMethodType, readonly ConfigField[]>> = {
  jwt: [
    ...TOKEN_FIELDS,
    'BoundIssuer',
    'ClockSkewLeeway',
    'ExpirationLeeway',
    'JWKSCACert',
    'JWKSURL',
    'JWTValidationPubKeys',
    'NotBeforeLeeway',
  ],
  oidc: [
    ...TOKEN_FIELDS,
    'AllowedRedirectURIs',
    'OIDCACRValues',
    'OIDCClientID',
    'OIDCClientSecret',
    'OIDCScopes',
    'VerboseOIDCLogging',
  ],
  kubernetes: [
    'BoundAudiences',
    'CACert',
    'ConsulNamespaceOverrides',
    'ConsulNamespacePrefix',
    'Host',
    'IgnoreNameAnnotation',
    'MapNamespaces',
    'ServiceAccountJWT',
  ],
}

const CONFIG_NAMES: ReadonlyMap<string, string> = new Map(
  Object.values(FIELDS).flatMap((fields) => fields.map((field) => [field.toLowerCase(), field] as const)),
)

/** Names of Config as a client wrote them, by our names; only those that differ. */
export type WrittenNames = Readonly<Record<string, string>>

/** Reads a configuration that is stored as it was written: the one under our names, and how they were written. */
export function readWritten(stored: object): { readonly config: object; readonly names: WrittenNames } {
  const named = Object.entries(stored).map(
    ([key, value]) => [CONFIG_NAMES.get(key.toLowerCase()) ?? key, key, value] as const,
  )
  return {
    config: Object.fromEntries(named.map(([name, , value]) => [name, value])),
    names: Object.fromEntries(named.flatMap(([name, key]) => (name === key ? [] : [[name, key]]))),
  }
}

/** The inverse of {@link readWritten}. A name whose value is stored elsewhere, as a secret is, gets `null`. */
export function asWritten(config: object, names: WrittenNames = {}): object {
  const absent = Object.keys(names).filter((name) => !(name in config))
  const fields = [...Object.entries(config), ...absent.map((name) => [name, null] as const)]
  return Object.fromEntries(fields.map(([name, value]) => [names[name] ?? name, value]))
}

/** Fields whose values are encrypted at rest and hidden from callers without `acl:write`. */
const SECRET_CONFIG_FIELDS = ['OIDCClientSecret', 'ServiceAccountJWT'] as const

/** EdDSA is an extension: the reference verifies it but does not accept its name here. */
const ALGORITHMS: ReadonlySet<string> = new Set([
  ...['RS', 'ES', 'PS'].flatMap((family) => ['256', '384', '512'].map((size) => family + size)),
  'EdDSA',
])

/**
 * Checks a configuration, except for keys and certificates, which the verifier checks.
 * @returns the configuration without unset fields.
 */
export function checkConfig(
  type: AuthMethodType,
  request: ConfigRequest,
  context: ConfigContext,
): AuthMethodConfiguration {
  const { set: config } = splitConfig(request)
  for (const field of (Object.keys(config) as ConfigField[]).sort()) checkKnown(type, field, context)
  for (const field of SECRET_CONFIG_FIELDS) {
    if (request[field] === REDACTED_SECRET_ID) {
      throw invalidConfig(field, 'holds the redaction text: send the secret itself')
    }
  }
  switch (type) {
    case 'jwt':
      checkJwt(config as JwtConfig, context)
      return { Type: type, Config: config as JwtConfig }
    case 'oidc':
      return { Type: type, Config: checkOidc(config as Partial<OidcConfig>, context) }
    case 'kubernetes':
      return { Type: type, Config: checkKubernetes(config as Partial<KubernetesConfig>, context) }
  }
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

/** Splits a configuration into empty and other fields, each in order of name. */
export function splitConfig<Config extends object>(
  written: Config,
): { readonly empty: Partial<Config>; readonly set: Partial<Config> } {
  const given = Object.entries(written)
    .filter(([, value]) => value !== undefined && value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const { true: set = [], false: empty = [] } = Object.groupBy(given, ([, value]) => `${isSet(value)}`)
  return {
    empty: Object.fromEntries(empty) as Partial<Config>,
    set: Object.fromEntries(set) as Partial<Config>,
  }
}

/**
 * Refuses a field of another type, with an error for an unknown field if this service version does not support that
 * type.
 */
function checkKnown(type: AuthMethodType, field: ConfigField, { unknownFields }: ConfigContext): void {
  if (!unknownFields?.has(field)) {
    if (FIELDS[type].includes(field)) return
    const isOfTokens = type !== 'kubernetes' && !FIELDS.kubernetes.includes(field)
    if (isOfTokens) throw invalidConfig(field, `must not be set for type "${type}"`)
  }
  const path = `Config.${field}`
  const problem = `error decoding config: unknown field "${path}" for type "${type}"`
  throw invalidMethod(path, problem, 'field_unknown')
}

function checkJwt(config: JwtConfig, context: ConfigContext): void {
  const { JWTValidationPubKeys, JWKSURL, JWKSCACert, OIDCDiscoveryURL, BoundIssuer } = config
  const sources = [JWTValidationPubKeys, JWKSURL, OIDCDiscoveryURL].filter((source) => source !== undefined)
  if (sources.length !== 1) {
    const problem = `exactly one of 'JWTValidationPubKeys', 'JWKSURL', or 'OIDCDiscoveryURL' must be set for type "jwt"`
    throw invalidMethod('Config', problem)
  }
  if (JWKSURL !== undefined) checkProviderUrl(JWKSURL, 'JWKSURL', context)
  checkCaCert({ JWKSCACert, JWKSURL })
  if (JWTValidationPubKeys !== undefined && JWTValidationPubKeys.length > limits.AUTH_METHOD_KEYS_MAX) {
    const field = 'Config.JWTValidationPubKeys'
    const most = `${field} must have at most ${limits.AUTH_METHOD_KEYS_MAX} entries`
    throw new AclError('field_too_long', most, { field })
  }
  checkTokens(config, context)
  // The reference ignores BoundIssuer with discovery; a method could then name an issuer that it does not accept.
  if (OIDCDiscoveryURL !== undefined && BoundIssuer !== undefined && BoundIssuer !== OIDCDiscoveryURL) {
    throw invalidConfig('BoundIssuer', "must equal 'OIDCDiscoveryURL', which is the issuer")
  }
  for (const field of ['ExpirationLeeway', 'NotBeforeLeeway', 'ClockSkewLeeway'] as const) {
    checkLeeway(config[field], field)
  }
}

function checkOidc(config: Partial<OidcConfig>, context: ConfigContext): OidcConfig {
  const OIDCDiscoveryURL = required(config, 'OIDCDiscoveryURL', 'oidc')
  const OIDCClientID = required(config, 'OIDCClientID', 'oidc')
  const OIDCClientSecret = required(config, 'OIDCClientSecret', 'oidc')
  const AllowedRedirectURIs = required(config, 'AllowedRedirectURIs', 'oidc')
  for (const uri of AllowedRedirectURIs) checkRedirectUri(uri)
  checkTokens(config, context)
  return { ...config, OIDCDiscoveryURL, OIDCClientID, OIDCClientSecret, AllowedRedirectURIs }
}

const JWT_FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/

function checkKubernetes(config: Partial<KubernetesConfig>, context: ConfigContext): KubernetesConfig {
  const Host = required(config, 'Host')
  checkHost(Host, context)
  const CACert = required(config, 'CACert')
  const ServiceAccountJWT = required(config, 'ServiceAccountJWT')
  if (!JWT_FORM.test(ServiceAccountJWT.trim())) {
    throw invalidConfig('ServiceAccountJWT', 'is not a valid JWT: it needs three parts with a dot between')
  }
  const mapped = Object.values(config.ConsulNamespaceOverrides ?? {})
  if (!mapped.every(isNamespaceName)) {
    throw invalidConfig('ConsulNamespaceOverrides', 'must map to names of namespaces')
  }
  return { ...config, Host, CACert, ServiceAccountJWT }
}

/** Checks the fields shared by the types that verify signed tokens. */
function checkTokens(config: Pick<JwtConfig, (typeof TOKEN_FIELDS)[number]>, context: ConfigContext): void {
  const { OIDCDiscoveryURL, OIDCDiscoveryCACert, JWTSupportedAlgs = [] } = config
  checkCaCert({ OIDCDiscoveryCACert, OIDCDiscoveryURL })
  if (OIDCDiscoveryURL !== undefined) checkProviderUrl(OIDCDiscoveryURL, 'OIDCDiscoveryURL', context)
  const unsupported = JWTSupportedAlgs.find((algorithm) => !ALGORITHMS.has(algorithm))
  if (unsupported !== undefined) {
    throw invalidMethod('Config.JWTSupportedAlgs', `Invalid supported algorithm: ${shorten(unsupported)}`)
  }
  checkMappings(config.ClaimMappings, 'ClaimMappings')
  checkMappings(config.ListClaimMappings, 'ListClaimMappings')
}

function checkCaCert(pair: Readonly<Record<string, string | undefined>>): void {
  const [[caField = '', caCert] = [], [urlField = '', url] = []] = Object.entries(pair)
  if (caCert !== undefined && url === undefined) {
    throw invalidConfig(caField, `should not be set unless '${urlField}' is set`)
  }
}

function checkMappings(mappings: ClaimMappings | undefined, field: string): void {
  const names = new Set<string>()
  for (const name of Object.values(mappings ?? {})) {
    if (name === '' || names.has(name)) {
      const key = JSON.stringify(shorten(name))
      const problem = name === '' ? 'a mapping without a name' : `multiple mappings for key ${key}`
      throw invalidMethod(`Config.${field}`, `${field} contains ${problem}`)
    }
    names.add(name)
  }
}

function required<Config, Field extends keyof Config & string>(
  config: Config,
  field: Field,
  type?: AuthMethodType,
): NonNullable<Config[Field]> {
  const value = config[field]
  if (value !== undefined && value !== null) return value
  const problem =
    type === undefined ? `Config.${field} is required` : `'${field}' must be set for type "${type}"`
  throw invalidMethod(`Config.${field}`, problem, 'field_required')
}

/**
 * The configuration as written, with its keys in order. @param seesSecrets whether the caller may see the
 * secrets. @param isRespelled whether its names are shown as they were written.
 */
export function shownConfig(
  { Config, EmptyConfig, WrittenNames }: AuthMethodRecord,
  { seesSecrets, isRespelled }: { readonly seesSecrets: boolean; readonly isRespelled: boolean },
): Readonly<Record<string, unknown>> {
  const hidden = seesSecrets ? [] : SECRET_CONFIG_FIELDS.filter((field) => field in Config)
  const secrets = Object.fromEntries(hidden.map((field) => [field, REDACTED_SECRET_ID]))
  const shown = { ...EmptyConfig, ...Config, ...secrets }
  return sortedKeys(isRespelled ? asWritten(shown, WrittenNames) : shown)
}

function sortedKeys(fields: object): Readonly<Record<string, unknown>> {
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, value]) => [key, isMap(value) ? sortedKeys(value) : value]))
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface UrlContext {
  readonly allowHttp: boolean
}

function checkProviderUrl(text: string, field: string, context: UrlContext): void {
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

/** Checks the address of a Kubernetes API: host, host:port or URL. A bare host means https. */
function checkHost(host: string, context: UrlContext): void {
  checkProviderUrl(SCHEME.test(host) ? host : `https://${host}`, 'Host', context)
}

/** Checks only the form of a redirect URI: logins compare it as text. */
function checkRedirectUri(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.username === '') return
  throw invalidMethod(
    'Config.AllowedRedirectURIs',
    `Invalid AllowedRedirectURIs provided: [${shorten(text)}]`,
  )
}

function invalidConfig(field: string, problem: string): AclError {
  return invalidMethod(`Config.${field}`, `'${field}' ${problem}`)
}

export function invalidMethod(
  field: string,
  problem: string,
  code: AclErrorCode = 'field_invalid',
): AclError {
  return new AclError(code, `Invalid Auth Method: ${problem}`, { field })
}
