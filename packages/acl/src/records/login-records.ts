/** Records of auth methods and binding rules, with the wire's spelling and shapes. */

/** Go notation, or a number of nanoseconds: as it was written. */
export type WrittenDuration = string | number

/** Claims, and the names that selectors and bind names use for them. */
export type ClaimMappings = Readonly<Record<string, string>>

/** How a token of the provider is verified and read, whatever the type. */
interface TokenConfig {
  readonly OIDCDiscoveryURL?: string
  readonly OIDCDiscoveryCACert?: string
  readonly BoundAudiences?: readonly string[]
  readonly JWTSupportedAlgs?: readonly string[]
  readonly ClaimMappings?: ClaimMappings
  readonly ListClaimMappings?: ClaimMappings
}

/** Exactly one of JWTValidationPubKeys, JWKSURL and OIDCDiscoveryURL is set. */
export interface JwtConfig extends TokenConfig {
  readonly JWTValidationPubKeys?: readonly string[]
  readonly JWKSURL?: string
  readonly JWKSCACert?: string
  readonly BoundIssuer?: string
  readonly ExpirationLeeway?: WrittenDuration
  readonly NotBeforeLeeway?: WrittenDuration
  readonly ClockSkewLeeway?: WrittenDuration
}

export interface OidcConfig extends TokenConfig {
  readonly OIDCDiscoveryURL: string
  readonly OIDCClientID: string
  /** A secret: sealed at rest, hidden from callers without `acl:write`. */
  readonly OIDCClientSecret: string
  readonly AllowedRedirectURIs: readonly string[]
  readonly OIDCScopes?: readonly string[]
  readonly OIDCACRValues?: readonly string[]
  readonly VerboseOIDCLogging?: boolean
}

export interface KubernetesConfig {
  readonly Host: string
  readonly CACert: string
  /** A secret: sealed at rest, hidden from callers without `acl:write`. */
  readonly ServiceAccountJWT: string
  readonly BoundAudiences?: readonly string[]
  /** Logs in under the name of the service account, whatever its annotation says. */
  readonly IgnoreNameAnnotation?: boolean
  /** Extended edition: whether a token is in a namespace named after that of its service account. */
  readonly MapNamespaces?: boolean
  /** Goes before the name of the Kubernetes namespace. */
  readonly ConsulNamespacePrefix?: string
  /** Namespaces by Kubernetes namespaces, instead of the prefix. */
  readonly ConsulNamespaceOverrides?: Readonly<Record<string, string>>
}

/** The configuration of an auth method, by its type. */
export type AuthMethodConfiguration =
  | { readonly Type: 'jwt'; readonly Config: JwtConfig }
  | { readonly Type: 'oidc'; readonly Config: OidcConfig }
  | { readonly Type: 'kubernetes'; readonly Config: KubernetesConfig }

export type AuthMethodType = AuthMethodConfiguration['Type']

/** The first rule whose selector matches decides the namespace of a token. Extended edition only. */
export interface NamespaceRule {
  readonly Selector: string
  readonly BindNamespace: string
}

export type AuthMethodRecord = AuthMethodConfiguration & {
  /** The first spelling: an update in another case does not change it. */
  readonly Name: string
  readonly DisplayName: string
  readonly Description: string
  /** Go notation, such as `1h0m0s`; `undefined` where tokens do not expire. */
  readonly MaxTokenTTL: string | undefined
  readonly TokenLocality: '' | 'local' | 'global'
  /** Fields of Config that were written empty. They count as absent, and are shown as they were written. */
  readonly EmptyConfig: Readonly<Record<string, unknown>>
  /** An extension: the most live tokens of the method; `undefined` for no bound. */
  readonly MaxLiveTokens: number | undefined
  /** An extension: Go notation; a token that is not used for so long ends. `undefined` for no limit. */
  readonly IdleTTL: string | undefined
  /** RFC 3339: when IdleTTL was last changed, which counts as a use of every token. Never part of an answer. */
  readonly IdleSince: string | undefined
  readonly NamespaceRules: readonly NamespaceRule[]
  /**
   * What a token of the method must repeat to be alive; it never travels. A deleted method and a later one of the same
   * name have different ones, so that tokens die with their method before their rows are removed.
   */
  readonly Generation: number
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

export type BindType = 'service' | 'node' | 'role'

export interface BindingRuleRecord {
  readonly ID: string
  readonly Description: string
  /** As it was written: in any case. */
  readonly AuthMethod: string
  /** Empty: every login. */
  readonly Selector: string
  readonly BindType: BindType
  readonly BindName: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}
