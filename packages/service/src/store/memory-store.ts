/**
 * The reference implementation of the store port, in memory; the mocks run on it. Only {@link MemoryStore.wait} waits,
 * with timers from a {@link Sleeper}.
 */
import type { KvRecord, TokenRecord } from '@latchkey/acl'
import {
  contentOf,
  Directory,
  EMPTY_DIRECTORY,
  emptyDirectoryMaps,
  idKey,
  isDirectoryTable,
  isOrphan,
} from '@latchkey/acl'
import type { CatalogRecords, CatalogTable } from '@latchkey/catalog'
import {
  CATALOG_TABLES,
  Catalog,
  endedSessions,
  isCatalogTable,
  serviceIndexChanges,
} from '@latchkey/catalog'
import { parseInstant } from '@latchkey/contract'
import type { Place } from '../options.ts'
import { partsOf } from '../turns.ts'
import { checkTogether, keyOf } from './claims.ts'
import { comparePlaces, compareUtf8, matchesFilter } from './list-order.ts'
import { MemoryChangeLog, MemoryChangeReaders, RecentTokenChanges } from './memory/change-log.ts'
import { MemoryLoginStates, MemorySessionTimes, MemoryTokenUses } from './memory/ports.ts'
import { checkAgainst, holds, inOrderOfEffect } from './memory-conflicts.ts'
import type { FindReplicated, InParts, StoreChanges, Touched } from './replicated.ts'
import { changesOf, isReplicated, REPLICATED_CHANGES_MAX, takePart } from './replicated.ts'
import { checkReplicatedWrites } from './replicated-writes.ts'
import type {
  Change,
  CommitOptions,
  ConsistencyMode,
  Freshness,
  IdleQuery,
  IndexName,
  KvKey,
  KvRange,
  ListPosition,
  LoginGroup,
  LoginQuery,
  RecordOf,
  Store,
  StoreMemory,
  TableName,
  TokenFilter,
  TokenScope,
  Topic,
  WaitOutcome,
} from './store.ts'
import { isOfCatalog, KeyedMutex, kvTopic, movesCatalog, StoreConflict, topicsOf } from './store.ts'

export interface Sleeper {
  /** Calls `callback` once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void
  /** In milliseconds since the epoch, for sessions. Absent: sessions never expire, and lock delays never end. */
  now?(): number
}

type Tables = { readonly [T in TableName]: Map<string, RecordOf[T]> }

export type MemorySnapshot = Readonly<Tables>

const TABLE_NAMES = Object.keys(emptyTables()) as readonly TableName[]
const CURRENT: Freshness = { knownLeader: true, lastContactMs: 0 }
const PAGE_SIZE = 1_000
/** Digits of a tie, padded so that strings sort like numbers. */
const TIE_LENGTH = 16

type Wake = (outcome: WaitOutcome) => void

export class MemoryStore implements Store {
  private tables: Tables = emptyTables()
  private index = 0
  /** Secrets by lower-case accessor, derived from the tokens. */
  private secretByAccessor = new Map<string, string>()
  /** How many secrets share a key, derived from the tokens. */
  private secretKeys = new Map<string, number>()
  /** The order in which tokens were first stored, by secret. */
  private arrivals = new Map<string, number>()
  private arrivalCount = 0
  private currentDirectory = EMPTY_DIRECTORY
  /** Derived from its tables. */
  private currentCatalog = new Catalog()
  private readonly topicIndexes = new Map<Topic, number>()
  /** Index of the last {@link MemoryStore.restore}, which changed every topic. */
  private restoredAt = 0
  private readonly recentTokens = new RecentTokenChanges()
  readonly changeReaders = new MemoryChangeReaders()
  private readonly changeLog = new MemoryChangeLog(this.changeReaders)
  private readonly waiters = new Map<Topic, Set<Wake>>()
  readonly loginStates = new MemoryLoginStates()
  readonly tokenUses = new MemoryTokenUses()
  readonly contested = new KeyedMutex()
  readonly sessionTimes = new MemorySessionTimes(() => this.sleeper.now?.() ?? 0)
  private readonly sleeper: Sleeper
  private readonly place: Place | undefined

