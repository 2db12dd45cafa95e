/**
 * The storage port. `MemoryStore` is the reference implementation; the server's runs on PostgreSQL. One test suite covers
 * both.
 *
 * Reads are as fresh as {@link Store.refresh} promised. Writes are optimistic: a use case reads, decides by pure rules, and
 * commits changes with the ModifyIndex that they were decided on. A commit applies all of its changes or none, under one
 * index of a strictly increasing counter.
 *
 * Names, ids and namespaces are judged by the state after the commit: in one commit, policies or roles may swap their names,
 * and a token may be deleted and another created with its ids, or with its secret alone. Only such a token is changed twice:
 * it is deleted first, so the other expects none.
 *
 * A record is only put into a namespace that exists then, and only a namespace that is empty then is deleted. Likewise, a
 * binding rule is only put where its auth method exists, and an auth method is only deleted together with all its rules. The
 * commit itself checks this and refuses with `changed`.
 *
 * A service, check or coordinate is only put where its node exists, a check of a service only where that exists, too; and a
 * node or service is only deleted together with everything on it. Refused with `changed`. The commit itself moves the indexes
 * of services: no caller writes `serviceIndexes`. See `keepsCatalogWhole` and `serviceIndexChanges` of the rules.
 *
 * A session is only put where its node and its checks exist, none of them critical. The commit itself ends the sessions that
 * it deletes, or whose check turns critical or goes, or whose node goes: see `endedSessions`. After all other changes, it releases
 * or deletes the keys that they hold, and starts their lock delays; no caller writes these changes. A key is only put with a
 * session where that exists, and where no lock delay keeps the key, unless the session holds it already: else `changed`.
 *
 * A new token of an auth method that has as many as its `MaxLiveTokens` is refused with `method_full`. Every stored token
 * counts, expired or not, so that no clock decides about a commit.
 */
import type {
  Catalog,
  CatalogChange,
  CatalogRecords,
  CatalogTable,
  Directory,
  DirectoryRecords,
  DirectoryTable,
  Expectation,
  IdleLimit,
  KvRecord,
  LoginState,
  TokenRecord,
} from '@latchkey/acl'
import {
  CATALOG_TABLES,
  catalogKey,
  isCatalogTable,
  nameKey,
  nodeKey,
  nodeOfKey,
  SERVICE_NAMES,
} from '@latchkey/acl'
import type { ChangeReaders, InParts, ReplicatedSnapshot, StoreChanges } from './replicated.ts'

/** How fresh a read must be; chosen once at the edge. Spec 4.1; decisions: consistency modes. */
export type ConsistencyMode = 'default' | 'consistent' | 'stale'

export interface Freshness {
  /** Whether the primary database is known to be reachable. */
  readonly knownLeader: boolean
  /** Age of the state that reads show, in milliseconds. 0 unless `stale`. */
  readonly lastContactMs: number
}

export type TableName = 'tokens' | 'kv' | DirectoryTable | CatalogTable

/**
 * A table, or `changes`: all tables whose records datacenters have in common, or `catalog`: {@link CATALOG_TABLES} but sessions,
 * which no answer of the catalog shows.
 */
export type IndexName = TableName | 'changes' | 'catalog'

/**
 * What a waiter waits for: a whole table, or several, one token by its lower-case accessor, one key, one node with everything on
 * it, or one service. Topics compare as text.
 */
export type Topic = IndexName | `token:${string}` | `kv:${string}` | `node:${string}` | `service:${string}`

export interface RecordOf extends DirectoryRecords, CatalogRecords {
  readonly tokens: TokenRecord
  readonly kv: KvRecord
}

/**
 * One change of one record.
 * `expect`: the ModifyIndex of the replaced or deleted record; 0 if there must be none; `undefined` for no condition. The
 * store sets the record's own indexes. Without a condition, a key keeps its Session and LockIndex, whatever the record says.
 */
export type Change =
  | {
      readonly [T in TableName]: {
        readonly table: T
        readonly op: 'put' | 'delete'
        readonly record: RecordOf[T]
        readonly expect: number | undefined
      }
    }[TableName]
  | {
      readonly table: 'kv'
      /** Removes every key of a namespace that starts with `prefix`. */
      readonly op: 'delete-tree'
      readonly namespace: string
      readonly prefix: string
    }
  | {
      readonly table: 'sessions'
      readonly op: 'delete'
      readonly record: RecordOf['sessions']
      readonly expect: number | undefined
      /** Refused with `changed` where the session was renewed after all: see {@link SessionTimes.expired}. */
      readonly ifExpired: true
    }

