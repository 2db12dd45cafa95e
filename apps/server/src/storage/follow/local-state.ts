import {
  contentOf,
  DIRECTORY_TABLES,
  Directory,
  type DirectoryContent,
  type DirectoryRecords,
  type DirectoryTable,
  directoryKey,
  emptyDirectoryMaps,
  isDirectoryTable,
  type TokenRecord,
} from '@latchkey/acl'
import {
  CATALOG_TABLES,
  Catalog,
  type CatalogChange,
  type CatalogRecords,
  type CatalogTable,
  catalogKey,
  endedSessions,
  isCatalogTable,
  serviceIndexChanges,
} from '@latchkey/catalog'
import { ownText } from '@latchkey/contract'
import {
  type Change,
  catalogTopics,
  isOfCatalog,
  isReplicated,
  kvTopic,
  movesCatalog,
  RecentTokenChanges,
  type TableName,
  type Topic,
  tokenTopic,
} from '@latchkey/service'
import type { CatalogContent } from '../held-tables.ts'
import type { KvCache, TokenCache, TokenKeys } from '../read/caches.ts'
import { readBytes, readText } from '../read/stored-text.ts'
import { ownRecord, type TokenRow, tokenOfRow } from '../token-table.ts'
import type { ChangeBatch, ChangeRow, HeldRecords } from './read-changes.ts'
import { TopicIndexes } from './topic-indexes.ts'
import type { Waiters } from './waiters.ts'

/** A commit of this process, with the keys of its changes in the log. */
export interface OwnCommit {
  readonly index: number
  readonly changes: readonly Exclude<Change, { op: 'delete-tree' }>[]
  readonly secretHashes: readonly (string | undefined)[]
}

/** Tokens of larger commits, such as copies, are only cached when they are read. */
const CACHED_CHANGES_MAX = 64

interface LocalStateParts {
  readonly tokens: TokenCache
  readonly keys: KvCache
  readonly waiters: Waiters
  /** Called when a process joins or leaves. */
  readonly onMembers: () => void
}

/**
 * This process's copy of the store at {@link appliedIndex}: the whole directory and catalog, and some tokens. Changes
 * are applied in the order of their indexes, each index once, in one turn of the event loop.
 */
export class LocalState {
  appliedIndex = 0
  changedAt = Number.NEGATIVE_INFINITY
  readonly tokens: TokenCache
  readonly waiters: Waiters
  readonly topics = new TopicIndexes(0)
  readonly recentTokens = new RecentTokenChanges()
  private readonly keys: KvCache
  private readonly onMembers: () => void
  private directoryRecords = emptyDirectoryMaps()
  private directoryVersion = 0
  private built: Directory | undefined
  catalog = new Catalog()

  constructor({ tokens, keys, waiters, onMembers }: LocalStateParts) {
    this.tokens = tokens
    this.keys = keys
    this.waiters = waiters
    this.onMembers = onMembers
  }

  /** Built on demand, so that a burst of changes builds it once. */
  directory(): Directory {
    this.built ??= new Directory(contentOf(this.directoryRecords), this.directoryVersion)
    return this.built
  }

  /** Applies commits of any process. @param isWhole the batch has all records, not only those that changed. */
  applyBatch(batch: ChangeBatch, isWhole = false): void {
    if (!batch.tables || batch.index <= this.appliedIndex) return
    if (batch.reset) {
      this.reset(batch.index, batch.tables, batch.records)
      return
    }
    const touched = new Set<Topic>()
    const changed = batch.changes.filter(({ index }) => index > this.appliedIndex)
    const tokens = this.renewedTokens(batch.tokens)
    for (const change of changed) this.noteChange(change, touched)
    for (const [record, secretHash] of tokens) this.tokens.add(record, secretHash)
    if (isWhole) this.replaceRecords(batch.index, batch.records)
    else {
      this.takeDirectoryRecords(changed, batch.records)
      this.takeCatalogRecords(changed, batch.records)
    }
    for (const name of Object.keys(batch.tables) as TableName[]) this.topics.touch(name, batch.tables[name])
    this.finish(batch.index, touched)
  }

