/**
 * The storage port. `MemoryStore` is the reference implementation, and the server implements it on PostgreSQL. One test suite
 * covers both.
 *
 * Reads are as fresh as {@link Store.refresh} promised. Writes are optimistic: a use case reads, decides by pure rules, and
 * commits changes with the ModifyIndex on which it decided. A commit applies all of its changes or none, under one index of a
 * strictly increasing counter.
 *
 * Rules about names, IDs and namespaces apply to the state after the commit. In one commit, policies or roles may swap their
 * names, and a token may be deleted and another created with its IDs, or only with its secret. This is the only case of two
 * changes to one token: the deletion comes first, and the creation expects no record.
 *
 * A record can only be put into a namespace that exists after the commit, and only a namespace that is then empty can be
 * deleted. Likewise, a binding rule requires its auth method, and an auth method can only be deleted together with all its
 * rules. The commit itself checks this and refuses with `changed`.
 *
 * A service, check or coordinate requires its node, and a check of a service also requires the service. A node or service can
 * only be deleted together with everything on it. Otherwise the commit refuses with `changed`. The commit itself updates the
 * indexes of services: no caller writes `serviceIndexes`. See the rules `keepsCatalogWhole` and `serviceIndexChanges`.
 *
 * A session requires its node and its checks, none of them critical. The commit itself ends the sessions that it deletes, and
 * those that lose their node or a check, or have a check that turns critical: see `endedSessions`. After all other changes, it
 * releases or deletes the keys that these sessions hold, and starts their lock delays; no caller writes these changes. A key
 * can only be put with a session if the session exists and no lock delay blocks the key, unless the session already holds it.
 * Otherwise the commit refuses with `changed`.
 *
 * If an auth method already has `MaxLiveTokens` tokens, the commit refuses another with `method_full`. It counts every stored
 * token, expired or not, so a commit never depends on a clock.
 */
import type {
  Directory,
  DirectoryRecords,
  DirectoryTable,
  IdleLimit,
  KvRecord,
  LoginState,
  TokenRecord,
} from '@latchkey/acl'
import { nameKey } from '@latchkey/acl'
import type { Catalog, CatalogChange, CatalogRecords, CatalogTable, Expectation } from '@latchkey/catalog'
import {
  CATALOG_TABLES,
  catalogKey,
  connectKey,
  isCatalogTable,
  nodeKey,
  nodeOfKey,
  SERVICE_NAMES,
} from '@latchkey/catalog'
import type { ChangeReaders, InParts, StoreChanges } from './replicated.ts'

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
 * A table; `changes`: all tables that are replicated between datacenters; or `catalog`: {@link CATALOG_TABLES} except
 * sessions, which no answer of the catalog shows.
 */
export type IndexName = TableName | 'changes' | 'catalog'

/**
 * What a waiter waits for: one table or several, one token by its lower-case accessor, one key, one node with everything on
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
      /** Refused with `changed` if the session was renewed in the meantime: see {@link SessionTimes.expired}. */
      readonly ifExpired: true
    }

export type RecordChange = Exclude<Change, { op: 'delete-tree' }>

export interface CommitOptions {
  /** The index of the commit must also exceed this one: indexes may have gaps. */
  readonly above?: number | undefined
  /** Other records on which the decision depends. If one has changed, the commit is refused with `changed`. */
  readonly expects?: readonly Expectation[] | undefined
}

export type ConflictReason = 'changed' | 'accessor_in_use' | 'secret_in_use' | 'name_in_use' | 'method_full'

export class StoreConflict extends Error {
  override readonly name = 'StoreConflict'
  readonly reason: ConflictReason
  constructor(reason: ConflictReason) {
    super(`the commit conflicts with the stored state: ${reason}`)
    this.reason = reason
  }
}

/** Selects the tokens of a list. All conditions that are set must hold. */
export interface TokenFilter {
  /** Absent: all namespaces. */
  readonly namespace?: string
  readonly policyId?: string
  readonly roleId?: string
  readonly authMethod?: string
  readonly authMethodNamespace?: string
  readonly serviceName?: string
  readonly local?: boolean
  /** Only legacy tokens, which have a Type or Rules. */
  readonly legacy?: true
  /** Only legacy management tokens. */
  readonly management?: true
  /** Only tokens whose rights come from the legacy system alone: `hasLegacyRights`. */
  readonly legacyRights?: true
  readonly withoutAccessor?: true
  /** If a stored secret cannot be decrypted, shows the token with an empty one. Absent: the list fails. */
  readonly withUnopened?: true
  readonly newestFirst?: true
  /** Tokens after this position, in the requested order. */
  readonly after?: ListPosition
  /** Tokens up to and including this position, in the requested order. */
  readonly until?: ListPosition
  readonly limit?: number
}

export type TokenScope = Pick<TokenFilter, 'local'>

