export { aclModeOf } from './api/acl-mode.ts'
export { Api } from './api/api.ts'
export {
  type BuiltinsContext,
  type BuiltinsFound,
  builtinChanges,
  convertBuiltins,
  ensureBuiltins,
  ensureLegacyBuiltins,
  legacyBuiltinChanges,
} from './api/bootstrap-handler.ts'
export type { ApiOptions, ClusterInfo, ClusterMember, ReplicationState } from './api/options.ts'
export { type ReplyContext, renderError } from './api/render.ts'
export type { WireReply, WireRequest } from './api/wire.ts'
export {
  ANONYMOUS_TOKEN_ACCESSOR_ID,
  ANONYMOUS_TOKEN_SECRET_ID,
  GLOBAL_MANAGEMENT_POLICY_ID,
  GLOBAL_MANAGEMENT_POLICY_NAME,
  RESERVED_ID_PREFIX,
  ROOT_NAMES,
} from './builtin.ts'
export {
  type HashedPolicy,
  type HashedRole,
  type HashedToken,
  policyHash,
  roleHash,
  tokenHash,
} from './hash.ts'
export type { MaybePromise } from './maybe-promise.ts'
export { createPolicy } from './policy/policy-rules.ts'
export { type Clock, type Random, randomUuid } from './ports.ts'
export { createRole } from './role/role-rules.ts'
export { Authorizer, compileAuthorizer, type DecisionExplanation } from './rules/authorizer.ts'
export {
  type AuthorizerCache,
  type AuthorizerCacheOptions,
  createAuthorizerCache,
} from './rules/authorizer-cache.ts'
export { convertLegacyRules } from './rules/convert-legacy-rules.ts'
export {
  type EffectivePoliciesOptions,
  effectivePolicies,
  type LinkLookup,
  type TokenLinks,
  withPolicy,
} from './rules/effective-policies.ts'
export { globalManagementRules, nodeIdentityRules, serviceIdentityRules } from './rules/generated-rules.ts'
export type { ParseRulesOptions } from './rules/keywords.ts'
export { type LintFinding, lintRules } from './rules/lint-rules.ts'
export { parseLegacyRules, parseRules } from './rules/parse-rules.ts'
export type { AuthorizerDefaults, CompiledInput, GrantPath, PolicySource } from './rules/policy-source.ts'
export { printRules } from './rules/print-rules.ts'
export { probeQuestions } from './rules/probe-questions.ts'
export { type Access, accessesOf, parseQuestion, type Question, type Resource } from './rules/question.ts'
export type { Rule, RuleKind, RuleLevel, RuleMatch, RuleSet, RuleWarning } from './rules/rule.ts'
export {
  type TranslateOptions,
  type Translation,
  type TranslationNote,
  translateLegacyRules,
} from './rules/translate-legacy-rules.ts'
export { type RightsChange, RightsComparison, whatIf } from './rules/what-if.ts'
export { type AllowedToken, whoCan } from './rules/who-can.ts'
export { Directory, type DirectoryContent, EMPTY_DIRECTORY, nameKey } from './store/directory.ts'
export { byListOrder, compareUtf8, matchesFilter } from './store/list-order.ts'
export { type MemorySnapshot, MemoryStore, type Sleeper } from './store/memory-store.ts'
export { RecentTokenChanges } from './store/recent-token-changes.ts'
export {
  DEFAULT_NAMESPACE,
  type KvRecord,
  type NamespaceRecord,
  type PolicyRecord,
  type RoleRecord,
  type StoredLink,
  type SystemKey,
  type SystemRecord,
  type TokenRecord,
} from './store/records.ts'
export {
  type Change,
  type ConflictReason,
  type ConsistencyMode,
  type Freshness,
  kvTopic,
  type ListPosition,
  type Store,
  StoreConflict,
  type TableName,
  type TokenFilter,
  type Topic,
  tokenTopic,
  topicsOf,
  type WaitOutcome,
} from './store/store.ts'
export { createToken } from './token/create-token.ts'
export { isExpired } from './token/expiration.ts'
export {
  DUMP_RECORD_BYTES_MAX,
  type DumpRecord,
  DumpScanner,
  DumpSyntaxError,
} from './upgrade/dump-scanner.ts'
export {
  checkLegacyRules,
  type LegacyFinding,
  type LegacyFindingCode,
  type LegacyReading,
  type LegacyReadingContext,
  readLegacyRecord,
} from './upgrade/legacy-dump.ts'
export {
  fromLegacyToken,
  hasLegacyRights,
  hasLinks,
  type LegacyWrite,
  toLegacyToken,
  writeLegacyToken,
} from './upgrade/legacy-token.ts'
export {
  isCounted,
  isForgotten,
  MEMBER_FAILED_AFTER_MS,
  MEMBER_FORGOTTEN_AFTER_MS,
  MEMBER_HEARTBEAT_MS,
  type Member,
  type MemberMode,
  OBSERVER_GRACE_MS,
  withObservedStatus,
} from './upgrade/member.ts'
export {
  ACCESSOR_BATCH_INTERVAL_MS_MIN,
  ACCESSOR_BATCH_SIZE_MAX,
  type BatchIds,
  convertForMigration,
  type MigrationRecord,
  NO_BATCHES,
  nextBatchAt,
  type PlannedAccessor,
  planBatch,
  recordBatch,
} from './upgrade/migration.ts'
export {
  type AclModeRecord,
  advertisedMode,
  decideMode,
  endLegacyMode,
  initialMode,
  legacyModeError,
  type ModeDecision,
  type ModeInput,
} from './upgrade/mode.ts'
export { type MigrationProgress, type MigrationState, migrationProgress } from './upgrade/progress.ts'
export { assertCanStart, type StartInput, type StartRefusal, StartRefused } from './upgrade/start.ts'