  /** @param place of a secondary, where only replication writes copies. Default: anyone may write everything. */
  constructor(sleeper: Sleeper, place?: Place) {
    this.sleeper = sleeper
    this.place = place
  }

  readonly memory: StoreMemory = {
    freshness: () => CURRENT,
    tokenByAccessor: (accessorId) => ({ record: this.findByAccessor(accessorId) }),
    tokenBySecret: (secretId) => ({ record: this.tables.tokens.get(secretId) }),
  }

  async refresh(_mode: ConsistencyMode): Promise<Freshness> {
    return CURRENT
  }

  directory(): Directory {
    return this.currentDirectory
  }

  catalog(): Catalog {
    return this.currentCatalog
  }

  tableIndex(table: IndexName): number {
    return this.topicIndexes.get(table) ?? 0
  }

  commitIndex(): number {
    return this.index
  }

  async changesAfter(index: number, parts?: InParts): Promise<StoreChanges | undefined> {
    const touched = index > this.index ? undefined : this.changeLog.after(index)
    if (!touched) return undefined
    const { namespaces, policies, roles } = this.tables
    const find: FindReplicated = {
      namespaces: (name) => namespaces.get(name),
      policies: (id) => policies.get(id),
      roles: (id) => roles.get(id),
      tokens: (accessorId) => this.findByAccessor(accessorId),
    }
    const whole = { index: this.index, touched }
    const lengthOf = ({ table, key }: Touched) => JSON.stringify(find[table](key) ?? '').length
    const isInParts = parts !== undefined && touched.length > 0
    const part = isInParts ? takePart(touched, { known: this.index, ...parts }, lengthOf) : whole
    if (!part || part.touched.length > REPLICATED_CHANGES_MAX) return undefined
    return changesOf(part, part.index < this.index, find)
  }

  async tokenByAccessor(accessorId: string): Promise<TokenRecord | undefined> {
    return this.findByAccessor(accessorId)
  }

  async tokenBySecret(secretId: string): Promise<TokenRecord | undefined> {
    return this.tables.tokens.get(secretId)
  }

  private findByAccessor(accessorId: string): TokenRecord | undefined {
    const secret = this.secretByAccessor.get(accessorId.toLowerCase())
    return secret === undefined ? undefined : this.tables.tokens.get(secret)
  }

  async *tokens(filter: TokenFilter): AsyncGenerator<readonly TokenRecord[]> {
    const { after, until, newestFirst, limit } = filter
    const direction = newestFirst ? -1 : 1
    const found = [...this.tables.tokens.values()]
      .filter((token) => matchesFilter(token, filter))
      .map((token) => ({ token, place: this.placeOf(token) }))
      .filter(({ place }) => !after || direction * comparePlaces(place, after) > 0)
      .filter(({ place }) => !until || direction * comparePlaces(place, until) <= 0)
      .sort((a, b) => direction * comparePlaces(a.place, b.place))
      .map(({ token }) => token)
      .slice(0, limit)
    yield* partsOf(found, PAGE_SIZE)
  }

  placeOf({ CreateIndex, AccessorID, SecretID }: TokenRecord): ListPosition {
    const place = { createIndex: CreateIndex, accessorId: AccessorID }
    if (AccessorID !== '') return place
    const arrival = this.arrivals.get(SecretID) ?? 0
    return { ...place, tie: arrival.toString(16).padStart(TIE_LENGTH, '0') }
  }

  tokensChangedAfter(index: number): readonly string[] | undefined {
    return this.recentTokens.after(index)
  }

  async countTokens(filter: TokenFilter): Promise<number> {
    let count = 0
    for (const token of this.tables.tokens.values()) if (matchesFilter(token, filter)) count += 1
    return count
  }

  async expiredTokens(now: number, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.expiredNow(now, limit, scope)
  }

