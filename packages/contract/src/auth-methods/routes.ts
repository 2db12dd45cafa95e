/** Auth methods: identity providers whose credentials a login exchanges for a token. Decisions: auth methods. */
import * as z from 'zod'
import { right } from '../decisions/routes.ts'
import type { GateName } from '../gates.ts'
import {
  AUTH_METHOD_ENTRIES_MAX,
  AUTH_METHOD_KEYS_MAX,
  AUTH_METHOD_NAME_LENGTH_MAX,
  AUTH_METHOD_PEM_BYTES_MAX,
  AUTH_METHOD_TEXT_BYTES_MAX,
  BIND_NAME_BYTES_MAX,
  DESCRIPTION_BYTES_MAX,
  LIVE_TOKENS_MAX,
  NAMESPACE_RULES_MAX,
  SELECTOR_BYTES_MAX,
} from '../limits.ts'
import { type ContractRoutes, c, del, get, post, put } from '../route.ts'
import {
  ANY_CASE,
  description,
  indexesOnCreate,
  indexesOnUpdate,
  namespaceChosen,
  namespaceShown,
  required,
  stored,
} from '../shared/fields.ts'
import { aclDelete, aclQuestion, aclRead, aclWrite, deletedSchema } from '../shared/kinds.ts'
import { nodeIdentitySchema, serviceIdentitySchema, shownLinkSchema } from '../shared/links.ts'
import { methodNameParam } from '../shared/path-params.ts'
import { namespacedBlockingQuery, namespacedQuery, page, word } from '../shared/query.ts'
import { boundedText } from '../shared/text.ts'
import { durationSchema } from '../time/schemas.ts'

const TYPE = 'Type of the method: `jwt`, `kubernetes`, or `oidc` in the extended edition. Cannot be changed.'
const TTL =
  'Lifetime of the tokens that the method creates, 1 minute to 24 hours, such as `1h0m0s`. If absent, they do not expire.'
const LOCALITY =
  'Whether the tokens of the method are `local` to their datacenter or `global`. Empty means local.'
const DISPLAY_NAME = 'Name for people.'
const LIVE_TOKENS =
  'An extension: the maximum number of live tokens of the method. Logins beyond it are refused.'
const IDLE_TTL =
  'An extension: how long a token of the method may be unused before it expires; it may expire up to a tenth later. 1 minute to 24 hours, such as `1h0m0s`.'

const short = () => boundedText(AUTH_METHOD_TEXT_BYTES_MAX).optional()
const pem = () => boundedText(AUTH_METHOD_PEM_BYTES_MAX).optional()
const shorts = () => z.array(boundedText(AUTH_METHOD_TEXT_BYTES_MAX)).max(AUTH_METHOD_ENTRIES_MAX).optional()
const claims = () =>
  z.record(boundedText(AUTH_METHOD_TEXT_BYTES_MAX), boundedText(AUTH_METHOD_TEXT_BYTES_MAX)).optional()

/** Kept as sent, so that it is returned unchanged. The rules parse it. */
const leeway = (what: string, fallback: string) =>
  z
    .union([z.string(), z.number()], {
      error: 'expected a duration such as "90s" or a number of nanoseconds',
    })
    .optional()
    .meta({
      description: `${what} Go notation such as "90s", or a number of nanoseconds. 0: ${fallback}; negative: none.`,
    })