export interface ListPosition {
  readonly createIndex: number
  readonly accessorId: string
  /**
   * Distinguishes tokens of one commit that have no accessor: bytes that the store chooses, in hex. Absent: after all of them,
   * in either order.
   */
  readonly tie?: string
}

/** Keys of a namespace that start with a prefix. */
export interface KvRange {
  readonly namespace: string
  readonly prefix: string
  readonly after?: string
  /** Only keys that the session with this lower-case ID holds. Absent: all. */
  readonly session?: string
  readonly limit?: number
}

export type KvKey = Pick<KvRecord, 'Key' | 'ModifyIndex'>

export type WaitOutcome = 'changed' | 'timeout' | 'aborted'

/** Synchronous reads of what a store has in memory. Every method returns `undefined` if the store itself must be queried. */
export interface StoreMemory {
  /** The result of {@link Store.refresh}, if reads are already that fresh. */
  freshness(mode: ConsistencyMode): Freshness | undefined
  tokenByAccessor(accessorId: string): KnownToken | undefined
  tokenBySecret(secretId: string): KnownToken | undefined
}

/** A token, or the fact that there is none. */
export interface KnownToken {
  readonly record: TokenRecord | undefined
}

/**
 * Unfinished logins in a browser: secrets that live for a few minutes and appear in no list. They are not part of commits and
 * have no index.
 */
export interface LoginStates {
  /**
   * Stores a state, unless its method has `openMax` others that are not expired at `now`. Concurrent calls may exceed this
   * bound by their number.
   * @returns whether it was stored.
   */
  put(state: LoginState, bound: { readonly openMax: number; readonly now: number }): Promise<boolean>
  /** Removes and returns a state, even if it has expired. Of concurrent calls, in any process, exactly one gets it. */
  take(stateHash: string): Promise<LoginState | undefined>
  /** Removes expired states. @returns how many. */
  reap(now: number): Promise<number>
}

export interface TokenUse {
  readonly accessorId: string
  readonly limit: IdleLimit
  readonly now: number
  /** When the use ends, which is later than `now` if a blocking query may wait. */
  readonly until: number
}

/**
 * When tokens with an idle limit were last used. Uses are not commits and have no index: they are collected in memory, and
 * written at most once per twentieth of the limit.
 */
export interface TokenUses {
  /** Notes a use in memory. @returns false if memory does not show that the token is alive: call {@link TokenUses.use}. */
  noteKnown(use: TokenUse): boolean
  /**
   * Notes a use.
   * @returns false once the token has been idle for too long across all processes, and from then on.
   * @throws AclError `unavailable`
   */
  use(use: TokenUse): Promise<boolean>
}

export interface IdleQuery {
  readonly generation: number
  readonly horizon: number
}

/** The tokens created through a method, by its generation; see {@link Store.logins}. */
export interface LoginQuery {
  readonly generation: number
  /** Tokens that have expired by this time do not count. */
  readonly now: number
  /** Identities after this one. Absent: all. */
  readonly after?: string
  readonly limit: number
}

export interface LoginGroup {
  readonly identity: string
  readonly count: number
  readonly oldestCreateTime: string
  /** In milliseconds since the epoch, as last written. */
  readonly lastUse: number | undefined
}

/**
 * Times of sessions, by the store's own clock, which all processes share. They are not part of commits, have no index, and
 * survive restarts.
 */
export interface SessionTimes {
  /** Restarts the lifetime of a session. @returns false if there is no such session. @throws AclError `unavailable` */
  renew(id: string): Promise<boolean>
  /**
   * IDs of sessions whose lifetime is over: at most `limit`, fewer if they hold many keys, and at least one if there is any.
   */
  expired(limit: number): Promise<readonly string[]>
  /** Whether the lock delay of an ended session still blocks a key. */
  isDelayed(namespace: string, key: string): Promise<boolean>
}

export interface Store {
  /**
   * The store for reads after `refresh('stale')`. These may come from a replica and be newer than the indexes. Default: this
   * store.
   */
  readonly stale?: Store | undefined

  readonly loginStates: LoginStates
  readonly tokenUses: TokenUses
  readonly changeReaders: ChangeReaders
  readonly sessionTimes: SessionTimes
  /** Writes to records that conflicted, in this process. */
  readonly contested: KeyedMutex

  /** Absent: every read of a token is asynchronous. */
  readonly memory?: StoreMemory | undefined

  /**
   * Makes later reads as fresh as the mode requires.
   * @throws AclError `unavailable` if the database cannot confirm it.
   */
  refresh(mode: ConsistencyMode): Promise<Freshness>

  /** Policies, roles, namespaces, intentions and system records: few, read by every request, and all in memory. */
  directory(): Directory

  /** The catalog, all in memory. It changes as commits are applied: read it, and the indexes with it, in one turn. */
  catalog(): Catalog