  /** {@link MemoryStore.expiredTokens}, synchronously. */
  expiredNow(now: number, limit: number, scope: TokenScope = {}): readonly TokenRecord[] {
    const expired: { readonly token: TokenRecord; readonly at: number }[] = []
    for (const token of this.tables.tokens.values()) {
      const at = token.ExpirationTime === undefined ? undefined : parseInstant(token.ExpirationTime)
      if (at !== undefined && at <= now && matchesFilter(token, scope)) expired.push({ token, at })
    }
    expired.sort((a, b) => a.at - b.at)
    return expired.slice(0, limit).map(({ token }) => token)
  }

  async orphanedTokens(limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.orphansNow(scope).slice(0, limit)
  }

  /** {@link MemoryStore.orphanedTokens}, synchronously and unbounded. */
  orphansNow(scope: TokenScope = {}): readonly TokenRecord[] {
    return [...this.tables.tokens.values()].filter(
      (token) => matchesFilter(token, scope) && isOrphan(token, this.currentDirectory),
    )
  }

  async idleTokens(idle: IdleQuery, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.idleNow(idle, scope).slice(0, limit)
  }

  /** {@link MemoryStore.idleTokens}, synchronously and unbounded. */
  idleNow({ generation, horizon }: IdleQuery, scope: TokenScope = {}): readonly TokenRecord[] {
    return this.tokensOf(generation).filter((token) => {
      if (!matchesFilter(token, scope)) return false
      const { AccessorID, CreateTime } = token
      const lastUse = this.tokenUses.lastUse(AccessorID) ?? 0
      return Math.max(lastUse, parseInstant(CreateTime) ?? 0) <= horizon
    })
  }

  async logins({ generation, now, after, limit }: LoginQuery): Promise<readonly LoginGroup[]> {
    const groups = new Map<string, LoginGroup>()
    for (const { AccessorID, CreateTime, ExpirationTime, LoginIdentity } of this.tokensOf(generation)) {
      if (ExpirationTime !== undefined && (parseInstant(ExpirationTime) ?? 0) <= now) continue
      if (after !== undefined && compareUtf8(LoginIdentity, after) <= 0) continue
      const {
        count = 0,
        oldestCreateTime: oldest = CreateTime,
        lastUse = 0,
      } = groups.get(LoginIdentity) ?? {}
      const isOldest = CreateTime < oldest
      groups.set(LoginIdentity, {
        identity: LoginIdentity,
        count: count + 1,
        oldestCreateTime: isOldest ? CreateTime : oldest,
        lastUse: Math.max(lastUse, this.tokenUses.lastUse(AccessorID) ?? 0) || undefined,
      })
    }
    return [...groups.values()].sort((a, b) => compareUtf8(a.identity, b.identity)).slice(0, limit)
  }

  async countLogins(): Promise<ReadonlyMap<number, number>> {
    const counts = new Map<number, number>()
    for (const { AuthMethodGeneration } of this.tables.tokens.values()) {
      counts.set(AuthMethodGeneration, (counts.get(AuthMethodGeneration) ?? 0) + 1)
    }
    counts.delete(0)
    return counts
  }

  private tokensOf(generation: number): readonly TokenRecord[] {
    return [...this.tables.tokens.values()].filter((token) => token.AuthMethodGeneration === generation)
  }

  async kvEntry(namespace: string, key: string): Promise<KvRecord | undefined> {
    return this.tables.kv.get(`${namespace}/${key}`)
  }

  kvShortEntry(namespace: string, key: string): Promise<KvRecord | 'long' | undefined> {
    return this.kvEntry(namespace, key)
  }

  async *kvEntries(range: KvRange): AsyncGenerator<readonly KvRecord[]> {
    yield* partsOf(this.entriesIn(range), PAGE_SIZE)
  }

  async *kvKeys(range: KvRange): AsyncGenerator<readonly KvKey[]> {
    yield* partsOf(
      this.entriesIn(range).map(({ Key, ModifyIndex }) => ({ Key, ModifyIndex })),
      PAGE_SIZE,
    )
  }

