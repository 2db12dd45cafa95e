/**
 * A repair: collects the primary's records in memory until they are the state at one index, and then replaces the stored
 * records in one commit. No intermediate state is visible. Decisions: replication.
 */
import type { NamespaceRecord, PolicyRecord, RoleRecord, SkippedToken, TokenRecord } from '@latchkey/acl'
import { REPLICATED_TABLES, type ReplicatedTable } from '../../store/replicated.ts'
import type { Store } from '../../store/store.ts'
import { isSameContent, type Received } from '../apply/received.ts'
import type { FollowedKinds } from '../round.ts'
import { AccessorSet } from './accessor-set.ts'

export interface StagingLimits {
  /** Maximum number of records that differ. */
  readonly recordsMax: number
  /** Maximum length of their JSON, in characters. */
  readonly lengthMax: number
}

export const STAGING_LIMITS: StagingLimits = { recordsMax: 100_000, lengthMax: 67_108_864 }

/** Limit on deletions without an operator's consent: this many records of a kind, or this fraction of them. */
const DELETED_MAX = 100
const DELETED_SHARE_MAX = 0.2

export class StagingFull extends Error {
  override readonly name = 'StagingFull'
}

type AnyRecord = NamespaceRecord | PolicyRecord | RoleRecord | TokenRecord

export class Staging {
  readonly cluster: string
  /** ModifyIndex of the replication record when the repair began. */
  readonly fence: number
  /** Index of the last changes, or of the first page. */
  index: number
  /** Cursor of the next page; `undefined` after the last one. */
  cursor: string | undefined
  readonly hasPages: boolean
  /** Whether every token of the primary has an accessor, so copies without one have no original. */
  allHaveAccessors = false
  private readonly limits: StagingLimits
  private readonly records: {
    readonly [T in ReplicatedTable]: Map<string, { record: AnyRecord; length: number }>
  } = {
    namespaces: new Map(),
    policies: new Map(),
    roles: new Map(),
    tokens: new Map(),
  }
  private readonly unusable = new Map<string, SkippedToken>()
  private readonly deleted = {
    namespaces: new Set<string>(),
    policies: new Set<string>(),
    roles: new Set<string>(),
    tokens: new Set<string>(),
  }
  /** Keys of all records of the primary. */
  private readonly held = {
    namespaces: new Set<string>(),
    policies: new Set<string>(),
    roles: new Set<string>(),
    tokens: new AccessorSet(),
  }
  private length = 0

  /** @param begin the first page of a copy, or the stored records and their index. */
  constructor(
    begin: {
      readonly cluster: string
      readonly fence: number
      readonly index: number
      readonly hasPages: boolean
    },
    limits: StagingLimits,
  ) {
    this.cluster = begin.cluster
    this.fence = begin.fence
    this.index = begin.index
    this.hasPages = begin.hasPages
    this.limits = limits
  }

  /**
   * Adds a page. Records equal to the stored ones take no memory.
   *
   * @throws StagingFull
   */
  async addPage(page: Received, store: Store): Promise<void> {
    const directory = store.directory()
    for (const record of page.namespaces) this.add('namespaces', record, directory.namespace(record.Name))
    for (const record of page.policies) this.add('policies', record, directory.policy(record.ID))
    for (const record of page.roles) this.add('roles', record, directory.role(record.ID))
    const existing = await Promise.all(page.tokens.map(({ AccessorID }) => store.tokenByAccessor(AccessorID)))
    for (const [i, record] of page.tokens.entries()) this.add('tokens', record, existing[i])
    this.addUnusable(page)
  }