export interface CommitOptions {
  /** The index of the commit is above this, too: indexes may leave a gap. */
  readonly above?: number | undefined
  /** Other records on which the decision depends. If one has changed, the commit is refused with `changed`. */
  readonly expects?: readonly Expectation[] | undefined
}

export type ConflictReason = 'changed' | 'accessor_in_use' | 'secret_in_use' | 'name_in_use' | 'method_full'

/** A rejected commit, which changed nothing. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict'
  readonly reason: ConflictReason
  constructor(reason: ConflictReason) {
    super(`the commit conflicts with the stored state: ${reason}`)
    this.reason = reason
  }
}

/** The tokens of a list: all conditions that are set must hold. */
export interface TokenFilter {
  /** Absent: all namespaces. */
  readonly namespace?: string
  readonly policyId?: string
  readonly roleId?: string
  readonly authMethod?: string
  /** Namespace of that auth method. */
  readonly authMethodNamespace?: string
  readonly serviceName?: string
  readonly local?: boolean
  /** Only legacy tokens, with a Type or Rules. */
  readonly legacy?: true
  /** Only legacy management tokens. */
  readonly management?: true
  /** Only tokens with rights from the legacy system alone: `hasLegacyRights`. */
  readonly legacyRights?: true
  /** Only tokens without an accessor. */
  readonly withoutAccessor?: true
  /** Tokens whose stored secret does not open have an empty one. Absent: they fail the list. */
  readonly withUnopened?: true
  /** Reverses the list. */
  readonly newestFirst?: true
  /** Tokens after this place, in the requested order. */
  readonly after?: ListPosition
  /** Tokens up to and including this place, in the requested order. */
  readonly until?: ListPosition
  /** Maximum number of records. Absent: unbounded. */
  readonly limit?: number
}

/** Which tokens a search is for. Default: all. */
export type TokenScope = Pick<TokenFilter, 'local'>

/** A place in the list, which is in order of creation. */
export interface ListPosition {
  readonly createIndex: number
  readonly accessorId: string
  /**
   * Distinguishes tokens without an accessor from the same commit: bytes of the store's choice, in hex. Absent: after all of
   * them, in either order.
   */
  readonly tie?: string
}

/** Keys of a namespace that start with a prefix. */
export interface KvRange {
  readonly namespace: string
  readonly prefix: string
  /** Keys after this one. Absent: all. */
  readonly after?: string
  /** Only keys that the session with this ID holds, in lower case. Absent: all. */
  readonly session?: string
  /** Maximum number of keys. Absent: unbounded. */
  readonly limit?: number
}

export type KvKey = Pick<KvRecord, 'Key' | 'ModifyIndex'>

export type WaitOutcome = 'changed' | 'timeout' | 'aborted'

/**
 * What a store has in memory, so that reads of it are synchronous. Every method returns `undefined` if the store itself
 * must be asked.
 */
export interface StoreMemory {
  /** The result of {@link Store.refresh}, if reads are already that fresh. */
  freshness(mode: ConsistencyMode): Freshness | undefined
  tokenByAccessor(accessorId: string): KnownToken | undefined
  tokenBySecret(secretId: string): KnownToken | undefined
}

/** A token, or the knowledge that there is none. */
export interface KnownToken {
  readonly record: TokenRecord | undefined
}

/**
 * Logins in a browser that have begun: secrets of a few minutes, which no list shows. They are no part of commits and have
 * no index.
 */
export interface LoginStates {
  /**
   * Keeps a state, unless its method has `openMax` others that are not expired at `now`. Concurrent calls may exceed the
   * bound by their number.
   *
   * @returns whether it was kept.
   */
  put(state: LoginState, bound: { readonly openMax: number; readonly now: number }): Promise<boolean>
  /** Removes a state. Of all calls for it, in whatever process, one gets it; it may be expired. */
  take(stateHash: string): Promise<LoginState | undefined>
  /** Removes what is expired. @returns how many. */
  reap(now: number): Promise<number>
}

/** A use of a token with an idle limit. Instants in milliseconds since the epoch. */
export interface TokenUse {
  readonly accessorId: string
  readonly limit: IdleLimit
  readonly now: number
  /** The use lasts until then: a blocking query may wait. At least `now`. */
  readonly until: number
}