/** The configuration fields of all auth method types. The rules decide which fields a type accepts. */
const config = {
  JWTValidationPubKeys: z
    .array(boundedText(AUTH_METHOD_PEM_BYTES_MAX))
    .max(AUTH_METHOD_KEYS_MAX)
    .optional()
    .meta({ description: 'jwt: public keys in PEM that verify tokens.' }),
  JWKSURL: short().meta({ description: 'jwt: URL of a key set that verifies tokens.' }),
  JWKSCACert: pem().meta({
    description: 'jwt: certificates in PEM to trust for JWKSURL, instead of the system’s.',
  }),
  OIDCDiscoveryURL: short().meta({
    description: 'jwt and oidc: the issuer, which serves a discovery document.',
  }),
  OIDCDiscoveryCACert: pem().meta({
    description: 'jwt and oidc: certificates in PEM to trust for OIDCDiscoveryURL, instead of the system’s.',
  }),
  OIDCClientID: short().meta({ description: 'oidc: client ID at the provider.' }),
  OIDCClientSecret: short().meta({
    description:
      'oidc: client secret at the provider. Shown to callers with `acl:write`; others see `<hidden>`.',
  }),
  OIDCScopes: shorts().meta({ description: 'oidc: scopes to request in addition to `openid`.' }),
  OIDCACRValues: shorts().meta({ description: 'oidc: values of `acr_values`.' }),
  AllowedRedirectURIs: shorts().meta({
    description: 'oidc: URIs to which a browser may return. The port is not compared for loopback hosts.',
  }),
  VerboseOIDCLogging: z.boolean().optional().meta({ description: 'Accepted, without effect.' }),
  BoundIssuer: short().meta({ description: 'jwt: the required `iss`. Empty: any.' }),
  BoundAudiences: shorts().meta({
    description:
      'jwt and oidc: accepted audiences; a credential needs one of them. kubernetes: audiences for the token review.',
  }),
  JWTSupportedAlgs: shorts().meta({ description: 'jwt and oidc: allowed signature algorithms.' }),
  ClaimMappings: claims().meta({
    description: 'Maps claims to the names by which selectors use them, as in `value.name`.',
  }),
  ListClaimMappings: claims().meta({
    description: 'Maps claims that are lists to the names by which selectors use them, as in `list.name`.',
  }),
  ExpirationLeeway: leeway(
    'jwt: lifetime of a token without `exp`, measured from `iat` or `nbf`.',
    '150 seconds',
  ),
  NotBeforeLeeway: leeway(
    'jwt: how long before `exp` a token without `nbf` and `iat` is valid.',
    '150 seconds',
  ),
  ClockSkewLeeway: leeway('jwt: tolerated clock skew.', '1 minute'),
  Host: short().meta({ description: 'kubernetes: address of the API server.' }),
  IgnoreNameAnnotation: z
    .boolean()
    .optional()
    .meta({
      description:
        'kubernetes, an extension: whether service accounts log in under their own names, regardless of `consul.hashicorp.com/service-name`.',
    }),
  MapNamespaces: z
    .boolean()
    .optional()
    .meta({
      description:
        'kubernetes, extended edition, namespace `default` only: whether a token belongs to the namespace with the same name as the namespace of its service account. NamespaceRules come first.',
    }),
  ConsulNamespacePrefix: short().meta({
    description: 'kubernetes: prefix of the name that MapNamespaces maps to.',
  }),
  ConsulNamespaceOverrides: claims().meta({
    description:
      'kubernetes: maps Kubernetes namespaces to the namespaces that MapNamespaces uses for them, without the prefix.',
  }),
  CACert: pem().meta({ description: 'kubernetes: certificates in PEM to trust for Host.' }),
  ServiceAccountJWT: pem().meta({
    description:
      'kubernetes: token of the account that reviews tokens. Shown to callers with `acl:write`; others see `<hidden>`.',
  }),
}
const authMethodConfigSchema = z.strictObject(config).meta({ id: 'AuthMethodConfig' })
const configSent = z.strictObject(config).meta({ id: 'AuthMethodConfigSent', [ANY_CASE]: true })

const bindNamespace = boundedText(BIND_NAME_BYTES_MAX).meta({
  description: 'Namespace of the token, with `${value.name}` filled in.',
})
const ruleSelector = boundedText(SELECTOR_BYTES_MAX).meta({
  description: 'Selects logins. If empty, all of them.',
})
const namespaceRules = {
  description:
    'Extended edition, namespace `default` only. The first rule that matches decides the namespace of a token.',
}
const namespaceRulesShown = z
  .array(
    z.strictObject({ Selector: ruleSelector, BindNamespace: bindNamespace }).meta({ id: 'NamespaceRule' }),
  )
  .optional()
  .meta(namespaceRules)
const namespaceRulesSent = z
  .array(
    z
      .strictObject({ Selector: ruleSelector.optional(), BindNamespace: required(bindNamespace) })
      .meta({ id: 'NamespaceRuleSent' }),
  )
  .max(NAMESPACE_RULES_MAX)
  .optional()
  .meta({ ...namespaceRules, gate: 'authMethod.namespaceRules' satisfies GateName })

const maxTokenTtlShown = z.string().optional().meta({ description: TTL })
const limitsShown = {
  MaxLiveTokens: z
    .number()
    .optional()
    .meta({ description: `${LIVE_TOKENS} Absent: no limit.` }),
  IdleTTL: z
    .string()
    .optional()
    .meta({ description: `${IDLE_TTL} Absent: no limit.` }),
}
const localityShown = z.string().optional().meta({ description: LOCALITY })
const named = {
  Name: z.string().meta({ description: 'Name of the method, as first written.' }),
  Type: z.string().meta({ description: TYPE }),
  DisplayName: z.string().optional().meta({ description: DISPLAY_NAME }),
  Description: z.string().optional().meta({ description }),
}

