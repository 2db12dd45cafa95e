/** The columns of a key: what a commit sends, and the record decoded from a row. */
import type { KvRecord } from '@latchkey/acl'
import type { Change, KvKey } from '@latchkey/service'
import { readBytes, readText, storeBytes, storeText } from './read/stored-text.ts'
import type { Column } from './write/columns.ts'

export type KvChange = Extract<Change, { readonly table: 'kv' }>

/** `record` is absent if only the key matters: for a delete, and for the prefix of a tree. */
interface KvSource {
  readonly namespace: string
  readonly key: string
  readonly record: KvRecord | undefined
}

/** Without `modify_index`, which is the index of the commit. */
export const KV_COLUMNS: readonly Column<KvSource>[] = [
  { name: 'namespace', sql: 'text', encode: ({ namespace }) => storeText(namespace) },
  { name: 'key', sql: 'bytea', encode: ({ key }) => storeBytes(Buffer.from(key)) },
  { name: 'flags', sql: 'bigint', encode: ({ record }) => record && BigInt.asIntN(64, record.Flags) },
  { name: 'lock_index', sql: 'bigint', encode: ({ record }) => record?.LockIndex },
  { name: 'session', sql: 'text', encode: ({ record }) => record && (record.Session ?? '') },
  { name: 'value', sql: 'bytea', encode: ({ record }) => record && storeBytes(record.Value) },
  { name: 'create_index', sql: 'bigint', encode: ({ record }) => record?.CreateIndex },
]

export function encodeKv(change: KvChange): readonly unknown[] {
  const source: KvSource =
    change.op === 'delete-tree'
      ? { namespace: change.namespace, key: change.prefix, record: undefined }
      : {
          namespace: change.record.Namespace,
          key: change.record.Key,
          record: change.op === 'put' ? change.record : undefined,
        }
  return KV_COLUMNS.map(({ encode }) => encode(source))
}

export type KvKeyRow = Pick<KvRow, 'key' | 'modify_index'>

/** As `row_to_json` writes it. */
export interface KvRow {
  readonly namespace: string
  readonly key: string
  /** As digits: the column has the same 64 bits but is signed, and JSON numbers are not exact. */
  readonly flags: string
  readonly lock_index: number
  readonly session: string
  readonly value: string
  readonly create_index: number
  readonly modify_index: number
}

/** As {@link KvRow}, without a value that was too long to read. */
export interface KvLongRow extends Omit<KvRow, 'value'> {
  readonly value: null
}

export function kvKeyOfRow(row: KvKeyRow): KvKey {
  return { Key: readBytes(row.key).toString('utf8'), ModifyIndex: row.modify_index }
}

export function kvOfRow(row: KvRow): KvRecord {
  return {
    Key: readBytes(row.key).toString('utf8'),
    Flags: BigInt.asUintN(64, BigInt(row.flags)),
    Value: readBytes(row.value),
    LockIndex: row.lock_index,
    ...(row.session === '' ? {} : { Session: row.session }),
    CreateIndex: row.create_index,
    ModifyIndex: row.modify_index,
    Namespace: readText(row.namespace),
  }
}
