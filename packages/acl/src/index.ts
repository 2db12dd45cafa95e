export {
  ANONYMOUS_TOKEN_ACCESSOR_ID,
  ANONYMOUS_TOKEN_SECRET_ID,
  GLOBAL_MANAGEMENT_POLICY_ID,
  GLOBAL_MANAGEMENT_POLICY_NAME,
  ROOT_NAMES,
} from './builtin.ts'
export { compileFilter, type Shape, type ShapeOf } from './filter/record-filter.ts'
export { defaultsOf, isGlobalManager, linksGlobalManagement } from './global-management.ts'
export { intentionHash, policyHash } from './hash.ts'
export { isIdentityName } from './identities.ts'
export { checkPathId, idKey, isNamespaceName, isReservedId, isUuid } from './ids.ts'
export { invalidField } from './invalid-field.ts'
export {
  expandPolicyLinks,
  expandRoleLinks,
  hasLinks,
  resolvePolicyLinks,
  resolveRoleLinks,
} from './links.ts'
export { attributesOf, hasMappedClaims, mapClaims } from './login/attributes.ts'
export { checkClaims, DecodingVerifier, unsignedToken } from './login/decoding-verifier.ts'
export {
  beginEvaluation,
  concludeEvaluation,
  evaluateRule,
  type LoginEvaluation,
  type PreparedLogin,
  prepareNamespaceRule,
  prepareRule,
  sizeOfRule,
} from './login/evaluate-login.ts'
export { explainLogin, explainRule, type LoginExplanation } from './login/explain-login.ts'
export { type LoginMeta, loginDescription } from './login/login-description.ts'
export { loginIdentity, loginToken, planLogin } from './login/login-plan.ts'
export { type LoginRefusal, loginRefused, providerUnavailable } from './login/login-refusal.ts'
export { asWritten, readWritten, shownConfig, splitConfig } from './login/method/auth-method-config.ts'
export {
  type AuthMethodContext,
  type AuthMethodRequest,
  checkRulesFit,
  choosesNamespace,
  writeAuthMethod,
} from './login/method/auth-method-rules.ts'
export {
  type BindingRuleContext,
  type BindingRuleRequest,
  createBindingRule,
  updateBindingRule,
} from './login/method/binding-rule-rules.ts'
export {
  beginLogin,
  type LoginState,
  loginStateHash,
  type OidcCallback,
  type OidcChallenge,
  type OidcClient,
  type OidcMethod,
  pkceChallenge,
  resumeLogin,
} from './login/oidc/login-state.ts'
export { type Claims, claimsOf, type Verification, type Verifier } from './login/verifier.ts'
export {
  checkPolicyDelete,
  createPolicy,
  showPolicy,
  showPolicyListEntry,
  updatePolicy,
  withPolicyHash,
} from './policy/policy-rules.ts'
export { type Clock, type Random, randomUuid } from './ports.ts'
export {
  authMethodKey,
  contentOf,
  DIRECTORY_TABLES,
  Directory,
  type DirectoryContent,
  type DirectoryRecords,
  type DirectoryTable,
  directoryKey,
  EMPTY_CONTENT,
  EMPTY_DIRECTORY,
  emptyDirectoryMaps,
  isDirectoryTable,
  nameKey,
} from './records/directory.ts'
export {
  compareIntentions,
  IntentionIndex,
  precedenceOf,
  type StoredEntry,
  WILDCARD,
} from './records/intention-index.ts'
export {
  destinationKey,
  type IntentionAction,
  type IntentionDestination,
  type IntentionDestinationRecord,
  type IntentionEnds,
  type IntentionRecord,
  intentionKey,
} from './records/intention-records.ts'
export type {
  AuthMethodConfiguration,
  AuthMethodRecord,
  AuthMethodType,
  BindingRuleRecord,
  JwtConfig,
  KubernetesConfig,
  OidcConfig,
} from './records/login-records.ts'
export {
  BLANK_TOKEN,
  DEFAULT_NAMESPACE,
  type KvRecord,
  type NamespaceRecord,
  type PolicyRecord,
  type RoleRecord,
  type StoredLink,
  type TokenRecord,
} from './records/records.ts'
export type {
  ClusterRecord,
  ReplicationRecord,
  ReplicationTokenRecord,
  SkippedToken,
} from './records/replication.ts'
export type {
  AclModeRecord,
  AreaRecord,
  AutopilotRecord,
  IntentionMigrationRecord,
  MigrationRecord,
  SystemKey,
  SystemRecord,
  SystemValues,
} from './records/system-records.ts'
export { type DownPolicy, judgeAnswer } from './replication/down-policy.ts'
export {
  acceptCluster,
  hasSeenPromotion,
  PROMOTION_INDEX_GAP,
  promote,
  type ReplicationFacts,
} from './replication/promotion.ts'
export { createRole, showRole, updateRole } from './role/role-rules.ts'
export {
  Authorizer,
  CompiledPolicies,
  compileAuthorizer,
  type DecisionExplanation,
  pathsOf,
} from './rules/decide/authorizer.ts'
export {
  type EffectivePoliciesOptions,
  effectivePolicies,
  type LinkLookup,
  type TokenLinks,
} from './rules/decide/effective-policies.ts'
export {
  globalManagementRules,
  nodeIdentityRules,
  serviceIdentityRules,
} from './rules/decide/generated-rules.ts'
export {
  type AuthorizerDefaults,
  type CompiledInput,
  compareSources,
  type PolicySource,
} from './rules/decide/policy-source.ts'
export { accessesOf, parseQuestion, type Question, type Resource } from './rules/decide/question.ts'
export { authorizerOf, type ReadText, readText } from './rules/decide/read-source.ts'
export { adviceFor } from './rules/insight/advise.ts'
export { lintRules } from './rules/insight/lint-rules.ts'
export { type Difference, probeQuestions, RightsComparison } from './rules/insight/what-if.ts'
export { encodeHclString } from './rules/language/hcl-string.ts'
export { asciiLowerCase, findKeyword, type Keyword } from './rules/language/keywords.ts'
export { findRulesProblem, parseLegacyRules, parseRules } from './rules/language/parse-rules.ts'
export {
  EMPTY_RULE_SET,
  type GivenLevel,
  MERGE_RANK,
  RULE_LEVELS,
  type Rule,
  type RuleKind,
  type RuleLevel,
  type RuleSet,
  type RuleWarningCode,
  ruleKeyword,
  SCALAR_KINDS,
  SEGMENT_KINDS,
} from './rules/language/rule.ts'
export { parseSyntax } from './rules/language/syntax.ts'
export type { Item, Node as SyntaxNode } from './rules/language/syntax-tree.ts'
export { formatRules } from './rules/print/format-rules.ts'
export { translateLegacyRules } from './rules/print/translate-legacy-rules.ts'
export { isSame } from './same.ts'
export { SeededRandom } from './seeded-random.ts'
export { cloneToken, createToken, withTokenHash } from './token/create-token.ts'
export {
  expirationMs,
  type IdleLimit,
  idleHorizon,
  idleLimitOf,
  idleLimitOfMethod,
  isExpired,
  isGone,
  isOfLoginHere,
  isOrphan,
  isSurelyUsed,
  isUseWritten,
  methodOf,
} from './token/expiration.ts'
export { expandToken, type ShowContext, showToken, showTokenListEntry } from './token/show-token.ts'
export {
  checkBodyAccessor,
  checkDelete,
  placeOfTokenWrite,
  updateToken,
  type WritePlace,
} from './token/update-token.ts'
export { type DumpRecord, DumpScanner, DumpSyntaxError } from './upgrade/dump-scanner.ts'
export {
  checkLegacyRules,
  type LegacyFinding,
  type LegacyFindingCode,
  readLegacyRecord,
  type SeenIds,
} from './upgrade/legacy-dump.ts'
export {
  fromLegacyToken,
  hasLegacyRights,
  LEGACY_RIGHTS,
  type LegacyWrite,
  type TokenFact,
  toLegacyToken,
  writeLegacyToken,
} from './upgrade/legacy-token.ts'
export {
  isForgotten,
  LEADER_SILENT_MS_MAX,
  MEMBER_FAILED_AFTER_MS,
  MEMBER_HEARTBEAT_MS,
  MEMBER_STOPPED_COUNTS_MS,
  type Member,
  type MemberMode,
  type MemberRow,
  observeMembers,
} from './upgrade/member.ts'
export {
  blocksIntentions,
  INTENTIONS_LOOK_MS,
  type IntentionsLook,
  initialIntentions,
  intentionsDurationMs,
  intentionsSecondsLeft,
  nextIntentionsStep,
  requireWritable,
} from './upgrade/migrate-intentions.ts'
export {
  ACCESSOR_BATCH_INTERVAL_MS_MIN,
  ACCESSOR_BATCH_SIZE_MAX,
  batchCountOf,
  batchesDurationMs,
  convertForMigration,
  migrationProgress,
  NO_BATCHES,
  nextBatch,
  nextBatchAt,
  type PlannedAccessor,
  planBatch,
  recordBatch,
} from './upgrade/migration.ts'
export {
  advertisedMode,
  assertCanStart,
  decideMode,
  endLegacyMode,
  initialMode,
  legacyModeError,
  type ModeDecision,
  StartRefused,
} from './upgrade/mode.ts'
