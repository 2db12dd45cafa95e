/** Records of auth methods and binding rules, spelled and shaped as on the wire. */

/** Go notation or a number of nanoseconds, as it was written. */
export type WrittenDuration = string | number

/** Maps claims to their names in selectors and bind names. */
export type ClaimMappings = Readonly<Record<string, string>>

/** How a provider's token is verified and read, for every type. */
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
  /** A secret: encrypted at rest, hidden from callers without `acl:write`. */
  readonly OIDCClientSecret: string
  readonly AllowedRedirectURIs: readonly string[]
  readonly OIDCScopes?: readonly string[]
  readonly OIDCACRValues?: readonly string[]
  readonly VerboseOIDCLogging?: boolean
}

export interface KubernetesConfig {
  readonly Host: string
  readonly CACert: string
  /** A secret: encrypted at rest, hidden from callers without `acl:write`. */
  readonly ServiceAccountJWT: string
  readonly BoundAudiences?: readonly string[]
  /** Whether accounts log in under the name of the service account, regardless of its annotation. */
  readonly IgnoreNameAnnotation?: boolean
  /**
   * Extended edition: whether a token is in the namespace with the same name as the namespace of its service account.
   */
  readonly MapNamespaces?: boolean
  readonly ConsulNamespacePrefix?: string
  /** Maps Kubernetes namespaces to namespaces, which are used without the prefix. */
  readonly ConsulNamespaceOverrides?: Readonly<Record<string, string>>
}

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
  /** As first written: an update in another case does not change it. */
  readonly Name: string
  readonly DisplayName: string
  readonly Description: string
  /** Go notation, such as `1h0m0s`; `undefined` if tokens do not expire. */
  readonly MaxTokenTTL: string | undefined
  readonly TokenLocality: '' | 'local' | 'global'
  /** Fields of Config that were written empty. They are treated as absent, and returned as written. */
  readonly EmptyConfig: Readonly<Record<string, unknown>>
  /**
   * How the client wrote names in Config, by our names; absent if it wrote them like us. Existing automation compares what
   * it reads with what it wrote. Decisions: auth methods.
   */
  readonly WrittenNames?: Readonly<Record<string, string>>
  /** An extension: the maximum number of live tokens of the method; `undefined` for no limit. */
  readonly MaxLiveTokens: number | undefined
  /** An extension, in Go notation: how long a token may be unused before it expires. `undefined` for no limit. */
  readonly IdleTTL: string | undefined
  /** RFC 3339: when IdleTTL was last changed, which is treated as a use of every token. Never part of an answer. */
  readonly IdleSince: string | undefined
  readonly NamespaceRules: readonly NamespaceRule[]
  /**
   * A token is valid only with the generation of its method; never part of an answer. A deleted method and a later one
   * with the same name have different generations, so tokens become invalid with their method before their rows are
   * removed.
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
  /** As written, in any case. */
  readonly AuthMethod: string
  /** If empty, every login. */
  readonly Selector: string
  readonly BindType: BindType
  readonly BindName: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}
