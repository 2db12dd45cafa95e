export { type Contract, contract, RESOURCES, type ResourceName } from './contract.ts'
export {
  type AuthorizeAnswer,
  type AuthorizeCheck,
  authorizeAnswerSchema,
  authorizeCheckSchema,
  authorizeRequestSchema,
  type Explanation,
  whoCanRequestSchema,
} from './decisions/schemas.ts'
export { ACL_ERRORS, AclError, type AclErrorCode, type AclErrorDetails, invariant } from './errors.ts'
export {
  GATE_NAMES,
  GATES,
  type GateDecider,
  type GateKind,
  type GateName,
  type VersionGate,
} from './gates.ts'
export {
  HEADER,
  HEADER_PREFIX_DEFAULT,
  HEADER_PREFIXES_DEFAULT,
  PROBLEM_JSON,
  REDACTED_SECRET_ID,
  REQUEST_ID_HEADER,
} from './headers.ts'
export {
  type DecodeOptions,
  decodeBody,
  decodeUtf8,
  decodeValue,
  type Schema,
  type SchemaOutput,
} from './json/decode.ts'
export { formatPath, type Json, parseJson } from './json/json.ts'
export { type KvEntry, kvEntrySchema } from './kv/schemas.ts'
export {
  type LegacyToken,
  type LegacyTokenRequest,
  legacyTokenRequestSchema,
  legacyTokenSchema,
} from './legacy/schemas.ts'
export * as limits from './limits.ts'
export type { RouteMetadata } from './metadata.ts'
export {
  type CreateNamespace,
  createNamespaceSchema,
  type Namespace,
  namespaceSchema,
  type UpdateNamespace,
  updateNamespaceSchema,
} from './namespaces/schemas.ts'
export type { AgentMetrics, GaugeSample, ValueSample } from './operations/schemas.ts'
export {
  LEGACY_ENDPOINTS,
  type LegacyEndpoint,
  legacyEndpointOf,
  REQUIRED_METHODS,
  type RequiredMethod,
  requiredMethodOf,
} from './paths/methods.ts'
export {
  buildPath,
  decodePath,
  matchPath,
  type PathForm,
  type PathMatch,
  type RouteMatch,
} from './paths/paths.ts'
export type { Endpoint, EndpointFacts, IndexedTable, Method, Right } from './plain/endpoint.ts'
export { ENDPOINTS, type EndpointName } from './plain/endpoints.ts'
export { endpoint } from './plain/lookup.ts'
export {
  type CreatePolicy,
  type CreatePolicyInput,
  createPolicySchema,
  lintRequestSchema,
  type Policy,
  type PolicyListEntry,
  policyListEntrySchema,
  policySchema,
  type UpdatePolicy,
  type UpdatePolicyInput,
  updatePolicySchema,
  whatIfRequestSchema,
} from './policies/schemas.ts'
export { PRODUCT_VERSION } from './product-version.ts'
export { COMMON_ERRORS, codesOf } from './refusals/implied.ts'
export { type Problem, problemSchema, type Refusal } from './refusals/problem.ts'
export {
  type CreateRole,
  type CreateRoleInput,
  createRoleSchema,
  type Role,
  roleSchema,
  type UpdateRole,
  type UpdateRoleInput,
  updateRoleSchema,
} from './roles/schemas.ts'
export {
  type Answer,
  type Answered,
  type AnyRoute,
  type Body,
  type BodyInput,
  type Params,
  type Query,
  type QueryInput,
  type RefusalCode,
  ROUTE_LIST,
  ROUTES,
  type Route,
  type RouteName,
  type RouteOf,
  type RouteWithBody,
  routeOf,
  type Sent,
} from './routes.ts'
export {
  type NodeIdentity,
  nodeIdentitySchema,
  type PolicyLink,
  policyLinkSchema,
  type RoleLink,
  roleLinkSchema,
  type ServiceIdentity,
  serviceIdentitySchema,
} from './shared/links.ts'
export { BLOCKING_QUERY_OPTIONS, consistencyConflict, decodeQuery } from './shared/query.ts'
export { shorten } from './shared/shorten.ts'
export { ownText, utf8Length } from './shared/text.ts'
export { DurationSyntaxError, formatDurationMs, parseDurationMs, parseDurationNs } from './time/duration.ts'
export { formatInstant, parseInstant, ZERO_TIME } from './time/instant.ts'
export {
  type CloneToken,
  type CreateToken,
  type CreateTokenInput,
  cloneTokenSchema,
  createTokenSchema,
  type ExpandedToken,
  type Token,
  type TokenListEntry,
  tokenListEntrySchema,
  tokenSchema,
  type UpdateToken,
  type UpdateTokenInput,
  updateTokenSchema,
} from './tokens/schemas.ts'
export { absentFieldsOf, fieldGatesOf } from './versions/field-gates.ts'
export { renderGatesTable } from './versions/gates-table.ts'
export { changesBetween, profileOf, type ServiceProfile, type VersionChange } from './versions/profile.ts'
export {
  compareVersions,
  isBefore,
  parseServiceVersion,
  readVersion,
  SERVICE_VERSION_NEWEST,
  SERVICE_VERSION_OLDEST,
  type ServiceVersion,
} from './versions/versions.ts'