  private entriesIn({ namespace, prefix, after, session, limit }: KvRange): readonly KvRecord[] {
    return [...this.tables.kv.values()]
      .filter((entry) => entry.Namespace === namespace && entry.Key.startsWith(prefix))
      .filter((entry) => session === undefined || entry.Session === session)
      .filter((entry) => after === undefined || compareUtf8(entry.Key, after) > 0)
      .sort((a, b) => compareUtf8(a.Key, b.Key))
      .slice(0, limit)
  }

  async commit(changes: readonly Change[], options?: CommitOptions): Promise<number> {
    return this.commitNow(changes, options)
  }

  /** {@link MemoryStore.commit}, synchronously. */
  commitNow(changes: readonly Change[], { above = 0, expects = [] }: CommitOptions = {}): number {
    checkTogether(changes)
    const {
      tables,
      currentDirectory: directory,
      currentCatalog: catalog,
      secretByAccessor,
      secretKeys,
    } = this
    if (this.place) checkReplicatedWrites(changes, this, this.place)
    const { sessionTimes } = this
    checkAgainst({ tables, directory, catalog, secretByAccessor, secretKeys, sessionTimes }, changes)
    if (!expects.every((one) => holds(one, { tables, catalog }))) throw new StoreConflict('changed')
    const ended = endedSessions(changes.filter(isOfCatalog), catalog)
    const moved = serviceIndexChanges(changes.filter(isOfCatalog), catalog)
    this.index = Math.max(this.index, above) + 1
    const topics = new Set<Topic>()
    const make = (change: Change) => {
      for (const topic of [change.table, ...topicsOf(change), ...this.apply(change)]) topics.add(topic)
      if (isReplicated(change.table)) topics.add('changes')
      if (movesCatalog(change.table)) topics.add('catalog')
      this.changeLog.note(change, this.index)
    }
    for (const change of inOrderOfEffect(changes)) make(change)
    for (const change of moved) make({ ...change, expect: undefined })
    for (const record of ended) {
      for (const change of sessionTimes.end(record, this.keysHeldBy(record.ID))) make(change)
      make({ table: 'sessions', op: 'delete', record, expect: undefined })
    }
    if (changes.some(({ table }) => isDirectoryTable(table))) this.rebuildDirectory()
    this.wake(topics)
    return this.index
  }

  private keysHeldBy(sessionId: string): readonly KvRecord[] {
    return [...this.tables.kv.values()].filter(({ Session }) => Session === sessionId)
  }

  wait(topic: Topic, after: number, timeoutMs: number, signal?: AbortSignal): Promise<WaitOutcome> {
    if (signal?.aborted) return Promise.resolve('aborted')
    if ((this.topicIndexes.get(topic) ?? this.restoredAt) > after) return Promise.resolve('changed')
    return new Promise((resolve) => {
      const wake: Wake = (outcome) => {
        cancelTimer()
        signal?.removeEventListener('abort', abort)
        this.waiters.get(topic)?.delete(wake)
        resolve(outcome)
      }
      const abort = () => wake('aborted')
      const cancelTimer = this.sleeper.after(timeoutMs, () => wake('timeout'))
      signal?.addEventListener('abort', abort)
      const waiters = this.waiters.get(topic)
      if (waiters) waiters.add(wake)
      else this.waiters.set(topic, new Set([wake]))
    })
  }

  /** Copies only the maps, because records are immutable. */
  snapshot(): MemorySnapshot {
    return copyTables(this.tables)
  }

  /** Restores a snapshot. The index keeps increasing, so no watcher sees it decrease. */
  restore(snapshot: MemorySnapshot): void {
    this.tables = copyTables(snapshot)
    this.index += 1
    this.secretByAccessor = new Map()
    this.secretKeys = new Map()
    this.arrivals = new Map()
    this.recentTokens.reset(this.index)
    this.changeLog.reset(this.index)
    this.topicIndexes.clear()
    this.restoredAt = this.index
    for (const token of this.tables.tokens.values()) this.nameToken(token)
    this.rebuildDirectory()
    this.rebuildCatalog()
    this.sessionTimes.restart(this.tables.sessions.values())
    this.wake(new Set([...this.waiters.keys(), ...TABLE_NAMES, 'changes', 'catalog']))
  }

