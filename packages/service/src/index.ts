export { registerServers } from './agent/agent.ts'
export { removeService, startLocalChecks, writeResult } from './agent-checks/expire.ts'
export type { LocalChecks } from './agent-checks/local-checks.ts'
export { BoundedMap, type Slot } from './bounded-map.ts'
export { CoordinateUpdates } from './coordinates.ts'
export {
  type Datacenters,
  datacenterSilent,
  datacenterUnreachable,
  type ForwardedReply,
  type ForwardedRequest,
} from './datacenters/datacenters.ts'
export { Names, type NamesOptions } from './dns/names.ts'
export { requireKey } from './kv/key.ts'
export { FairQueue } from './limits/fair-queue.ts'
export { type Release, Semaphore, type Share } from './limits/semaphore.ts'
export { type Rate, type RateLimits, type Taken, TokenBuckets } from './limits/token-buckets.ts'
export {
  type ApiDocument,
  type Archives,
  aclModeOf,
  type ClusterInfo,
  type ClusterMember,
  type IdentityOptions,
  isSecondary,
  type Place,
  type ReplicationState,
  type ServiceOptions,
} from './options.ts'
export { noPrimary } from './replication/primary.ts'
export {
  type ReplicationProgress,
  type ReplicationStep,
  Replicator,
  type ReplicatorOptions,
} from './replication/replicator.ts'
export {
  type ChangesAnswer,
  type ChangesQuery,
  type ChangesSource,
  changesUrl,
  serviceSource,
} from './replication/service-source.ts'
export { JsonDocument } from './reply/json-text.ts'
export { renderError } from './reply/render.ts'
export type { WireReply, WireRequest } from './request/wire.ts'
export { Service } from './service.ts'
export { endExpiredSessions } from './sessions.ts'
export { changeSystem, putSystem } from './store/changes.ts'
export { checkTogether, keyOf } from './store/claims.ts'
export { byListOrder, comparePlaces } from './store/list-order.ts'
export { RecentTokenChanges } from './store/memory/change-log.ts'
export { type MemorySnapshot, MemoryStore, type Sleeper } from './store/memory-store.ts'
export {
  type ChangeReader,
  type ChangeReaders,
  changesOf,
  type FindReplicated,
  type InParts,
  isReplicated,
  READER_KEPT_MS,
  READER_LINES_MAX,
  READERS_MAX,
  REPLICATED_CHANGES_MAX,
  REPLICATED_TABLES,
  type ReaderContact,
  type ReplicatedRecords,
  type ReplicatedTable,
  readerLag,
  type StoreChanges,
  type Touched,
  type TouchedPart,
  takePart,
} from './store/replicated.ts'
export { checkReplicatedWrites } from './store/replicated-writes.ts'
export {
  CATALOG_INDEX_TABLES,
  type Change,
  type CommitOptions,
  type ConflictReason,
  type ConsistencyMode,
  catalogTopics,
  connectTopic,
  type Freshness,
  type IdleQuery,
  type IndexName,
  isOfCatalog,
  KeyedMutex,
  type KnownToken,
  type KvKey,
  type KvRange,
  kvTopic,
  type ListPosition,
  type LoginGroup,
  type LoginQuery,
  type LoginStates,
  movesCatalog,
  nodeTopic,
  type RecordOf,
  SERVICE_NAMES_TOPIC,
  type SessionTimes,
  type Store,
  StoreConflict,
  type StoreMemory,
  serviceTopic,
  type TableName,
  type TokenFilter,
  type TokenScope,
  type TokenUse,
  type TokenUses,
  type Topic,
  tokenTopic,
  type WaitOutcome,
} from './store/store.ts'
export {
  builtinChanges,
  ensureBuiltins,
  legacyBuiltinChanges,
} from './tokens/builtins.ts'
export type {
  TokenListCache,
  TokenListRequest,
  WholeTokenList,
} from './tokens/token-list-cache.ts'
export type { Turns } from './turns.ts'
