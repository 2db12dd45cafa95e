/** What datacenters have in common: namespaces, policies, roles and global tokens. Decisions: changes. */
import type { NamespaceRecord, PolicyRecord, RoleRecord, TokenRecord } from '@latchkey/acl'

/** In the order in which records link each other: what is linked comes first. */
export const REPLICATED_TABLES = ['namespaces', 'policies', 'roles', 'tokens'] as const
export type ReplicatedTable = (typeof REPLICATED_TABLES)[number]

export function isReplicated(topic: string): topic is ReplicatedTable {
  return (REPLICATED_TABLES as readonly string[]).includes(topic)
}

/** Most records that {@link StoreChanges} hold; a reader further behind copies everything. */
export const REPLICATED_CHANGES_MAX = 5_000

export interface ReplicatedRecords {
  readonly namespaces: readonly NamespaceRecord[]
  readonly policies: readonly PolicyRecord[]
  readonly roles: readonly RoleRecord[]
  /** Only global ones, and only those with an accessor. */
  readonly tokens: readonly TokenRecord[]
}

/**
 * What commits changed: applied to the records of an earlier index, it gives those of `index`. Each record is there once, as
 * it was at `index`.
 */
export interface StoreChanges extends ReplicatedRecords {
  readonly index: number
  /** Names of namespaces, IDs, and accessors in lower case. Some may never have been among the records. */
  readonly deleted: Readonly<Record<ReplicatedTable, readonly string[]>>
}

/** A record that commits touched. */
export interface Touched {
  readonly table: ReplicatedTable
  /** As in {@link StoreChanges.deleted}. */
  readonly key: string
  /** Whether one of the commits deleted it; a later one may have created it again. */
  readonly wasDeleted: boolean
}

/** Looks up the records at one index, by their keys. */
export type FindReplicated = {
  readonly [T in ReplicatedTable]: (key: string) => ReplicatedRecords[T][number] | undefined
}

export function changesOf(index: number, touched: Iterable<Touched>, find: FindReplicated): StoreChanges {
  const namespaces: NamespaceRecord[] = []
  const policies: PolicyRecord[] = []
  const roles: RoleRecord[] = []
  const tokens: TokenRecord[] = []
  const deleted = {
    namespaces: [] as string[],
    policies: [] as string[],
    roles: [] as string[],
    tokens: [] as string[],
  }
  const take = <R>(record: R | undefined, into: R[], { table, key }: Touched) => {
    if (record === undefined) deleted[table].push(key)
    else into.push(record)
  }
  for (const change of touched) {
    const { table, key } = change
    if (table === 'namespaces') take(find.namespaces(key), namespaces, change)
    else if (table === 'policies') take(find.policies(key), policies, change)
    else if (table === 'roles') take(find.roles(key), roles, change)
    else {
      const token = find.tokens(key)
      // A local token may have the accessor of a global one that was deleted before.
      if (token?.Local !== true) take(token, tokens, change)
      else if (change.wasDeleted) deleted.tokens.push(key)
    }
  }
  return { index, namespaces, policies, roles, tokens, deleted }
}