  /** @returns topics that are known only after the change is applied. */
  private apply(change: Change): readonly Topic[] {
    if (change.op === 'delete-tree') {
      const entries = this.entriesIn(change)
      for (const entry of entries) this.tables.kv.delete(`${entry.Namespace}/${entry.Key}`)
      return entries.map((entry) => kvTopic(entry.Namespace, entry.Key))
    }
    const key = keyOf(change)
    const table = this.tables[change.table] as Map<string, unknown>
    const existing = this.tables[change.table].get(key)
    if (change.table === 'tokens')
      this.recentTokens.note(change.record.AccessorID.toLowerCase() || undefined, this.index)
    if (existing && 'AccessorID' in existing) this.secretByAccessor.delete(existing.AccessorID.toLowerCase())
    if (change.op === 'delete') {
      table.delete(key)
      if (isCatalogTable(change.table)) this.currentCatalog.remove(change.table, key)
      if (change.table === 'tokens') {
        this.arrivals.delete(key)
        this.tokenUses.forget(change.record.AccessorID)
        if (existing) this.countSecret(key, -1)
      }
      return []
    }
    const CreateIndex = existing ? existing.CreateIndex : change.record.CreateIndex || this.index
    const written = change.table === 'kv' ? withStoredLock(change, this.tables.kv.get(key)) : change.record
    const record = { ...written, CreateIndex, ModifyIndex: this.index }
    if (change.table === 'sessions') this.sessionTimes.begin(change.record)
    table.set(key, record)
    // Table and record belong together, which the compiler cannot see.
    if (isCatalogTable(change.table))
      this.currentCatalog.put(change.table, record as CatalogRecords[CatalogTable])
    if (change.table === 'tokens') this.nameToken(change.record)
    return []
  }

  private nameToken(token: TokenRecord): void {
    if (!this.arrivals.has(token.SecretID)) {
      this.arrivalCount += 1
      this.arrivals.set(token.SecretID, this.arrivalCount)
      this.countSecret(token.SecretID, 1)
    }
    if (token.AccessorID !== '') this.secretByAccessor.set(token.AccessorID.toLowerCase(), token.SecretID)
  }

  private countSecret(secretId: string, difference: 1 | -1): void {
    const key = idKey(secretId)
    const count = (this.secretKeys.get(key) ?? 0) + difference
    if (count === 0) this.secretKeys.delete(key)
    else this.secretKeys.set(key, count)
  }

  private rebuildDirectory(): void {
    this.currentDirectory = new Directory(contentOf(this.tables), this.index)
  }

  private rebuildCatalog(): void {
    this.currentCatalog = new Catalog()
    for (const table of CATALOG_TABLES) {
      for (const record of this.tables[table].values()) this.currentCatalog.put(table, record)
    }
  }

  private wake(topics: ReadonlySet<Topic>): void {
    for (const topic of topics) {
      this.topicIndexes.set(topic, this.index)
      for (const wake of this.waiters.get(topic) ?? []) wake('changed')
      this.waiters.delete(topic)
    }
  }
}

/** A key that is put without a condition keeps its lock. */
function withStoredLock(
  { record, expect }: Extract<Change, { readonly table: 'kv'; readonly op: 'put' | 'delete' }>,
  existing: KvRecord | undefined,
): KvRecord {
  if (expect !== undefined) return record
  const { Session: _, ...free } = record
  const { LockIndex = record.LockIndex, Session } = existing ?? {}
  return { ...free, LockIndex, ...(Session === undefined ? {} : { Session }) }
}

function emptyTables(): Tables {
  return {
    ...emptyDirectoryMaps(),
    tokens: new Map(),
    kv: new Map(),
    nodes: new Map(),
    services: new Map(),
    checks: new Map(),
    coordinates: new Map(),
    sessions: new Map(),
    serviceIndexes: new Map(),
  }
}

function copyTables(tables: Tables): Tables {
  return Object.fromEntries(
    TABLE_NAMES.map((table) => [table, new Map<string, unknown>(tables[table])]),
  ) as never
}
