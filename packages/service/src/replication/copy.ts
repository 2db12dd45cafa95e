import type { ReplicationRecord, SkippedToken, TokenRecord } from '@latchkey/acl'
import type { ReplicatedRecord, ReplicatedTable } from '../store/replicated.ts'
import { byTable, REPLICATED_TABLES, replicatedKey } from '../store/replicated.ts'
import type { Store } from '../store/store.ts'
import { isSameContent, NOTHING, type Received } from './apply/received.ts'
import { Paused } from './primary.ts'

export interface CopyLimits {
  readonly recordsMax: number
  /** Maximum length of their JSON, in characters. */
  readonly lengthMax: number
}

export const COPY_LIMITS: CopyLimits = { recordsMax: 100_000, lengthMax: 67_108_864 }

/** Limit on deletions without an operator's consent: this many records of a kind, or this fraction of them. */
const DELETED_MAX = 100
const DELETED_SHARE_MAX = 0.2

/**
 * `slices`: the records here are not in use, so every page is written as it arrives. `whole`: they are in use, so one commit
 * writes all differences. `check`: likewise, while following continues, so nothing should differ. `parts`: there are
 * no pages, only changes that take several answers.
 */
export type CopyWay = 'slices' | 'whole' | 'check' | 'parts'

export type Drift = Readonly<Record<ReplicatedTable, number>>

export class CopyTooLarge extends Paused {}

export class Copy {
  readonly way: CopyWay
  readonly cluster: string
  /** Whether it began with no records here, so that the changes since its first page name all deleted ones. */
  readonly isFirst: boolean
  /** ModifyIndex of the replication record after the last commit of this copy, or before it. */
  fence: number
  /** The changes after this index complete the pages. */
  since: number
  index: number
  /** Cursor of the next page; `undefined` after the last one. */
  cursor: string | undefined
  private readonly limits: CopyLimits
  private readonly records = byTable(() => new Map<string, { record: ReplicatedRecord; length: number }>())
  private readonly unusable = new Map<string, SkippedToken>()
  private readonly deleted = byTable(() => new Set<string>())
  /** Keys of all records of the primary. */
  private readonly held = byTable(() => new Set<string>())
  /** Keys of records that differ although the primary has not changed them since. */
  private readonly drifted = byTable(() => new Set<string>())
  private length = 0

  constructor(
    begin: Pick<Copy, 'way' | 'cluster' | 'fence' | 'index'> & Partial<Pick<Copy, 'since' | 'isFirst'>>,
    limits: CopyLimits,
  ) {
    this.way = begin.way
    this.cluster = begin.cluster
    this.fence = begin.fence
    this.index = begin.index
    this.since = begin.since ?? begin.index
    this.isFirst = begin.isFirst ?? false
    this.limits = limits
  }

  /**
   * Adds a page. Records equal to the stored ones take no memory. In slices, the commit compares them.
   * @throws CopyTooLarge
   */
  async addPage(page: Received, store: Store): Promise<void> {
    if (this.way === 'slices') return this.addChanges(page, false)
    const directory = store.directory()
    const existing = {
      namespaces: page.namespaces.map(({ Name }) => directory.namespace(Name)),
      policies: page.policies.map(({ ID }) => directory.policy(ID)),
      roles: page.roles.map(({ ID }) => directory.role(ID)),
      tokens: await Promise.all(page.tokens.map(({ AccessorID }) => store.tokenByAccessor(AccessorID))),
    }
    for (const table of REPLICATED_TABLES) {
      for (const [i, record] of page[table].entries()) {
        const key = this.pass(table, record)
        const stored = existing[table][i]
        if (stored && !('Local' in stored && stored.Local) && isSameContent<ReplicatedRecord>(stored, record))
          continue
        this.stage(table, key, record)
        this.drifted[table].add(key)
      }
    }
    this.addUnusable(page)
  }

  /**
   * Adds changes that are later than the pages.
   * @param isApplied whether they are stored already.
   * @throws CopyTooLarge
   */
  addChanges(changes: Received, isApplied: boolean): void {
    for (const table of REPLICATED_TABLES) {
      for (const key of changes.deleted[table]) {
        this.drop(table, key)
        this.held[table].delete(key)
        if (!isApplied) this.deleted[table].add(key)
      }
      for (const record of changes[table]) {
        const key = this.pass(table, record)
        if (!isApplied) this.stage(table, key, record)
      }
    }
    this.addUnusable(changes)
  }

