export { type AuthorizeOptions, type Client, createClient, type Session } from './client.ts'
export type { EndpointName } from './contract.ts'
export {
  Conflict,
  ContractBroken,
  type ErrorCode,
  type ErrorKind,
  Invalid,
  LatchkeyError,
  LegacyMode,
  LoginFailed,
  type LoginFailure,
  type MissingRight,
  NotFound,
  PermissionDenied,
  Timeout,
  Unavailable,
} from './errors.ts'
export { Lock, LockLost } from './locks/held-lock.ts'
export type { LockOptions, Locks } from './locks/locks.ts'
export type { AnswerMeta, Mode, Result, WithMeta } from './meta.ts'
export type {
  AttemptFacts,
  CallOptions,
  ClientOptions,
  Consistency,
  Fetch,
  Logger,
  PageOptions,
  ReadOptions,
  RetryEvent,
  TokenSource,
  WatchOptions,
} from './options.ts'
export type { Agent, FilterOptions, MaintenanceOptions, RegisterOptions } from './resources/agent.ts'
export type { AuthMethods, AuthMethodWriteOptions } from './resources/auth-methods.ts'
export type { BindingRuleFilter, BindingRules } from './resources/binding-rules.ts'
export type { Catalog, InstanceFilter, NodeFilter } from './resources/catalog.ts'
export type { ConfigEntries, EntryCasOptions } from './resources/config-entries.ts'
export type { CoordinateOptions, Coordinates } from './resources/coordinates.ts'
export type {
  CheckListOptions,
  CheckSelection,
  Health,
  InstanceListOptions,
  InstanceSelection,
  InstanceWatchOptions,
} from './resources/health.ts'
export type { IntentionFilter, IntentionNames, Intentions } from './resources/intentions.ts'
export {
  type CasOptions,
  type KeyListOptions,
  type Kv,
  type LockWriteOptions,
  type PutOptions,
  valueBytes,
  valueText,
} from './resources/kv.ts'
export type { Legacy } from './resources/legacy.ts'
export type { LoginOptions } from './resources/login.ts'
export type { Namespaces } from './resources/namespaces.ts'
export type { AuthUrlOptions, Oidc, OidcCallbackOptions } from './resources/oidc.ts'
export type { Policies } from './resources/policies.ts'
export type { RoleFilter, Roles } from './resources/roles.ts'
export type { Sessions } from './resources/sessions.ts'
export type { RestoreOptions, Snapshots } from './resources/snapshots.ts'
export type { ChangesOptions, PromoteOptions, Status, VersionRange } from './resources/status.ts'
export type { TokenFilter, TokenReadOptions, Tokens } from './resources/tokens.ts'
export type {
  SetOptions,
  Transaction,
  TransactionOptions,
  TransactionOutcome,
  Txn,
} from './resources/txn.ts'
export type {
  AcceptedCluster,
  AgentCheckDefinition,
  AgentCheckUpdate,
  AgentHost,
  AgentMetrics,
  AgentSelf,
  AgentService,
  AgentServiceDefinition,
  AgentServiceRead,
  AuthMethod,
  AuthMethodConfig,
  AuthMethodCreate,
  AuthMethodListEntry,
  AuthMethodUpdate,
  AuthorizeAnswer,
  AuthorizeCheck,
  AuthUrl,
  BindingRule,
  BindingRuleCreate,
  BindingRuleUpdate,
  BootstrapToken,
  CatalogNode,
  Changes,
  ChangesDigest,
  ConfigEntry,
  ConfigEntryWrite,
  Coordinate,
  CoordinateUpdate,
  DatacenterCoordinates,
  Duration,
  ExpandedToken,
  Explanation,
  GaugeSample,
  HealthCheck,
  ImportResult,
  Instant,
  Intention,
  IntentionCheck,
  IntentionCreate,
  IntentionExact,
  IntentionID,
  IntentionMatches,
  IntentionMigration,
  IntentionUpdate,
  KVEntry,
  LegacyToken,
  LegacyTokenID,
  LegacyTokenRequest,
  LintFinding,
  LocalHealth,
  LockSession,
  LockSessionCreate,
  LockSessionID,
  LoginExplanation,
  LoginsEntry,
  Member,
  MigrationStatus,
  Namespace,
  NamespaceCreate,
  NamespaceRule,
  NamespaceUpdate,
  NodeIdentity,
  NodeServices,
  NodeSummary,
  NodeWithServices,
  Operation,
  OperationError,
  OperationResult,
  Policy,
  PolicyCreate,
  PolicyLink,
  PolicyListEntry,
  PolicyUpdate,
  PromotedDatacenter,
  Registration,
  Removal,
  ReplicationStatus,
  RestoredSnapshot,
  Role,
  RoleCreate,
  RoleLink,
  RoleUpdate,
  ServiceHealth,
  ServiceIdentity,
  ServiceInstance,
  ServiceSummary,
  ServiceTags,
  Token,
  TokenClone,
  TokenCreate,
  TokenListEntry,
  TokenReference,
  TokenUpdate,
  ValueSample,
  VersionChange,
  WhatIfChange,
  WhoCanRequest,
} from './types.ts'
export type { Watch } from './watch.ts'