  /** Highest index of a write to this table, including deletions; 0 if there was none. */
  tableIndex(table: IndexName): number
  /** Index of the last commit that is visible to reads. */
  commitIndex(): number
  /**
   * The changes that commits above an index made to replicated records, in one snapshot. `undefined` if unknown: too many
   * changes, too long ago, or an index that this store has not assigned.
   * @param parts if there are too many changes, returns those of the first commits instead.
   */
  changesAfter(index: number, parts?: InParts): Promise<StoreChanges | undefined>

  /** By accessor, ignoring case. Also finds expired tokens: the rules decide about expiry. */
  tokenByAccessor(accessorId: string): Promise<TokenRecord | undefined>
  /** By secret, case-sensitive. */
  tokenBySecret(secretId: string): Promise<TokenRecord | undefined>
  /** Pages of tokens ordered by (CreateIndex, AccessorID, tie), or reversed. Memory is bounded. */
  tokens(filter: TokenFilter): AsyncIterable<readonly TokenRecord[]>
  /** The position of a token in {@link Store.tokens}, for a list that continues after it. */
  placeOf(token: TokenRecord): ListPosition
  /**
   * Lower-case accessors of the tokens that commits above an index created, changed or deleted, as visible to reads of this
   * store. `undefined` if unknown: too many changes, too long ago, or a token without an accessor.
   */
  tokensChangedAfter(index: number): readonly string[] | undefined
  /** Counts the tokens of {@link Store.tokens} without reading them. */
  countTokens(filter: Omit<TokenFilter, 'newestFirst' | 'after' | 'until' | 'limit'>): Promise<number>
  /** At most `limit` tokens that expire at or before `now`, earliest first. */
  expiredTokens(now: number, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]>
  /** At most `limit` tokens from logins through auth methods that no longer exist: `isOrphan`. */
  orphanedTokens(limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]>

  /** At most `limit` tokens of a method that have exceeded its idle limit. */
  idleTokens(idle: IdleQuery, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]>
  /** Identities with tokens of a method, in byte order. */
  logins(query: LoginQuery): Promise<readonly LoginGroup[]>
  /** How many tokens logins have created at each auth method, by its generation, including deleted methods. */
  countLogins(): Promise<ReadonlyMap<number, number>>

  kvEntry(namespace: string, key: string): Promise<KvRecord | undefined>
  /** Like {@link Store.kvEntry}; returns `'long'` instead of reading a value longer than the bound. */
  kvShortEntry(namespace: string, key: string, valueBytesMax: number): Promise<KvRecord | 'long' | undefined>
  /** Pages of entries in byte order of keys. Each page is a snapshot. Memory is bounded. */
  kvEntries(range: KvRange): AsyncIterable<readonly KvRecord[]>
  /** Like {@link Store.kvEntries}, without values. */
  kvKeys(range: KvRange): AsyncIterable<readonly KvKey[]>

  /**
   * Commits all changes or none.
   * @returns the index of the commit, once it is durable and this store's reads show it.
   * @throws StoreConflict if an expectation or a uniqueness rule does not hold.
   * @throws AclError `unavailable` if the database cannot be reached.
   */
  commit(changes: readonly Change[], options?: CommitOptions): Promise<number>

  /**
   * Waits until a commit above index `after` touches the topic, `timeoutMs` passes, or `signal` is aborted. Commits between
   * the caller's read and this call count.
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

export function isOfCatalog<C extends Change>(change: C): change is C & CatalogChange {
  return isCatalogTable(change.table)
}

/** The tables of the index `catalog`. */
export const CATALOG_INDEX_TABLES: readonly CatalogTable[] = CATALOG_TABLES.filter(
  (table) => table !== 'sessions',
)

/** Whether a change to the table moves the index `catalog`. */
export function movesCatalog(table: string): boolean {
  return isCatalogTable(table) && table !== 'sessions'
}

/** Topics of a catalog record, besides its table. @param key `catalogKey` */
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

/** The connection endpoints of a service, with their checks and nodes. */
export function connectTopic(namespace: string, name: string): Topic {
  return `service:${connectKey(nameKey(namespace, name))}`
}

/** Any service gets its first instance or loses its last. */
export const SERVICE_NAMES_TOPIC: Topic = `service:${SERVICE_NAMES}`

export function kvTopic(namespace: string, key: string): Topic {
  return `kv:${namespace}/${key}`
}

export class KeyedMutex {
  private readonly last = new Map<string, Promise<void>>()

  get isEmpty(): boolean {
    return this.last.size === 0
  }

  isAwaited(names: readonly string[]): boolean {
    return names.some((name) => this.last.has(name))
  }

  /** Starts `work` after all earlier writers of any of these records have ended. */
  async inTurn<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const mine = Promise.all(names.map((name) => this.last.get(name))).then(work)
    const done = mine.then(
      () => {},
      () => {},
    )
    for (const name of names) this.last.set(name, done)
    try {
      return await mine
    } finally {
      for (const name of names) if (this.last.get(name) === done) this.last.delete(name)
    }
  }
}
