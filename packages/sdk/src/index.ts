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
export type { Agent } from './resources/agent.ts'
export type { AuthMethods, AuthMethodWriteOptions } from './resources/auth-methods.ts'
export type { BindingRuleFilter, BindingRules } from './resources/binding-rules.ts'
export type { ConfigEntries, EntryCasOptions } from './resources/config-entries.ts'
export type { IntentionFilter, IntentionNames, Intentions } from './resources/intentions.ts'
export {
  type CasOptions,
  type KeyListOptions,
  type Kv,
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
export type { ChangesOptions, PromoteOptions, Status, VersionRange } from './resources/status.ts'
export type { TokenFilter, TokenReadOptions, Tokens } from './resources/tokens.ts'
export type {
  AcceptedCluster,
  AgentMetrics,
  AgentSelf,
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
  LoginExplanation,
  LoginsEntry,
  Member,
  MigrationStatus,
  Namespace,
  NamespaceCreate,
  NamespaceRule,
  NamespaceUpdate,
  NodeIdentity,
  Policy,
  PolicyCreate,
  PolicyLink,
  PolicyListEntry,
  PolicyUpdate,
  PromotedDatacenter,
  ReplicationStatus,
  Role,
  RoleCreate,
  RoleLink,
  RoleUpdate,
  ServiceIdentity,
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
