export type {
  AgentHost,
  AgentService,
  CheckDefinition,
  LocalHealth,
  ServiceCheckDefinition,
  ServiceDefinition,
} from './agent/routes.ts'
export type { Area, AreaMember } from './areas/routes.ts'
export { type AuthMethod, createAuthMethodSchema } from './auth-methods/routes.ts'
export { type BindingRule, type CreateBindingRule, createBindingRuleSchema } from './binding-rules/routes.ts'
export type {
  HealthCheck,
  Node,
  NodeService,
  NodeServices,
  NodeWithServices,
  ServiceAddress,
  ServiceInstance,
  Weights,
} from './catalog/records.ts'
export type {
  CheckRegistration,
  Deregistration,
  Registration,
  ServiceRegistration,
} from './catalog/schemas.ts'
export { kindRefusal } from './config-entries/kinds.ts'
export type { ConfigEntry, WriteConfigEntry } from './config-entries/routes.ts'
export { type Contract, contract, RESOURCES, type ResourceName } from './contract.ts'
export type { Coordinate, CoordinateUpdate, DatacenterCoordinates } from './coordinates/routes.ts'
export type { AcceptedCluster, PromotedDatacenter } from './datacenters/routes.ts'
export {
  type CheckedAccess,
  type CheckedResource,
  isScalar,
  RESOURCE_KINDS,
  RULE_KINDS,
  type RuleKind,
  SCALAR_RESOURCES,
  type ScalarResource,
  SEGMENT_RESOURCES,
  type SegmentResource,
} from './decisions/resource-kinds.ts'
export {
  type AuthorizeAnswer,
  type AuthorizeCheck,
  authorizeRequestSchema,
  type Explanation,
} from './decisions/routes.ts'
export type { Endpoint, EndpointFacts, IndexedTable, Method, Right } from './endpoint.ts'
export {
  ACL_ERROR_CODES,
  ACL_ERRORS,
  AclError,
  type AclErrorCode,
  type AclErrorDetails,
  invariant,
  isOutage,
  OUTAGE_CODES,
} from './errors.ts'
export { GATES, type GateName, type VersionGate } from './gates.ts'
export { ENDPOINTS, type EndpointName, endpoint } from './generated/endpoints.ts'
export {
  HEADER,
  HEADER_PREFIX_DEFAULT,
  HEADER_PREFIX_REFERENCE,
  HEADER_PREFIXES_DEFAULT,
  isClientRequestId,
  isReferenceFamily,
  PROBLEM_JSON,
  REDACTED_SECRET_ID,
  REQUEST_ID_HEADER,
} from './headers.ts'
export type { NodeSummary, ServiceHealth, ServiceSummary } from './health/routes.ts'
export type { IntentionPermission } from './intentions/permissions.ts'
export type { CreateIntention, ExactIntention, Intention, UpdateIntention } from './intentions/routes.ts'
export {
  type DecodeOptions,
  decodeBody,
  decodeUtf8,
  decodeValue,
  type Schema,
  type SchemaOutput,
  writtenNamesOf,
} from './json/decode.ts'
export { formatPath, type Json, parseJson } from './json/json.ts'
export type { KvEntry } from './kv/routes.ts'
export type { LegacyToken, LegacyTokenRequest } from './legacy/routes.ts'
export * as limits from './limits.ts'
export type { RouteMetadata } from './metadata.ts'
export {
  type CreateNamespace,
  createNamespaceSchema,
  type Namespace,
  type UpdateNamespace,
} from './namespaces/routes.ts'
export { type Changes, changesSchema } from './operations/changes-schemas.ts'
export type { AgentMetrics, GaugeSample, ValueSample } from './operations/routes.ts'
export { buildPath } from './paths/build-path.ts'
export {
  LEGACY_ENDPOINTS,
  legacyEndpointOf,
  REQUIRED_METHODS,
  requiredMethodOf,
  UNBUILT_ENDPOINTS,
  unbuiltEndpointOf,
} from './paths/methods.ts'
export { decodePath, matchPath, type RouteMatch } from './paths/paths.ts'
export {
  type CreatePolicy,
  createPolicySchema,
  type Policy,
  type PolicyListEntry,
  policyListEntrySchema,
  policySchema,
  type UpdatePolicy,
} from './policies/routes.ts'
export { PRODUCT_VERSION } from './product-version.ts'
export {
  type Dialect,
  dialectOf,
  STATUS_CODES,
  type StatusCodes,
  statusOf,
} from './refusals/dialect.ts'
export { COMMON_ERRORS, codesOf } from './refusals/implied.ts'
export type { Problem, Refusal } from './refusals/problem.ts'
export { referenceHeadersOf, referenceTextOf } from './refusals/reference-answers.ts'
export { type CreateRole, createRoleSchema, type Role, roleSchema, type UpdateRole } from './roles/routes.ts'
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
export type { Session, SessionCreate } from './sessions/routes.ts'
export { parseGoBool } from './shared/go-bool.ts'
export { Html, html, type Insertable } from './shared/html.ts'
export type { NodeIdentity, PolicyLink, RoleLink, ServiceIdentity } from './shared/links.ts'
export { nearestName, refuseUnknownNames } from './shared/nearest-name.ts'
export { BLOCKING_QUERY_OPTIONS, consistencyConflict, decodeQuery } from './shared/query.ts'
export { shorten } from './shared/shorten.ts'
export { sleep } from './shared/sleep.ts'
export { coloured, unchecked, visible, visibleJson, visibleLine } from './shared/terminal.ts'
export { ownText, utf8Length } from './shared/text.ts'
export type { RestoredSnapshot } from './snapshots/routes.ts'
export { DurationSyntaxError, formatDurationMs, parseDurationMs, parseDurationNs } from './time/duration.ts'
export { formatInstant, parseInstant, ZERO_TIME } from './time/schemas.ts'
export {
  type CreateToken,
  createTokenSchema,
  type ExpandedToken,
  type Token,
  type TokenListEntry,
  tokenListEntrySchema,
  tokenSchema,
  type UpdateToken,
} from './tokens/schemas.ts'
export {
  CATALOG_VERBS,
  type CatalogVerb,
  KEY_VERBS,
  type KeyVerb,
  type Operation,
  type OperationError,
  type OperationResult,
  type TransactionAnswer,
  transactionSchema,
} from './txn/routes.ts'
export {
  absentFieldsOf,
  changesBetween,
  profileOf,
  type ServiceProfile,
  type VersionChange,
} from './versions/profile.ts'
export {
  compareVersions,
  isBefore,
  parseServiceVersion,
  readVersion,
  SERVICE_VERSION_NEWEST,
  SERVICE_VERSION_OLDEST,
  type ServiceVersion,
} from './versions/versions.ts'
