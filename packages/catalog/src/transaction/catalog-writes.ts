/**
 * The catalog as seen by the operations of a transaction: the stored records, with the writes of earlier operations.
 */
import { Catalog, type CatalogRecords, type CatalogTable, catalogKey } from '../catalog.ts'
import type { CatalogChange } from '../commit-rules.ts'
import { nodeKey } from '../records/catalog-records.ts'
import type { SessionRecord } from '../records/session-records.ts'
import { endedSessions } from '../sessions/create-session.ts'
import type { LiveSessions } from './keys.ts'
import { type Expectation, PENDING_INDEX } from './outcome.ts'

type ConditionalTable = Extract<Expectation, { readonly table: 'nodes' | 'services' | 'checks' }>['table']

export class CatalogWrites {
  readonly catalog = new Catalog()
  private readonly stored: Catalog
  private readonly last = new Map<string, CatalogChange>()
  private readonly expected = new Map<string, Expectation>()
  private readonly endedSessions = new Map<string, SessionRecord>()
  /** The sessions after the operations applied so far. */
  readonly sessions: LiveSessions = {
    has: (id) => this.stored.sessions.get(id) !== undefined && !this.endedSessions.has(id),
    ended: (id) => this.endedSessions.get(id),
  }

  /** @param nodes names and ids of nodes that the operations name. */
  constructor(
    stored: Catalog,
    nodes: readonly { readonly name: string; readonly id?: string | undefined }[],
  ) {
    this.stored = stored
    const keys = new Set<string>()
    for (const { name, id = '' } of nodes) {
      keys.add(nodeKey(name))
      const holder = id === '' ? undefined : stored.nodeById(id)
      if (holder) keys.add(nodeKey(holder.Node))
    }
    for (const key of keys) this.copy(key)
  }

  private copy(node: string): void {
    const { stored, catalog } = this
    const record = stored.node(node)
    if (!record) return
    catalog.put('nodes', record)
    for (const service of stored.servicesOn(node)) catalog.put('services', service)
    for (const check of stored.checksOn(node)) catalog.put('checks', check)
    for (const coordinate of stored.coordinatesOf(node)) catalog.put('coordinates', coordinate)
  }

  /** Records that the transaction depends on a record or on its absence. */
  expect<T extends ConditionalTable>(table: T, key: string): void {
    const modifyIndex = this.stored.get(table, key)?.ModifyIndex ?? 0
    this.expected.set(`${table} ${key}`, { table, key, modifyIndex })
  }

  make(changes: readonly CatalogChange[]): void {
    for (const session of endedSessions(changes, this.stored)) this.endedSessions.set(session.ID, session)
    for (const planned of changes) {
      const change = withoutPendingIndex(planned)
      const { table } = change
      const key = catalogKey(table, change.record)
      const before = this.stored.get(table, key)
      this.last.set(`${table} ${key}`, change)
      if (table === 'nodes' || table === 'services' || table === 'checks') this.expect(table, key)
      if (change.op === 'delete') {
        this.catalog.remove(table, key)
        continue
      }
      const CreateIndex = before?.CreateIndex || change.record.CreateIndex || PENDING_INDEX
      const record = { ...change.record, CreateIndex, ModifyIndex: PENDING_INDEX }
      // The record belongs to the table.
      this.catalog.put(table, record as CatalogRecords[CatalogTable])
    }
  }

  changes(): readonly CatalogChange[] {
    return [...this.last.values()].filter(
      ({ table, op, record }) =>
        op === 'put' || this.stored.get(table, catalogKey(table, record)) !== undefined,
    )
  }

  expectations(): readonly Expectation[] {
    return [...this.expected.values()]
  }
}

/**
 * Removes a pending index from a change: the record was created by the transaction, and the store assigns the index of
 * the commit.
 */
function withoutPendingIndex(change: CatalogChange): CatalogChange {
  const { record } = change
  if (record.CreateIndex !== PENDING_INDEX) return change
  // The record still belongs to the table.
  return { ...change, record: { ...record, CreateIndex: 0 } } as CatalogChange
}
