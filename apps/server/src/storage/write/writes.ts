import type { Change, ConflictReason } from '@latchkey/service'
import type { SecretBox } from '../../secrets/secret-box.ts'
import type { TokenCache } from '../read/token-cache.ts'
import { type EncodedRow, encodeRow, ORDINALS_PER_TREE, type RowChange } from './row-changes.ts'

/** Changes of the small tables that every process holds whole. */
export type DirectoryChange = Exclude<Change, RowChange>

/** A change of a write, with its place in it. */
export interface Placed<T> {
  readonly place: number
  /** In the log: places leave room for the keys of deleted trees. */
  readonly ordinal: number
  readonly change: T
}

/** An encoded write, committed whole or not at all. */
export interface EncodedWrite {
  readonly changes: readonly Change[]
  readonly rows: readonly Placed<EncodedRow & { readonly table: RowChange['table'] }>[]
  readonly directory: readonly Placed<DirectoryChange>[]
  /** Characters of all its texts. */
  readonly chars: number
  /** Its index is above this. */
  readonly above?: number | undefined
}

/** The outcome of a group: the index before its first write, and per write its index or its conflict. */
export interface GroupAnswer {
  readonly before: number
  readonly results: readonly (number | ConflictReason)[]
  /** Whether the database had lost commits that this process has seen. */
  readonly isBehind: boolean
}

/** @param cache see {@link encodeRow}. */
export function encodeWrite(
  changes: readonly Change[],
  secrets: SecretBox,
  cache?: Pick<TokenCache, 'secretHashOf'>,
): EncodedWrite {
  const rows: EncodedWrite['rows'][number][] = []
  const directory: Placed<DirectoryChange>[] = []
  let chars = 0
  let ordinal = 0
  for (const [place, change] of changes.entries()) {
    if (change.table === 'tokens' || change.table === 'kv') {
      const row = encodeRow(change, ordinal, secrets, cache)
      chars += charsOf(row.values)
      rows.push({ place, ordinal, change: { ...row, table: change.table } })
    } else {
      chars += charsOf(change.record)
      directory.push({ place, ordinal, change })
    }
    ordinal += change.op === 'delete-tree' ? ORDINALS_PER_TREE : 1
  }
  return { changes, rows, directory, chars }
}

function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let chars = 0
  for (const part of Object.values(value)) chars += charsOf(part)
  return chars
}
