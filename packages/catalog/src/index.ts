export {
  aggregateStatus,
  aliasResult,
  countResult,
  expiredOutput,
  type HealthStatus,
  maintenanceCheck,
  movesStatus,
  NO_RESULTS,
  NODE_MAINTENANCE,
  OUTPUT_WRITE_MS,
  outputWriteMs,
  type ResultCounts,
  statusOfHttp,
} from './agent/aggregate.ts'
export {
  type AgentCheck,
  type CheckRun,
  cutOutput,
  type DefinedCheck,
  isCheckStatus,
  readCheckDefinition,
} from './agent/check-definition.ts'
export {
  planServers,
  SEGMENT_META,
  type ServerMember,
  serverNode,
  serverServiceOf,
  taggedAddresses,
} from './agent/server-nodes.ts'
export { readServiceDefinition } from './agent/service-definition.ts'
export {
  CATALOG_TABLES,
  Catalog,
  type CatalogRecords,
  type CatalogTable,
  catalogKey,
  isCatalogTable,
} from './catalog.ts'
export { type CatalogChange, isSameContent, keepsCatalogWhole, serviceIndexChanges } from './commit-rules.ts'
export { CONNECT_PROXY } from './connect.ts'
export { answerQuestion } from './dns/answer.ts'
export type { DnsRights, DnsSettings } from './dns/context.ts'
export { type DnsQuestion, type DnsRecord, type DnsReply, emptyReply } from './dns/message.ts'
export { CHECK_FIELDS, HEALTH_FIELDS, INSTANCE_FIELDS, NODE_FIELDS, SERVICE_FIELDS } from './filter-shapes.ts'
export {
  type EntryRecords,
  SERVICE_INTENTIONS,
  showEntry,
  writeEntry,
} from './intentions/config-entry.ts'
export { deleteExact, showIntention, showSource, writeExact } from './intentions/exact-intention.ts'
export { parseEnd, requireSourceType } from './intentions/intention-fields.ts'
export { createIntention, endsOf, updateIntention } from './intentions/intention-rules.ts'
export { canonicalIp } from './ip-address.ts'
export { sortByDistance } from './near.ts'
export {
  type CheckRecord,
  CONNECT_LOSS,
  type CoordinateRecord,
  CRITICAL,
  checkKey,
  connectKey,
  coordinateKey,
  EXTINCTION,
  type NodeRecord,
  nodeKey,
  nodeOfKey,
  SERVICE_NAMES,
  type ServiceIndexRecord,
  type ServiceRecord,
  serviceKey,
} from './records/catalog-records.ts'
export { type SessionRecord, sessionCheckKeys } from './records/session-records.ts'
export {
  ALIVE_CHECK,
  asGiven,
  type CatalogNeed,
  needOfService,
  needsOfService,
  planDeregistration,
  planRegistration,
  readRegistration,
} from './registration/register.ts'
export {
  createSession,
  endedSessions,
  isSameKey,
  type LockRequest,
  lockDelayMs,
  lockedKey,
  nodeOfSession,
  rejectsSessionQueries,
  releasedKey,
  sessionLifetimeMs,
  showSession,
} from './sessions/create-session.ts'
export {
  type RecordView,
  recordViewOf,
  showCheck,
  showInstance,
  showNode,
  showNodeService,
} from './show-records.ts'
export { type StoredKeys, UNLOADED_VALUE } from './transaction/keys.ts'
export { isRead, type Operation, readOperation } from './transaction/operations.ts'
export { type Expectation, type May, PENDING_INDEX, type Shown } from './transaction/outcome.ts'
export { type Failure, planTransaction, TransactionBudget, type TransactionPlan } from './transaction/plan.ts'
