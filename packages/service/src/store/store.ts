/**
 * The port to storage. `MemoryStore` is its reference implementation; the server's runs on PostgreSQL.
 * One suite of tests holds both to it.
 *
 * Reads see what {@link Store.refresh} promised. Writes are optimistic: a use case reads, decides by pure rules, and
 * commits changes that name the ModifyIndex they were decided on. All changes of one commit happen or none, under one
 * index of one strictly increasing counter.
 *
 * A record of a namespace is only put where that namespace is (`default`, or its own record), and a namespace is only
 * deleted when it holds nothing. Both are seen by the commit itself, and refused as `changed`.
 */
import type {
  Directory,
  KvRecord,
  NamespaceRecord,
  PolicyRecord,
  RoleRecord,
  SystemRecord,
  TokenRecord,
} from '@latchkey/acl'

/** How fresh a read must be; chosen once at the edge. Spec 4.1; decisions: consistency modes. */
export type ConsistencyMode = 'default' | 'consistent' | 'stale'

export interface Freshness {
  /** Whether the primary database is known to be reachable. */
  readonly knownLeader: boolean
  /** Age of the state that reads see, in milliseconds. 0 unless `stale`. */
  readonly lastContactMs: number
}

export type TableName = 'tokens' | 'policies' | 'roles' | 'kv' | 'namespaces' | 'system'

/**
 * What a waiter waits for: a whole table, one token by its accessor in lower case, or one key.
 * Sameness of topics is sameness of text.
 */
export type Topic = TableName | `token:${string}` | `kv:${string}`

interface RecordOf {
  readonly tokens: TokenRecord
  readonly policies: PolicyRecord
  readonly roles: RoleRecord
  readonly kv: KvRecord
  readonly namespaces: NamespaceRecord
  readonly system: SystemRecord
}

/**
 * One change of one record.
 * `expect`: the ModifyIndex of the record that is replaced or removed; 0 where there must be none; `undefined` where
 * anything may be there. The record's own indexes are set by the store.
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

export type ConflictReason = 'changed' | 'accessor_in_use' | 'secret_in_use' | 'name_in_use'

/** A commit that did not happen: nothing was changed. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict'
  readonly reason: ConflictReason
  constructor(reason: ConflictReason) {
    super(`the commit conflicts with the stored state: ${reason}`)
    this.reason = reason
  }
}

/** Which tokens a list shows: those for which everything holds that is set. */
export interface TokenFilter {
  /** Absent: all namespaces. */
  readonly namespace?: string
  readonly policyId?: string
  readonly roleId?: string
  readonly authMethod?: string
  readonly serviceName?: string
  readonly local?: boolean
  /** Only legacy tokens, with a Type or Rules. */
  readonly legacy?: true
  /** Only legacy tokens that may do everything. */
  readonly management?: true
  /** Only tokens that have their rights from the legacy system alone: `hasLegacyRights`. */
  readonly legacyRights?: true
  /** Only tokens without an accessor. */
  readonly withoutAccessor?: true
  /** The list in reverse. */
  readonly newestFirst?: true
  /** Tokens after this place, in the order of the list that is asked for. */
  readonly after?: ListPosition
  /** Tokens up to this place, itself included, in that order. */
  readonly until?: ListPosition
  /** Most records in all. Absent: no bound. */
  readonly limit?: number
}

/** Place in the list: tokens are listed in the order of their creation. */
export interface ListPosition {
  readonly createIndex: number
  readonly accessorId: string
  /**
   * Tells tokens without an accessor apart that came with one commit: a text of the store's own, bytes in hex. Absent
   * there: after all of them, in either order.
   */
  readonly tie?: string
}

/** Keys of a namespace that start with a prefix. */
export interface KvRange {
  readonly namespace: string
  readonly prefix: string
  /** Keys after this one. Absent: all. */
  readonly after?: string
  /** Most keys in all. Absent: no bound. */
  readonly limit?: number
}

export type KvKey = Pick<KvRecord, 'Key' | 'ModifyIndex'>

export type WaitOutcome = 'changed' | 'timeout' | 'aborted'

/**
 * What a store knows without waiting, so that a read of what is in memory is answered synchronously. Every method returns
 * `undefined` if the store itself must be asked.
 */
