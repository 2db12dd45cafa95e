import type { RecordOf, TableName } from '@latchkey/service'
import type { HeldTable } from '../held-tables.ts'

/** One row of the change log. `entity` is a table of the port, or `members`. */
export interface ChangeRow {
  readonly index: number
  readonly entity: TableName | 'members'
  readonly op: 'put' | 'delete' | 'delete-tree'
  readonly key: string | null
  readonly binary_key: string | null
}

type Tables = Readonly<Record<TableName, number>>

/**
 * The answer of `latchkey_change_log`: see the migration. `now` is the database's clock, in milliseconds; `isMember`,
 * whether the requesting process was a member, in the same snapshot.
 */
export type ChangeLog = { readonly index: number; readonly now: number; readonly isMember: boolean } & (
  | { readonly tables?: never; readonly reset?: never }
  | { readonly tables: Tables; readonly reset: true }
  | { readonly tables: Tables; readonly reset?: never; readonly changes: readonly ChangeRow[] }
)

/**
 * Changes, with records that every process keeps in memory, from the same snapshot: all of them, or those that the
 * changes touched.
 */
export type ChangeBatch = ChangeLog & { readonly records: HeldRecords }

export type HeldRecords = { readonly [T in HeldTable]: readonly RecordOf[T][] }