  /**
   * Adds the changes since.
   *
   * @throws StagingFull
   */
  addChanges(changes: Received): void {
    for (const table of REPLICATED_TABLES) {
      for (const key of changes.deleted[table]) {
        this.drop(table, key)
        this.held[table].delete(key)
        this.deleted[table].add(key)
        if (table === 'tokens') this.unusable.delete(key)
      }
      for (const record of changes[table]) this.add(table, record, undefined)
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

  private add(table: ReplicatedTable, record: AnyRecord, existing: AnyRecord | undefined): void {
    const key = keyOf(record)
    this.held[table].add(key)
    this.deleted[table].delete(key)
    if (table === 'tokens') this.unusable.delete(key)
    this.drop(table, key)
    if (existing && isGlobal(existing) && isSameContent(existing, record)) return
    const { length } = JSON.stringify(record)
    this.records[table].set(key, { record, length })
    this.length += length
    const count = REPLICATED_TABLES.reduce((sum, name) => sum + this.records[name].size, 0)
    if (count > this.limits.recordsMax || this.length > this.limits.lengthMax) {
      const { recordsMax, lengthMax } = this.limits
      throw new StagingFull(
        `more than ${recordsMax} records or ${lengthMax} characters differ: accept ${this.cluster} to copy everything again`,
      )
    }
  }

  private drop(table: ReplicatedTable, key: string): void {
    this.length -= this.records[table].get(key)?.length ?? 0
    this.records[table].delete(key)
  }

  /** All differences, including the deletion of records that the primary does not have. */
  async differences(store: Store): Promise<Received> {
    const strays = this.hasPages ? await this.findDeleted(store) : []
    const taken = <R extends AnyRecord>(table: ReplicatedTable) =>
      [...this.records[table].values()].map(({ record }) => record as R)
    return {
      namespaces: taken('namespaces'),
      policies: taken('policies'),
      roles: taken('roles'),
      tokens: taken('tokens'),
      unusable: [...this.unusable.values()],
      strays,
      deleted: {
        namespaces: [...this.deleted.namespaces],
        policies: [...this.deleted.policies],
        roles: [...this.deleted.roles],
        tokens: [...this.deleted.tokens],
      },
    }
  }

  /** @returns tokens to delete that have no accessor. */
  private async findDeleted(store: Store): Promise<readonly TokenRecord[]> {
    const strays: TokenRecord[] = []
    const directory = store.directory()
    for (const { Name } of directory.namespaces()) this.findOne('namespaces', Name)
    for (const { ID } of directory.policies()) this.findOne('policies', ID)
    for (const { ID } of directory.roles()) this.findOne('roles', ID)
    for await (const page of store.tokens({ local: false })) {
      for (const token of page) {
        if (token.AccessorID === '') strays.push(...(this.allHaveAccessors ? [token] : []))
        else this.findOne('tokens', token.AccessorID.toLowerCase())
      }
    }
    return strays
  }

  private findOne(table: ReplicatedTable, key: string): void {
    if (!this.held[table].has(key)) this.deleted[table].add(key)
  }

  /**
   * @param kinds `withoutTokens`: the operator chose to delete the tokens, by a setting.
   * @returns why an operator must consent to the differences; `undefined` if no consent is needed.
   */
  async objection(
    { deleted, strays = [] }: Received,
    store: Store,
    kinds: FollowedKinds['kinds'],
  ): Promise<string | undefined> {
    if (!this.hasPages) return undefined
    const directory = store.directory()
    const stored = {
      namespaces: [...directory.namespaces()].length,
      policies: [...directory.policies()].length,
      roles: [...directory.roles()].length,
      tokens: await store.countTokens({ local: false }),
    }
    const countOf = (name: ReplicatedTable) => deleted[name].length + (name === 'tokens' ? strays.length : 0)
    const table = REPLICATED_TABLES.find((name) => {
      if (name === 'tokens' && kinds === 'withoutTokens') return false
      const count = countOf(name)
      return count > DELETED_MAX && count > DELETED_SHARE_MAX * stored[name]
    })
    return table && `it would delete ${countOf(table)} of ${stored[table]} ${table}`
  }
}

function isGlobal(record: AnyRecord): boolean {
  return !('Local' in record) || !record.Local
}

function keyOf(record: AnyRecord): string {
  if ('AccessorID' in record) return record.AccessorID.toLowerCase()
  return 'ID' in record ? record.ID : record.Name
}
