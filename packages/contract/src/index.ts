export {
  type AuthorizeAnswer,
  type AuthorizeCheck,
  authorizeAnswerSchema,
  authorizeCheckSchema,
  authorizeRequestSchema,
  type Explanation,
  lintRequestSchema,
  whatIfRequestSchema,
  whoCanRequestSchema,
} from './authorize.ts'
export {
  type DecodeOptions,
  decodeBody,
  decodeUtf8,
  decodeValue,
  type Schema,
  type SchemaOutput,
} from './decode.ts'
export { DurationSyntaxError, formatDurationMs, parseDurationMs, parseDurationNs } from './duration.ts'
export { COMMON_ERRORS, errorsOf } from './endpoint-errors.ts'
export {
  BLOCKING_QUERY_OPTIONS,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  endpoint,
  type Method,
  type Right,
} from './endpoints.ts'
export { ACL_ERRORS, AclError, type AclErrorCode, type AclErrorDetails, invariant } from './errors.ts'
export {
  GATE_NAMES,
  GATES,
  type GateDecider,
  type GateKind,
  type GateName,
  type VersionGate,
} from './gates.ts'
export { renderGatesTable } from './gates-table.ts'
export {
  HEADER,
  HEADER_PREFIX_DEFAULT,
  HEADER_PREFIXES_DEFAULT,
  PROBLEM_JSON,
  REDACTED_SECRET_ID,
  REQUEST_ID_HEADER,
} from './headers.ts'
export { formatPath, type Json, parseJson } from './json.ts'
export { type KvEntry, kvEntrySchema } from './kv.ts'
export {
  type LegacyToken,
  type LegacyTokenRequest,
  legacyTokenRequestSchema,
  legacyTokenSchema,
} from './legacy.ts'
export * as limits from './limits.ts'
export {
  type NodeIdentity,
  nodeIdentitySchema,
  type PolicyLink,
  policyLinkSchema,
  type RoleLink,
  roleLinkSchema,
  type ServiceIdentity,
  serviceIdentitySchema,
} from './links.ts'
export {
  LEGACY_ENDPOINTS,
  type LegacyEndpoint,
  legacyEndpointOf,
  REQUIRED_METHODS,
  type RequiredMethod,
  requiredMethodOf,
} from './methods.ts'
export {
  type Namespace,
  type NamespaceRequest,
  namespaceRequestSchema,
  namespaceSchema,
} from './namespace.ts'
export {
  type Policy,
  type PolicyListEntry,
  type PolicyRequest,
  type PolicyRequestInput,
  policyListEntrySchema,
  policyRequestSchema,
  policySchema,
} from './policy.ts'
export { changesBetween, profileOf, type ServiceProfile, type VersionChange } from './profile.ts'
export { type Role, type RoleRequest, type RoleRequestInput, roleRequestSchema, roleSchema } from './role.ts'
export { buildPath, decodePath, matchPath, type PathForm, type PathMatch, type RouteMatch } from './router.ts'
export type { AgentMetrics, GaugeSample, ValueSample } from './status.ts'
export { utf8Length } from './text.ts'
export { formatInstant, parseInstant, ZERO_TIME } from './time.ts'
export {
  cloneRequestSchema,
  type ExpandedToken,
  TOKEN_FIELD_GATES,
  type Token,
  type TokenListEntry,
  type TokenRequest,
  type TokenRequestInput,
  tokenListEntrySchema,
  tokenRequestSchema,
  tokenSchema,
} from './token.ts'
export {
  compareVersions,
  isBefore,
  parseServiceVersion,
  readVersion,
  SERVICE_VERSION_NEWEST,
  SERVICE_VERSION_OLDEST,
  type ServiceVersion,
} from './versions.ts'