  private addUnusable({ unusable }: Received): void {
    for (const token of unusable) {
      const key = token.accessorId.toLowerCase()
      this.drop('tokens', key)
      this.held.tokens.add(key)
      this.unusable.set(key, token)
    }
  }

  /** Forgets earlier versions of a record that the primary has. @returns its key. */
  private pass(table: ReplicatedTable, record: ReplicatedRecord): string {
    const key = replicatedKey(record)
    this.drop(table, key)
    this.held[table].add(key)
    return key
  }

  private drop(table: ReplicatedTable, key: string): void {
    this.length -= this.records[table].get(key)?.length ?? 0
    this.records[table].delete(key)
    this.deleted[table].delete(key)
    this.drifted[table].delete(key)
    if (table === 'tokens') this.unusable.delete(key)
  }

  private stage(table: ReplicatedTable, key: string, record: ReplicatedRecord): void {
    const length = this.way === 'slices' ? 0 : JSON.stringify(record).length
    this.records[table].set(key, { record, length })
    this.length += length
    const count = REPLICATED_TABLES.reduce((sum, name) => sum + this.records[name].size, 0)
    const { recordsMax, lengthMax } = this.limits
    if (this.way === 'slices' || (count <= recordsMax && this.length <= lengthMax)) return
    throw new CopyTooLarge(
      `more than ${recordsMax} records or ${lengthMax} characters differ: accept ${this.cluster} to copy everything again`,
    )
  }

  take(): Received {
    const received = this.differences()
    for (const table of REPLICATED_TABLES) {
      for (const sets of [this.records, this.deleted, this.drifted]) sets[table].clear()
    }
    this.unusable.clear()
    this.length = 0
    return received
  }

  private differences(): Received {
    const records = (table: ReplicatedTable) => [...this.records[table].values()].map(({ record }) => record)
    return {
      ...(byTable(records) as unknown as Received),
      unusable: [...this.unusable.values()],
      deleted: byTable((table) => [...this.deleted[table]]),
    }
  }

  /**
   * All differences at the end, including the deletion of records that the primary does not have.
   * @param allHaveAccessors whether every token of the primary has an accessor, so copies without one have no original.
   */
  async finish(store: Store, allHaveAccessors: boolean): Promise<Received> {
    const strays: TokenRecord[] = []
    if (this.way !== 'parts' && !this.isFirst) {
      const directory = store.directory()
      for (const { Name } of directory.namespaces()) this.findOne('namespaces', Name)
      for (const { ID } of directory.policies()) this.findOne('policies', ID)
      for (const { ID } of directory.roles()) this.findOne('roles', ID)
      for await (const page of store.tokens({ local: false })) {
        for (const token of page) {
          if (token.AccessorID !== '') this.findOne('tokens', token.AccessorID.toLowerCase())
          else if (allHaveAccessors) strays.push(token)
        }
      }
    }
    return { ...NOTHING, ...this.differences(), strays }
  }

  private findOne(table: ReplicatedTable, key: string): void {
    if (this.held[table].has(key) || this.deleted[table].has(key)) return
    this.deleted[table].add(key)
    this.drifted[table].add(key)
  }

  /** How many records differed although nothing had changed them. */
  drift({ skipped, keptNamespaces = [] }: ReplicationRecord): Drift {
    for (const { accessorId } of skipped) this.drifted.tokens.delete(accessorId.toLowerCase())
    for (const name of keptNamespaces) this.drifted.namespaces.delete(name)
    return byTable((table) => this.drifted[table].size)
  }

  /** @returns why an operator must consent to the differences; `undefined` if no consent is needed. */
  async objection(
    { deleted, strays = [] }: Received,
    store: Store,
    tables: readonly ReplicatedTable[],
  ): Promise<string | undefined> {
    if (this.way === 'slices' || this.way === 'parts') return undefined
    const directory = store.directory()
    for (const table of tables) {
      const isOfTokens = table === 'tokens'
      const stored = isOfTokens ? await store.countTokens({ local: false }) : [...directory[table]()].length
      const count = deleted[table].length + (isOfTokens ? strays.length : 0)
      if (count > DELETED_MAX && count > DELETED_SHARE_MAX * stored)
        return `it would delete ${count} of ${stored} ${table}`
    }
    return undefined
  }
}