/** An auth method in answers. Key order is the order on the wire. */
const authMethodSchema = z
  .strictObject({
    MaxTokenTTL: maxTokenTtlShown,
    ...named,
    TokenLocality: localityShown,
    Config: authMethodConfigSchema.meta({
      description: 'The configuration, as written, with its keys in order.',
    }),
    NamespaceRules: namespaceRulesShown,
    ...limitsShown,
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'AuthMethod' })
export type AuthMethod = z.infer<typeof authMethodSchema>

/** An element of the list, without Config. */
const authMethodListEntrySchema = z
  .strictObject({
    ...named,
    MaxTokenTTL: maxTokenTtlShown,
    TokenLocality: localityShown,
    ...limitsShown,
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'AuthMethodListEntry' })

const gates = {
  displayName: 'authMethod.displayName' satisfies GateName,
  maxTokenTtl: 'authMethod.maxTokenTtl' satisfies GateName,
  tokenLocality: 'authMethod.tokenLocality' satisfies GateName,
}
const content = {
  DisplayName: boundedText(DESCRIPTION_BYTES_MAX)
    .optional()
    .meta({ description: DISPLAY_NAME, gate: gates.displayName }),
  Description: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
  MaxTokenTTL: durationSchema
    .optional()
    .meta({
      description:
        'Lifetime of the tokens that the method creates, 1 minute to 24 hours. With 0, they do not expire.',
      gate: gates.maxTokenTtl,
    }),
  TokenLocality: z.string().optional().meta({ description: LOCALITY, gate: gates.tokenLocality }),
  Config: configSent
    .optional()
    .meta({
      description: 'The whole configuration: an update replaces it. Its names match regardless of case.',
    }),
  NamespaceRules: namespaceRulesSent,
  MaxLiveTokens: z
    .number()
    .optional()
    .meta({ description: `${LIVE_TOKENS} 1 to ${LIVE_TOKENS_MAX}; 0: no limit.` }),
  IdleTTL: durationSchema.optional().meta({ description: `${IDLE_TTL} 0: no limit.` }),
  Namespace: namespaceChosen,
}

/** The body of create. */
export const createAuthMethodSchema = z
  .strictObject({
    Name: required(
      z
        .string()
        .meta({
          description: `Letters, digits, \`-\` and \`_\`, at most ${AUTH_METHOD_NAME_LENGTH_MAX} characters; unique regardless of case.`,
          maxLength: AUTH_METHOD_NAME_LENGTH_MAX,
        }),
    ),
    Type: required(z.string().meta({ description: TYPE })),
    ...content,
    ...indexesOnCreate,
  })
  .meta({ id: 'AuthMethodCreate' })

/** The body of update: a record as read, with changes. A method that does not exist is created. */
const updateAuthMethodSchema = z
  .strictObject({
    Name: z.string().optional().meta({ description: 'Absent, or the same as in the path.' }),
    Type: z
      .string()
      .optional()
      .meta({ description: `${TYPE} Absent: the stored one.` }),
    ...content,
    ...indexesOnUpdate,
  })
  .meta({ id: 'AuthMethodUpdate' })

/** An extension: explains what a login with these claims would give. */
const explainLoginRequestSchema = z
  .strictObject({
    Claims: z
      .record(z.string(), z.unknown())
      .default({})
      .meta({ description: 'Claims of the credential, as the provider would sign them.' }),
  })
  .meta({ id: 'ExplainLoginRequest' })

const explainLoginAnswerSchema = z
  .strictObject({
    Values: z
      .record(z.string(), z.string())
      .meta({ description: 'Single values by the names that selectors use.' }),
    Lists: z
      .record(z.string(), z.array(z.string()))
      .meta({ description: 'Lists by the names that selectors use.' }),
    Refused: z
      .string()
      .optional()
      .meta({ description: 'Why the login would be refused. Absent if it would succeed.' }),
    Rules: z
      .array(
        z.strictObject({
          ID: z.string().meta({ description: 'ID of the binding rule.' }),
          Selector: z.string().meta({ description: 'Its selector.' }),
          BindType: z.string().meta({ description: 'Its bind type.' }),
          BindName: z.string().meta({ description: 'Its bind name.' }),
          Applies: z.boolean().meta({ description: 'Whether the rule applies to this login.' }),
          Name: z.string().optional().meta({ description: 'The computed name, if the selector matches.' }),
          Reason: z.string().optional().meta({ description: 'Why the rule does not apply.' }),
        }),
      )
      .meta({ description: 'Every binding rule of the method, in order of ID.' }),
    Roles: z.array(shownLinkSchema).meta({ description: 'Roles of the token.' }),
    ServiceIdentities: z
      .array(serviceIdentitySchema)
      .meta({ description: 'Service identities of the token.' }),
    NodeIdentities: z.array(nodeIdentitySchema).meta({ description: 'Node identities of the token.' }),
    Rights: z
      .array(z.strictObject(right))
      .meta({ description: 'Rights that the token would have, beyond the rights of a token without links.' }),
  })
  .meta({ id: 'ExplainLoginAnswer' })

