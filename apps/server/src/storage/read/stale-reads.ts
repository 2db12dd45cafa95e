import type { Directory, KvRecord, TokenRecord } from '@latchkey/acl'
import type { Catalog } from '@latchkey/catalog'
import type {
  Change,
  ChangeReaders,
  CommitOptions,
  ConsistencyMode,
  Freshness,
  IdleQuery,
  IndexName,
  InParts,
  KvKey,
  KvRange,
  ListPosition,
  LoginGroup,
  LoginQuery,
  LoginStates,
  ReplicatedSnapshot,
  SessionTimes,
  Store,
  StoreChanges,
  StoreMemory,
  TokenFilter,
  TokenScope,
  TokenUses,
  Topic,
  WaitOutcome,
} from '@latchkey/service'
import type { TokenLists } from './lists/token-lists.ts'
import type { TokenReader } from './token-reader.ts'

/**
 * A store for requests with mode `stale`: what is not in memory is read from the replica, if the replica has reached
 * the local state. The reported age therefore also applies to its answers.
 */
export class StaleReads implements Store {
  private readonly store: Store
  private readonly reader: TokenReader
  private readonly lists: TokenLists

  constructor(store: Store, { tokens, lists }: { readonly tokens: TokenReader; readonly lists: TokenLists }) {
    this.store = store
    this.reader = tokens
    this.lists = lists
  }

  get memory(): StoreMemory | undefined {
    return this.store.memory
  }

  get loginStates(): LoginStates {
    return this.store.loginStates
  }

  get tokenUses(): TokenUses {
    return this.store.tokenUses
  }

  get changeReaders(): ChangeReaders {
    return this.store.changeReaders
  }

  get sessionTimes(): SessionTimes {
    return this.store.sessionTimes
  }

  refresh(mode: ConsistencyMode): Promise<Freshness> {
    return this.store.refresh(mode)
  }

  directory(): Directory {
    return this.store.directory()
  }

  catalog(): Catalog {
    return this.store.catalog()
  }

  tableIndex(table: IndexName): number {
    return this.store.tableIndex(table)
  }

  commitIndex(): number {
    return this.store.commitIndex()
  }

  changesAfter(index: number, parts?: InParts): Promise<StoreChanges | undefined> {
    return this.store.changesAfter(index, parts)
  }

  replicatedSnapshot<T>(use: (snapshot: ReplicatedSnapshot) => Promise<T>): Promise<T> {
    return this.store.replicatedSnapshot(use)
  }

  tokenByAccessor(accessorId: string): Promise<TokenRecord | undefined> {
    return this.reader.byAccessor(accessorId, true)
  }

  tokenBySecret(secretId: string): Promise<TokenRecord | undefined> {
    return this.reader.bySecret(secretId, true)
  }

  tokens(filter: TokenFilter): AsyncIterable<readonly TokenRecord[]> {
    return this.lists.pages(filter, true)
  }

  placeOf(token: TokenRecord): ListPosition {
    return this.store.placeOf(token)
  }

  tokensChangedAfter(index: number): readonly string[] | undefined {
    return this.store.tokensChangedAfter(index)
  }

  countTokens(filter: TokenFilter): Promise<number> {
    return this.store.countTokens(filter)
  }

  expiredTokens(now: number, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.store.expiredTokens(now, limit, scope)
  }

  orphanedTokens(limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.store.orphanedTokens(limit, scope)
  }

  idleTokens(idle: IdleQuery, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.store.idleTokens(idle, limit, scope)
  }

  logins(query: LoginQuery): Promise<readonly LoginGroup[]> {
    return this.store.logins(query)
  }

  countLogins(): Promise<ReadonlyMap<number, number>> {
    return this.store.countLogins()
  }

  kvEntry(namespace: string, key: string): Promise<KvRecord | undefined> {
    return this.store.kvEntry(namespace, key)
  }

  kvShortEntry(
    namespace: string,
    key: string,
    valueBytesMax: number,
  ): Promise<KvRecord | 'long' | undefined> {
    return this.store.kvShortEntry(namespace, key, valueBytesMax)
  }

  kvEntries(range: KvRange): AsyncIterable<readonly KvRecord[]> {
    return this.store.kvEntries(range)
  }

  kvKeys(range: KvRange): AsyncIterable<readonly KvKey[]> {
    return this.store.kvKeys(range)
  }

  commit(changes: readonly Change[], options?: CommitOptions): Promise<number> {
    return this.store.commit(changes, options)
  }

  wait(topic: Topic, after: number, timeoutMs: number, signal?: AbortSignal): Promise<WaitOutcome> {
    return this.store.wait(topic, after, timeoutMs, signal)
  }
}
