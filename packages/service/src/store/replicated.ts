/** The replicated records, which datacenters share: namespaces, policies, roles and global tokens. Decisions: changes. */
import type { NamespaceRecord, PolicyRecord, RoleRecord, TokenRecord } from '@latchkey/acl'
import { REDACTED_SECRET_ID } from '@latchkey/contract'

/** Ordered by their links: a linked record comes before the records that link it. */
export const REPLICATED_TABLES = ['namespaces', 'policies', 'roles', 'tokens'] as const
export type ReplicatedTable = (typeof REPLICATED_TABLES)[number]

/** A value for each table. */
export function byTable<V>(make: (table: ReplicatedTable) => V): Record<ReplicatedTable, V> {
  return Object.fromEntries(REPLICATED_TABLES.map((table) => [table, make(table)])) as never
}

/** The ID, or else the name; empty for a token without an accessor. */
export function replicatedKey(record: ReplicatedRecord): string {
  if ('AccessorID' in record) return record.AccessorID.toLowerCase()
  return 'ID' in record ? record.ID : record.Name
}

export function isReplicated(topic: string): topic is ReplicatedTable {
  return (REPLICATED_TABLES as readonly string[]).includes(topic)
}

/** Maximum number of records in {@link StoreChanges}. A reader further behind gets `undefined`, or requests parts. */
export const REPLICATED_CHANGES_MAX = 5_000
/** Maximum length of the records of a part, in stored characters. The last commit in it may exceed it. */
const PART_LENGTH_MAX = 2_097_152

export type ReplicatedRecord = NamespaceRecord | PolicyRecord | RoleRecord | TokenRecord

export interface ReplicatedRecords {
  readonly namespaces: readonly NamespaceRecord[]
  readonly policies: readonly PolicyRecord[]
  readonly roles: readonly RoleRecord[]
  /** Only global tokens, and only those with an accessor. */
  readonly tokens: readonly TokenRecord[]
}

/** The global tokens that may be shown, and the number of those whose secret is unknown. */
export function takeShowable(tokens: readonly TokenRecord[]): Pick<StoreChanges, 'tokens' | 'leftOut'> {
  const named = tokens.filter(({ AccessorID }) => AccessorID !== '')
  const shown = named.filter(isShowable)
  return { tokens: shown, leftOut: named.length - shown.length }
}

/** Another datacenter must not store a token without a real secret. */
function isShowable({ SecretID }: TokenRecord): boolean {
  return SecretID !== '' && SecretID !== REDACTED_SECRET_ID
}

/**
 * The changes of commits: applied to the records of an earlier index, they result in the records of `index`. Each record
 * occurs once, as it was at `index`; in a part with `more`, as it was when it was read, at a later index.
 */
export interface StoreChanges extends ReplicatedRecords {
  readonly index: number
  /** Whether later commits also made changes. If so, only the parts that follow complete a consistent state. */
  readonly more: boolean
  /** Names of namespaces, IDs, and lower-case accessors. Some may never have been among the records. */
  readonly deleted: Readonly<Record<ReplicatedTable, readonly string[]>>
  /** Number of tokens that are among the deleted because their secret is unknown, so that they give no rights elsewhere. */
  readonly leftOut: number
}

/** Requests changes in parts, of whole commits. */
export interface InParts {
  /** At most {@link REPLICATED_CHANGES_MAX}. A single commit may have more. */
  readonly recordsMax: number
}

/** A reader of the changes, such as another datacenter, by the name that it gives itself. */
export interface ChangeReader {
  readonly name: string
  /** The reader has all changes up to this index. */
  readonly index: number
  /** When it last sent a request, in milliseconds since the epoch. */
  readonly contactAt: number
}

export interface ReaderContact {
  readonly name: string
  /** The reader has all changes up to this index; `undefined` if this has not changed. */
  readonly index: number | undefined
  readonly now: number
}

/**
 * Readers for which the change log is kept: up to {@link READER_KEPT_MS} and {@link READER_LINES_MAX}. They are not part of
 * commits. A contact is persisted within seconds.
 */
export interface ChangeReaders {
  note(contact: ReaderContact): void
  list(now: number): Promise<readonly ChangeReader[]>
}

/** How far a reader at an index is behind the last change. Keys move the index without a change. */
export function readerLag(index: number, store: { tableIndex(table: 'changes'): number }): number {
  return Math.max(0, store.tableIndex('changes') - index)
}

/** A reader that stopped is dropped after a day; older changes are not kept for any reader. */
export const READER_KEPT_MS = 86_400_000
export const READER_LINES_MAX = 1_000_000
export const READERS_MAX = 64

/** A record that commits touched. */
export interface Touched {
  readonly table: ReplicatedTable
  readonly key: string
  /** Whether one of the commits deleted it; a later one may have recreated it. */
  readonly wasDeleted: boolean
  readonly first: number
}

export interface TouchedPart<T extends Touched = Touched> {
  readonly index: number
  readonly touched: readonly T[]
}

/**
 * Takes whole commits from the beginning, at least one, up to the bounds of a part.
 * @param touched in the order of `first`, without gaps up to `known`.
 * @param known index of the last commit whose records are all in `touched`.
 * @param lengthOf length of the stored record; 0 if there is none.
 * @returns undefined if the first commit is not in `touched` as a whole.
 */
export function takePart<T extends Touched>(
  touched: readonly T[],
  { known, recordsMax }: InParts & { readonly known: number },
  lengthOf: (touched: T) => number,
): TouchedPart<T> | undefined {
  let length = 0
  let count = 0
  let index: number | undefined
  for (const [at, change] of touched.entries()) {
    if (change.first > known) break
    length += lengthOf(change)
    const next = touched[at + 1]
    if (next?.first === change.first) continue
    if (index !== undefined && (at + 1 > recordsMax || length > PART_LENGTH_MAX)) break
    // Later commits before the next one in the list touched nothing new.
    index = next === undefined ? known : Math.min(next.first - 1, known)
    count = at + 1
  }
  return index === undefined ? undefined : { index, touched: touched.slice(0, count) }
}

/** Looks up the records at one index, by their keys. */
export type FindReplicated = {
  readonly [T in ReplicatedTable]: (key: string) => ReplicatedRecords[T][number] | undefined
}

/** @param more see {@link StoreChanges.more}. */
export function changesOf(
  { index, touched }: TouchedPart,
  more: boolean,
  find: FindReplicated,
): StoreChanges {
  const found = byTable((): ReplicatedRecord[] => [])
  const deleted = byTable((): string[] => [])
  let leftOut = 0
  for (const { table, key, wasDeleted } of touched) {
    const record = find[table](key)
    const token = record && 'Local' in record ? record : undefined
    const isLeftOut = token?.Local === false && !isShowable(token)
    if (isLeftOut) leftOut += 1
    // A local token may have the accessor of a global one that was deleted earlier.
    if (token?.Local ? wasDeleted : !record || isLeftOut) deleted[table].push(key)
    else if (record && !token?.Local) found[table].push(record)
  }
  return { index, more, ...(found as unknown as ReplicatedRecords), deleted, leftOut }
}