/** Live tokens of one identity: an extension. */
const loginsEntrySchema = z
  .strictObject({
    Identity: z
      .string()
      .meta({
        description:
          'The `sub` of the credential, which identifies who logged in. Empty for credentials without `sub`.',
      }),
    LiveTokens: z
      .number()
      .meta({ description: 'Number of live tokens that the identity has from this method.' }),
    OldestCreateTime: z.string().meta({ description: 'When the oldest of these tokens was created.' }),
    LastUse: z
      .string()
      .optional()
      .meta({
        description:
          'When one of these tokens was last used, to a precision of a twentieth of IdleTTL. Absent if none was used, or if the method has no IdleTTL.',
      }),
  })
  .meta({ id: 'LoginsEntry' })

const api = { gate: 'api.authMethod', spec: '2.1', subject: 'auth method name' } as const
const read = { ...aclRead, ...api, blocking: 'authMethods' } as const
const writeErrors = [
  'field_required',
  'field_invalid',
  'field_immutable',
  'name_invalid',
  'selector_invalid',
  'not_found',
] as const
/** Its fields are read by the type of the method, after the body. */
const ofConfig = { 'field_unknown Config': 500, 'field_type Config': 500 } as const
const check = word(
  ['true', 'false'],
  {
    description: '`false`: write the method without contacting its provider. An extension.',
    initially: 'true',
    example: 'false',
  },
  'check must be true or false',
)

export const authMethods = c.router({
  create: put('/v1/acl/auth-method', authMethodSchema, {
    summary: 'Create an auth method',
    description:
      'Replaces a method with the same name, regardless of case. Fetches the URLs in the configuration once to check them.',
    query: namespacedQuery({ check }),
    body: createAuthMethodSchema,
    metadata: {
      ...aclWrite,
      ...api,
      writes: 'own',
      holdsSecrets: true,
      errors: writeErrors,
      referenceStatuses: ofConfig,
    },
  }),
  read: get('/v1/acl/auth-method/:Name', authMethodSchema, {
    pathParams: methodNameParam,
    summary: 'Read an auth method',
    description: 'Names are not case-sensitive. Only callers with `acl:write` see secrets in Config.',
    query: namespacedBlockingQuery({}),
    metadata: { ...read, holdsSecrets: true, errors: ['id_missing', 'not_found'] },
  }),
  update: put('/v1/acl/auth-method/:Name', authMethodSchema, {
    pathParams: methodNameParam,
    summary: 'Create or update an auth method',
    description:
      'Replaces the whole record, including Config. The stored spelling of the name is kept. Tokens that the method created stay valid, unless TokenLocality changes: then they stop working.',
    query: namespacedQuery({ check }),
    body: updateAuthMethodSchema,
    metadata: {
      ...aclWrite,
      writes: 'own',
      ...api,
      mayBeEmpty: true,
      holdsSecrets: true,
      errors: [...writeErrors, 'accessor_mismatch'],
      referenceStatuses: ofConfig,
    },
  }),
  delete: del('/v1/acl/auth-method/:Name', deletedSchema, {
    pathParams: methodNameParam,
    summary: 'Delete an auth method',
    description: 'Also deletes its binding rules, and revokes all tokens that it created.',
    query: namespacedQuery({}),
    metadata: {
      ...aclDelete,
      ...api,
      writes: 'own',
      errors: ['id_missing', 'not_found'],
      referenceStatuses: { not_found: 200 },
    },
  }),
  explain: post('/v1/acl/auth-method/:Name/explain', explainLoginAnswerSchema, {
    pathParams: methodNameParam,
    summary: 'Explain what a login would grant',
    description: 'Accepts claims as a provider would sign them. Nothing is verified or written.',
    query: namespacedQuery({}),
    body: explainLoginRequestSchema,
    metadata: { ...aclQuestion, ...api, spec: 'extension', errors: ['not_found', 'batch_too_large'] },
  }),
  logins: get('/v1/acl/auth-method/:Name/logins', z.array(loginsEntrySchema), {
    pathParams: methodNameParam,
    summary: 'List who is logged in',
    description:
      'Counts the live tokens that the method created for each identity, in order of identity and in pages. Shows who does not log out.',
    query: namespacedQuery(page),
    metadata: { ...aclRead, ...api, spec: 'extension', errors: ['not_found'] },
  }),
  list: get('/v1/acl/auth-methods', z.array(authMethodListEntrySchema), {
    summary: 'List auth methods',
    description: 'In order of name, without Config.',
    query: namespacedBlockingQuery({}),
    metadata: { ...read, errors: [] },
  }),
} satisfies ContractRoutes)