/**
 * When tokens with an idle limit were last used. Uses are not commits and have no index: a use is kept in memory, and written at
 * most once per twentieth of the limit.
 */
export interface TokenUses {
  /** Notes a use from memory. @returns false if memory does not know that the token lives: ask {@link TokenUses.use}. */
  noteKnown(use: TokenUse): boolean
  /**
   * Notes a use.
   *
   * @returns false once the token was idle for too long, in whatever process; from then on always.
   * @throws AclError `unavailable`
   */
  use(use: TokenUse): Promise<boolean>
}

/** The tokens of a method that were neither made nor used after `horizon`, in milliseconds since the epoch. */
export interface IdleQuery {
  readonly generation: number
  readonly horizon: number
}

/** The tokens that a method made, by its generation; see {@link Store.logins}. */
export interface LoginQuery {
  readonly generation: number
  /** Tokens that have expired by then do not count. */
  readonly now: number
  /** Identities after this one. Absent: all. */
  readonly after?: string
  readonly limit: number
}

/** Tokens of one identity. */
export interface LoginGroup {
  readonly identity: string
  readonly count: number
  readonly oldestCreateTime: string
  /** In milliseconds since the epoch, as last written. */
  readonly lastUse: number | undefined
}

/**
 * Times of sessions, by the store's own clock, which all processes share. They are no part of commits and have no index, and
 * survive every process.
 */
export interface SessionTimes {
  /**
   * Lets the lifetime of a session begin again.
   *
   * @returns false if there is no such session.
   * @throws AclError `unavailable`
   */
  renew(id: string): Promise<boolean>
  /** IDs of at most `limit` sessions whose lifetime is over, of fewer where they hold many keys, and of one at least. */
  expired(limit: number): Promise<readonly string[]>
  /** Whether the lock delay of an ended session keeps a key from being locked. */
  isDelayed(namespace: string, key: string): Promise<boolean>
}

export interface Store {
  /**
   * The store for reads after `refresh('stale')`, which may come from a replica and be newer than the indexes. Default: this
   * store.
   */
  readonly stale?: Store | undefined

  readonly loginStates: LoginStates
  readonly tokenUses: TokenUses
  readonly changeReaders: ChangeReaders
  readonly sessionTimes: SessionTimes

  /** Absent: every read of a token is asynchronous. */
  readonly memory?: StoreMemory | undefined

  /**
   * Makes later reads as fresh as the mode requires.
   *
   * @throws AclError `unavailable` if the database cannot confirm it.
   */
  refresh(mode: ConsistencyMode): Promise<Freshness>

  /** Policies, roles, namespaces, intentions and system records: few, read by every request, and all held in memory. */
  directory(): Directory

  /** The catalog, all held in memory. It changes as commits are applied: read it, and indexes with it, in one turn. */
  catalog(): Catalog

  /** Highest index of a write to this table, deletes included; 0 if there was none. */
  tableIndex(table: IndexName): number
  /** Index of the last commit that reads show. */
  commitIndex(): number
  /**
   * What commits above an index changed in the records that datacenters have in common, in one snapshot. `undefined` if
   * unknown: too many changes, too long ago, or an index that this store has not given.
   *
   * @param parts instead of too many changes, those of the first commits.
   */
  changesAfter(index: number, parts?: InParts): Promise<StoreChanges | undefined>

  /**
   * Opens a snapshot of the records that datacenters have in common; it ends with `use`. Memory is bounded, and so is the time
   * between two pages: some seconds.
   *
   * @throws AclError `unavailable`, and what `use` throws.
   */
  replicatedSnapshot<T>(use: (snapshot: ReplicatedSnapshot) => Promise<T>): Promise<T>

