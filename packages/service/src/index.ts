export { BoundedMap } from './bounded-map.ts'
export { aclModeOf } from './caller/acl-mode.ts'
export type { ClusterInfo, ClusterMember, ServiceOptions } from './options.ts'
export { renderError } from './reply/render.ts'
export type { WireReply, WireRequest } from './request/wire.ts'
export { Service } from './service.ts'
export { checkTogether } from './store/claims.ts'
export { byListOrder, comparePlaces } from './store/list-order.ts'
export { type MemorySnapshot, MemoryStore, type Sleeper } from './store/memory-store.ts'
export { RecentTokenChanges } from './store/recent-token-changes.ts'
export {
  type Change,
  type ConflictReason,
  type ConsistencyMode,
  type Freshness,
  type KnownToken,
  type KvKey,
  type KvRange,
  kvTopic,
  type ListPosition,
  type Store,
  StoreConflict,
  type StoreMemory,
  type TableName,
  type TokenFilter,
  type Topic,
  tokenTopic,
  type WaitOutcome,
} from './store/store.ts'
export {
  builtinChanges,
  convertBuiltins,
  ensureBuiltins,
  ensureLegacyBuiltins,
  legacyBuiltinChanges,
} from './tokens/builtins.ts'
export type {
  TokenListCache,
  TokenListRequest,
  WholeTokenList,
} from './tokens/token-list-cache.ts'
