/** The statements that a commit needs for a table of the directory or the catalog, each for many rows at once. */
import type { TableName } from '@latchkey/service'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'

export type Transaction = Prisma.TransactionClient
export type HeldTable = Exclude<TableName, 'tokens' | 'kv'>

export interface StoredIndexes {
  /** The primary key. */
  readonly key: string
  readonly createIndex: bigint
  readonly modifyIndex: bigint
}

export interface NewRow<R> extends StoredIndexes {
  readonly record: R
}

export interface Statements<R> {
  find(tx: Transaction, keys: readonly string[]): Promise<readonly StoredIndexes[]>
  remove(tx: Transaction, keys: readonly string[]): Promise<unknown>
  create(tx: Transaction, rows: readonly NewRow<R>[], secrets: SecretBox): Promise<unknown>
}