  /** By accessor, ignoring case. Also finds expired tokens: the rules decide about expiry. */
  tokenByAccessor(accessorId: string): Promise<TokenRecord | undefined>
  /** By secret, case-sensitive. */
  tokenBySecret(secretId: string): Promise<TokenRecord | undefined>
  /** Pages of tokens in order of (CreateIndex, AccessorID, tie), or reversed. Memory is bounded. */
  tokens(filter: TokenFilter): AsyncIterable<readonly TokenRecord[]>
  /** The place of a token in {@link Store.tokens}, for a list that continues after it. */
  placeOf(token: TokenRecord): ListPosition
  /**
   * Lower-case accessors of the tokens that commits above an index created, changed or deleted, as visible to reads of this
   * store. `undefined` if unknown: too many changes, too long ago, or a token without an accessor.
   */
  tokensChangedAfter(index: number): readonly string[] | undefined
  /** Counts the tokens of {@link Store.tokens} without reading them. */
  countTokens(filter: Omit<TokenFilter, 'newestFirst' | 'after' | 'until' | 'limit'>): Promise<number>
  /** At most `limit` tokens whose expiration is at or before `now`, oldest expiration first. */
  expiredTokens(now: number, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]>
  /** At most `limit` tokens that logins made at auth methods that are gone: `isOrphan`. */
  orphanedTokens(limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]>

  /** At most `limit` tokens of a method whose idle time is over. */
  idleTokens(idle: IdleQuery, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]>
  /** Identities with tokens of a method, in order of their bytes. */
  logins(query: LoginQuery): Promise<readonly LoginGroup[]>
  /** How many tokens logins have made at each auth method, by its generation; methods that are gone among them. */
  countLogins(): Promise<ReadonlyMap<number, number>>

  kvEntry(namespace: string, key: string): Promise<KvRecord | undefined>
  /** As {@link Store.kvEntry}; `'long'` if a value longer than the bound would have to be read. */
  kvShortEntry(namespace: string, key: string, valueBytesMax: number): Promise<KvRecord | 'long' | undefined>
  /** Pages of entries in byte order of keys, each page of one moment. Memory is bounded. */
  kvEntries(range: KvRange): AsyncIterable<readonly KvRecord[]>
  /** As {@link Store.kvEntries}, without values. */
  kvKeys(range: KvRange): AsyncIterable<readonly KvKey[]>

  /**
   * Commits all changes or none.
   *
   * @returns the index of the commit, once it is durable and this store's reads show it.
   * @throws StoreConflict if an expectation or a uniqueness rule does not hold.
   * @throws AclError `unavailable` if the database cannot be reached.
   */
  commit(changes: readonly Change[], options?: CommitOptions): Promise<number>

  /**
   * Waits until a commit above index `after` touches the topic, `timeoutMs` passes, or `signal` is aborted. A commit between
   * the caller's read and this call counts.
   */
  wait(topic: Topic, after: number, timeoutMs: number, signal?: AbortSignal): Promise<WaitOutcome>
}

/** Topics that a change touches, besides its table. */
export function topicsOf(change: Change): readonly Topic[] {
  if (change.op === 'delete-tree') return []
  switch (change.table) {
    case 'tokens':
      return change.record.AccessorID === '' ? [] : [tokenTopic(change.record.AccessorID)]
    case 'kv':
      return [kvTopic(change.record.Namespace, change.record.Key)]
    default:
      return isOfCatalog(change) ? catalogTopics(change.table, catalogKey(change.table, change.record)) : []
  }
}

/** Whether a change is one of the catalog. */
export function isOfCatalog<C extends Change>(change: C): change is C & CatalogChange {
  return isCatalogTable(change.table)
}

/** The tables of the index `catalog`. */
export const CATALOG_INDEX_TABLES: readonly CatalogTable[] = CATALOG_TABLES.filter(
  (table) => table !== 'sessions',
)

/** Whether a change of the table moves the index `catalog`. */
export function movesCatalog(table: string): boolean {
  return isCatalogTable(table) && table !== 'sessions'
}

/** Topics of a record of the catalog, besides its table. @param key `catalogKey` */
export function catalogTopics(table: CatalogTable, key: string): readonly Topic[] {
  if (table === 'serviceIndexes') return [`service:${key}`]
  return table === 'coordinates' || table === 'sessions' ? [] : [`node:${nodeOfKey(key)}`]
}

export function tokenTopic(accessorId: string): Topic {
  return `token:${accessorId.toLowerCase()}`
}

/** A node, its services and its checks. */
export function nodeTopic(node: string): Topic {
  return `node:${nodeKey(node)}`
}

/** The instances of a service, with their checks and nodes. */
export function serviceTopic(namespace: string, name: string): Topic {
  return `service:${nameKey(namespace, name)}`
}

/** That any service gets its first instance, or loses its last. */
export const SERVICE_NAMES_TOPIC: Topic = `service:${SERVICE_NAMES}`

export function kvTopic(namespace: string, key: string): Topic {
  return `kv:${namespace}/${key}`
}
