import type { TableName } from '@latchkey/acl'
import type { NamespaceRow, PolicyRow, RoleRow, SystemRow } from './decode-rows.ts'

/** One line of the log of changes. `entity` is a table of the port, or `members`. */
export interface ChangeRow {
  readonly index: number
  readonly entity: TableName | 'members'
  readonly op: 'put' | 'delete' | 'delete-tree'
  readonly key: string | null
  readonly binary_key: string | null
}

/** The rows of the directory, or those of them that changed. */
export interface DirectoryRows {
  readonly policies: readonly PolicyRow[]
  readonly roles: readonly RoleRow[]
  readonly namespaces: readonly NamespaceRow[]
  readonly system: readonly SystemRow[]
}

type Tables = Readonly<Record<TableName, number>>

/** The answer of `latchkey_changes`: see the migration. `now` is the database's clock, in milliseconds. */
export type ChangeBatch = { readonly index: number; readonly now: number } & (
  | { readonly tables?: never; readonly reset?: never }
  | ({ readonly tables: Tables; readonly reset: true } & DirectoryRows)
  | ({
      readonly tables: Tables
      readonly reset?: never
      readonly changes: readonly ChangeRow[]
    } & DirectoryRows)
)