  /** The new versions of cached tokens. The same lookup hash means the same secret, so nothing is decrypted. */
  private renewedTokens(rows: readonly TokenRow[]): readonly (readonly [TokenRecord, string])[] {
    return rows.flatMap((row) => {
      const known = this.tokens.byHashKey(row.secretHash)
      if (!known) return []
      const record = ownRecord(tokenOfRow(row, { open: () => known.SecretID }))
      return [[record, ownText(row.secretHash)] as const]
    })
  }

  /** Applies own commits that follow without a gap: only then is the result known without reading it back. */
  applyOwn(commits: readonly OwnCommit[]): void {
    const touched = new Set<Topic>()
    for (const { index, changes, secretHashes } of commits) {
      const isBulk = changes.length > CACHED_CHANGES_MAX
      const ofCatalog: CatalogChange[] = []
      let place = 0
      for (const change of changes) {
        if (isOfCatalog(change)) ofCatalog.push(change)
        else {
          this.touch(change.table, index, touched)
          if (change.table === 'tokens') {
            this.takeOwnToken(change, index, { secretHash: secretHashes[place], isBulk }, touched)
          } else if (change.table === 'kv') {
            this.touchKey(kvTopic(change.record.Namespace, change.record.Key), index, touched)
          } else this.takeOwnRecord(change.table, change, index)
        }
        place += 1
      }
      if (ofCatalog.length > 0) this.takeOwnCatalogChanges(ofCatalog, index, touched)
    }
    const last = commits.at(-1)
    if (last) this.finish(last.index, touched)
  }

  /** Drops everything and starts from the whole directory and catalog. Every waiter reads again. */
  reset(index: number, tables: Readonly<Record<TableName, number>>, records: HeldRecords): void {
    this.tokens.clear()
    this.keys.clear()
    this.replaceRecords(index, records)
    this.topics.reset(index, tables)
    this.recentTokens.reset(tables.tokens)
    this.appliedIndex = index
    this.changedAt = performance.now()
    this.onMembers()
    this.waiters.wakeAll()
  }

  private finish(index: number, touched: ReadonlySet<Topic>): void {
    this.appliedIndex = index
    this.changedAt = performance.now()
    for (const topic of touched) this.waiters.wake(topic)
  }

  private touch(topic: Topic, index: number, touched: Set<Topic>): void {
    this.topics.touch(topic, index)
    touched.add(topic)
    if (isReplicated(topic)) touched.add('changes')
    if (movesCatalog(topic)) touched.add('catalog')
  }

  private touchToken(keys: TokenKeys, index: number, touched: Set<Topic>): void {
    this.tokens.invalidate(keys)
    this.recentTokens.note(keys.accessorKey, index)
    if (keys.accessorKey !== undefined) this.touch(tokenTopic(keys.accessorKey), index, touched)
  }

  private touchKey(topic: Topic, index: number, touched: Set<Topic>): void {
    this.keys.forget(topic)
    this.touch(topic, index, touched)
  }

  private noteChange({ index, entity, op, key, binary_key }: ChangeRow, touched: Set<Topic>): void {
    if (entity === 'members') {
      this.onMembers()
      return
    }
    this.touch(entity, index, touched)
    if (entity === 'tokens') {
      const accessorKey = key === null ? undefined : readText(key)
      this.touchToken({ accessorKey, secretHash: binary_key?.slice(2) }, index, touched)
    } else if (entity === 'kv' && op !== 'delete-tree' && key !== null && binary_key !== null) {
      this.touchKey(kvTopic(readText(key), readBytes(binary_key).toString('utf8')), index, touched)
    } else if (isCatalogTable(entity) && key !== null) {
      for (const topic of catalogTopics(entity, readText(key))) this.touch(topic, index, touched)
    }
  }

  /** The batch has the directory records that exist after its last change; the others are deleted. */
  private takeDirectoryRecords(changes: readonly ChangeRow[], records: DirectoryContent): void {
    let last: number | undefined
    for (const { index, entity, key } of changes) {
      if (!isDirectoryTable(entity) || key === null) continue
      this.directoryRecords[entity].delete(readText(key))
      last = index
    }
    if (last === undefined) return
    this.putDirectoryRecords(records)
    this.directoryVersion = last
    this.built = undefined
  }