export interface StoreMemory {
  /** What {@link Store.refresh} would return, if the reads that follow are that fresh already. */
  freshness(mode: ConsistencyMode): Freshness | undefined
  tokenByAccessor(accessorId: string): KnownToken | undefined
  tokenBySecret(secretId: string): KnownToken | undefined
}

/** A token, or the knowledge that there is none. */
export interface KnownToken {
  readonly record: TokenRecord | undefined
}

export interface Store {
  /**
   * The same store for reads after `refresh('stale')`, where they may come from elsewhere, and be newer than its indexes
   * say; absent: itself.
   */
  readonly stale?: Store | undefined

  /** Absent: every read of a token waits. */
  readonly memory?: StoreMemory | undefined

  /**
   * Makes the reads that follow as fresh as the mode asks.
   *
   * @throws AclError `unavailable` if the database cannot confirm it.
   */
  refresh(mode: ConsistencyMode): Promise<Freshness>

  /** Policies, roles, namespaces and system facts: few, read by every request, held in memory as a whole. */
  directory(): Directory

  /** Highest index of a write to this table, deletes included; 0 if there was none. */
  tableIndex(table: TableName): number

  /** By accessor, ignoring case. Also finds expired tokens: the rules decide about expiry. */
  tokenByAccessor(accessorId: string): Promise<TokenRecord | undefined>
  /** By secret, case-sensitive. */
  tokenBySecret(secretId: string): Promise<TokenRecord | undefined>
  /** Pages of tokens in order of (CreateIndex, AccessorID, tie), or its reverse. Bounded memory, whatever the number. */
  tokens(filter: TokenFilter): AsyncIterable<readonly TokenRecord[]>
  /** The place of a token in {@link Store.tokens}, for a list that continues after it. */
  placeOf(token: TokenRecord): ListPosition
  /**
   * Accessors, in lower case, of all tokens that commits above an index made, changed or removed, as far as this store's
   * reads show them. `undefined` where that is not known: it was too many or too long ago, or one had no accessor.
   */
  tokensChangedAfter(index: number): readonly string[] | undefined
  /** How many tokens {@link Store.tokens} would give for a filter without place and limit; none is read for it. */
  countTokens(filter: Omit<TokenFilter, 'newestFirst' | 'after' | 'until' | 'limit'>): Promise<number>
  /** At most `limit` tokens whose expiration is at or before `now`, oldest expiration first. */
  expiredTokens(now: number, limit: number): Promise<readonly TokenRecord[]>

  kvEntry(namespace: string, key: string): Promise<KvRecord | undefined>
  /** Pages of entries in byte order of their keys, each page of one moment. Bounded memory, whatever the tree. */
  kvEntries(range: KvRange): AsyncIterable<readonly KvRecord[]>
  /** As {@link Store.kvEntries}, without reading a value. */
  kvKeys(range: KvRange): AsyncIterable<readonly KvKey[]>

  /**
   * Commits all changes or none.
   *
   * @returns the index of the commit, once it is durable and this store's reads show it.
   * @throws StoreConflict where an expectation or a uniqueness does not hold.
   * @throws AclError `unavailable` where the database cannot be reached.
   */
  commit(changes: readonly Change[]): Promise<number>

  /**
   * Waits until a commit above index `after` touched the topic, `timeoutMs` is over, or `signal` is aborted.
   * A commit that came between the caller's read and this call counts.
   */
  wait(topic: Topic, after: number, timeoutMs: number, signal?: AbortSignal): Promise<WaitOutcome>
}

/** Topics that a change touches, besides its table. */
export function topicsOf(change: Change): readonly Topic[] {
  if (change.op === 'delete-tree') return []
  if (change.table === 'tokens') {
    return change.record.AccessorID === '' ? [] : [tokenTopic(change.record.AccessorID)]
  }
  return change.table === 'kv' ? [kvTopic(change.record.Namespace, change.record.Key)] : []
}

export function tokenTopic(accessorId: string): Topic {
  return `token:${accessorId.toLowerCase()}`
}

export function kvTopic(namespace: string, key: string): Topic {
  return `kv:${namespace}/${key}`
}
