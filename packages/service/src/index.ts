export { registerServers } from './agent/agent.ts'
export { removeService, startLocalChecks, writeResult } from './agent-checks/expire.ts'
export type { LocalChecks } from './agent-checks/local-checks.ts'
export { BoundedMap, type Slot } from './bounded-map.ts'
export { CoordinateUpdates } from './coordinates.ts'
export type { Datacenters, ForwardedReply, ForwardedRequest } from './datacenters/datacenters.ts'
export { datacenterSilent, datacenterUnreachable } from './datacenters/datacenters.ts'
export { Names, type NamesOptions } from './dns/names.ts'
export { requireKey } from './kv/kv-entry.ts'
export { FairQueue } from './limits/fair-queue.ts'
export { type Release, Semaphore, type Share } from './limits/semaphore.ts'
export { type Rate, type RateLimits, type Taken, TokenBuckets } from './limits/token-buckets.ts'
export { cleansUpServers } from './operator.ts'
export type {
  ApiDocument,
  Archives,
  ClusterInfo,
  ClusterMember,
  IdentityOptions,
  Place,
  ReplicationState,
  ServiceOptions,
  Tarball,
} from './options.ts'
export { aclModeOf, isSecondary } from './options.ts'
export { noPrimary } from './replication/primary.ts'
export type { ReplicationProgress, ReplicationStep, ReplicatorOptions } from './replication/replicator.ts'
export { Replicator } from './replication/replicator.ts'
export type { ChangesAnswer, ChangesQuery, ChangesSource } from './replication/service-source.ts'
export { changesUrl, serviceSource } from './replication/service-source.ts'
export { JsonDocument } from './reply/json-text.ts'
export { renderError } from './reply/render.ts'
export { familiesOf, headerFamilies } from './request/headers.ts'
export { ownStatusOf, type WireReply, type WireRequest } from './request/wire.ts'
export { Service } from './service.ts'
export { endExpiredSessions } from './sessions.ts'
export { changeSystem, putSystem } from './store/changes.ts'
export { checkTogether, keyOf } from './store/claims.ts'
export { byListOrder, comparePlaces } from './store/list-order.ts'
export { RecentTokenChanges } from './store/memory/change-log.ts'
export { type MemorySnapshot, MemoryStore, type Sleeper } from './store/memory-store.ts'
export type {
  ChangeReader,
  ChangeReaders,
  FindReplicated,
  InParts,
  ReaderContact,
  ReplicatedRecords,
  ReplicatedTable,
  StoreChanges,
  Touched,
  TouchedPart,
} from './store/replicated.ts'
export {
  changesOf,
  isReplicated,
  READER_KEPT_MS,
  READER_LINES_MAX,
  READERS_MAX,
  REPLICATED_CHANGES_MAX,
  REPLICATED_TABLES,
  readerLag,
  takePart,
} from './store/replicated.ts'
export { checkReplicatedWrites } from './store/replicated-writes.ts'
export type {
  Change,
  CommitOptions,
  ConflictReason,
  ConsistencyMode,
  Freshness,
  IdleQuery,
  IndexName,
  KnownToken,
  KvKey,
  KvRange,
  ListPosition,
  LoginGroup,
  LoginQuery,
  LoginStates,
  RecordOf,
  SessionTimes,
  Store,
  StoreMemory,
  TableName,
  TokenFilter,
  TokenScope,
  TokenUse,
  TokenUses,
  Topic,
  WaitOutcome,
} from './store/store.ts'
export {
  CATALOG_INDEX_TABLES,
  catalogTopics,
  connectTopic,
  isOfCatalog,
  KeyedMutex,
  kvTopic,
  movesCatalog,
  nodeTopic,
  SERVICE_NAMES_TOPIC,
  StoreConflict,
  serviceTopic,
  tokenTopic,
} from './store/store.ts'
export { builtinChanges, ensureBuiltins, legacyBuiltinChanges } from './tokens/builtins.ts'
export type { TokenListCache, TokenListRequest, WholeTokenList } from './tokens/token-list-cache.ts'
export type { Turns } from './turns.ts'