  private takeCatalogRecords(changes: readonly ChangeRow[], records: CatalogContent): void {
    const found = new Set<string>()
    for (const table of CATALOG_TABLES) {
      for (const record of records[table]) found.add(`${table} ${catalogKey(table, record)}`)
    }
    for (const { entity, key } of changes) {
      const isGone = key !== null && !found.has(`${entity} ${readText(key)}`)
      if (isGone && isCatalogTable(entity)) this.catalog.remove(entity, readText(key))
    }
    this.putCatalogRecords(records)
  }

  private putCatalogRecords(records: CatalogContent): void {
    for (const table of CATALOG_TABLES) {
      for (const record of records[table]) this.catalog.put(table, record)
    }
  }

  private replaceRecords(index: number, records: HeldRecords): void {
    this.directoryRecords = emptyDirectoryMaps()
    this.putDirectoryRecords(records)
    this.directoryVersion = index
    this.built = undefined
    this.catalog = new Catalog()
    this.putCatalogRecords(records)
  }

  private putDirectoryRecords(content: DirectoryContent): void {
    const put = <T extends DirectoryTable>(table: T) => {
      for (const record of content[table])
        this.directoryRecords[table].set(directoryKey(table, record), record)
    }
    for (const table of DIRECTORY_TABLES) put(table)
  }

  /** Also moves the indexes of services and ends sessions, as the database did in this commit. */
  private takeOwnCatalogChanges(changes: readonly CatalogChange[], index: number, touched: Set<Topic>): void {
    const ended = endedSessions(changes, this.catalog).map(
      (record): CatalogChange => ({ table: 'sessions', op: 'delete', record }),
    )
    for (const { table, op, record } of [
      ...changes,
      ...serviceIndexChanges(changes, this.catalog),
      ...ended,
    ]) {
      const key = catalogKey(table, record)
      for (const topic of [table, ...catalogTopics(table, key)]) this.touch(topic, index, touched)
      if (op === 'delete') {
        this.catalog.remove(table, key)
        continue
      }
      const CreateIndex = this.catalog.get(table, key)?.CreateIndex ?? (record.CreateIndex || index)
      // The compiler cannot see that table and record still match after the copy.
      this.catalog.put(table, { ...record, CreateIndex, ModifyIndex: index } as CatalogRecords[CatalogTable])
    }
  }

  private takeOwnToken(
    { op, record, expect }: Extract<Change, { readonly table: 'tokens' }>,
    index: number,
    { secretHash, isBulk }: { readonly secretHash: string | undefined; readonly isBulk: boolean },
    touched: Set<Topic>,
  ): void {
    const accessorKey = record.AccessorID === '' ? undefined : record.AccessorID.toLowerCase()
    const replaced = expect && secretHash !== undefined ? this.tokens.sameAs(secretHash, expect) : undefined
    this.touchToken({ accessorKey, secretHash }, index, touched)
    if (op === 'delete' || secretHash === undefined || isBulk) return
    // Only the database knows the CreateIndex of a record that is not cached; the next read loads it.
    const CreateIndex = expect === 0 ? record.CreateIndex || index : replaced?.CreateIndex
    if (CreateIndex === undefined) return
    this.tokens.add({ ...record, CreateIndex, ModifyIndex: index }, secretHash)
  }

  private takeOwnRecord<T extends DirectoryTable>(
    table: T,
    { op, record }: { readonly op: 'put' | 'delete'; readonly record: DirectoryRecords[T] },
    index: number,
  ): void {
    const records: Map<string, DirectoryRecords[T]> = this.directoryRecords[table]
    const key = directoryKey(table, record)
    if (op === 'delete') records.delete(key)
    else {
      const CreateIndex = records.get(key)?.CreateIndex ?? (record.CreateIndex || index)
      records.set(key, { ...record, CreateIndex, ModifyIndex: index })
    }
    this.directoryVersion = index
    this.built = undefined
  }
}
