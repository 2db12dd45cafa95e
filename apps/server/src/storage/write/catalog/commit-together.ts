/** Commits catalog writes together, each with its own index and error: reads once, checks in memory. */
import {
  type Catalog,
  type CatalogChange,
  type CatalogRecords,
  type CatalogTable,
  catalogKey,
  endedSessions,
  keepsCatalogWhole,
  serviceIndexChanges,
} from '@latchkey/catalog'
import { type ConflictReason, isOfCatalog } from '@latchkey/service'
import type { SecretBox } from '../../../secrets/secret-box.ts'
import {
  type LogRow,
  type NewRow,
  primaryKeyOf,
  replaceRows,
  type Transaction,
  writeLog,
} from '../../held-tables.ts'
import { storeText } from '../../read/stored-text.ts'
import { findMissingNamespaces, namespaceOf } from '../held-conflicts.ts'
import type { EncodedWrite, HeldChange } from '../writes.ts'
import { loadCatalog } from './stored-catalog.ts'

type OfCatalog = HeldChange & CatalogChange

/** Whether a write only changes the catalog and depends on nothing else. */
export function isOfCatalogAlone({ rows, directory, above, expects }: EncodedWrite): boolean {
  if (rows.length > 0 || above !== undefined || expects !== undefined) return false
  return directory.length > 0 && directory.every(({ change }) => isOfCatalog(change))
}

/**
 * Commits the writes up to the first that ends sessions, which frees keys in the database. @param tx holds the lock of
 * the commit index. @returns the outcome of each write before that one.
 */
export async function commitTogether(
  tx: Transaction,
  secrets: SecretBox,
  writes: readonly EncodedWrite[],
  before: number,
): Promise<readonly (number | ConflictReason)[]> {
  const changes = writes.flatMap(({ directory }) => directory.map(({ change }) => change)).filter(isOfCatalog)
  const missing = await findMissingNamespaces(tx, changes)
  const group = new Group(await loadCatalog(tx, changes), missing, before)
  const results: (number | ConflictReason)[] = []
  for (const write of writes) {
    const result = group.judge(write)
    if (result === 'ends sessions') break
    results.push(result)
  }
  await group.store(tx, secrets)
  return results
}

class Group {
  private readonly catalog: Catalog
  private readonly missing: ReadonlySet<string>
  private readonly touched = new Map<string, { table: CatalogTable; key: string; wasStored: boolean }>()
  private readonly log: LogRow[] = []
  private readonly before: number
  private index: number

  constructor(catalog: Catalog, missing: ReadonlySet<string>, before: number) {
    this.catalog = catalog
    this.missing = missing
    this.before = before
    this.index = before
  }

  /** Applies a write in memory, unless it conflicts with the current state. */
  judge({ directory, nextOrdinal }: EncodedWrite): number | 'changed' | 'ends sessions' {
    const { catalog } = this
    // If a record is changed twice, the last change wins.
    const changes = [
      ...new Map(directory.map(({ change }) => [`${change.table}/${primaryKeyOf(change)}`, change])).values(),
    ].filter(isOfCatalog)
    if (endedSessions(changes, catalog).length > 0) return 'ends sessions'
    if (!changes.every((change) => this.isAsExpected(change)) || !keepsCatalogWhole(changes, catalog))
      return 'changed'
    const moved = serviceIndexChanges(changes, catalog)
    this.index += 1
    for (const change of changes) this.make(change)
    for (const change of moved) this.make(change)
    for (const { ordinal, change } of directory) this.note(ordinal, change as OfCatalog)
    for (const [i, change] of moved.entries()) this.note(nextOrdinal + i, change)
    return this.index
  }

  private isAsExpected(change: OfCatalog): boolean {
    const { table, record, expect } = change
    if (this.missing.has(namespaceOf(change) ?? '')) return false
    const stored = this.catalog.get(table, catalogKey(table, record))
    return expect === undefined || (stored?.ModifyIndex ?? 0) === expect
  }

  private make({ table, op, record }: CatalogChange): void {
    const { catalog, index } = this
    const key = catalogKey(table, record)
    const stored = catalog.get(table, key)
    const id = `${table}/${key}`
    if (!this.touched.has(id)) this.touched.set(id, { table, key, wasStored: stored !== undefined })
    if (op === 'delete') {
      catalog.remove(table, key)
      return
    }
    // A new record may have its own CreateIndex; an existing one keeps the stored one.
    const CreateIndex = stored?.CreateIndex ?? (record.CreateIndex || index)
    // The compiler cannot see that table and record still match after the copy.
    catalog.put(table, { ...record, CreateIndex, ModifyIndex: index } as CatalogRecords[CatalogTable])
  }

  private note(ordinal: number, { table, op, record }: CatalogChange): void {
    const key = storeText(catalogKey(table, record))
    this.log.push({ index: BigInt(this.index), ordinal, entity: table, op, key })
  }

  async store(tx: Transaction, secrets: SecretBox): Promise<void> {
    if (this.index === this.before) return
    const rows = Array.from(this.touched.values(), ({ table, key, wasStored }): NewRow => {
      const record = this.catalog.get(table, key)
      const { CreateIndex = 0, ModifyIndex = 0 } = record ?? {}
      const indexes = { createIndex: BigInt(CreateIndex), modifyIndex: BigInt(ModifyIndex) }
      return { table, key: storeText(key), wasStored, record, ...indexes }
    })
    await replaceRows(tx, secrets, rows)
    await writeLog(tx, this.log, this.index)
  }
}
