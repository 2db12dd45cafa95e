import type { SystemKey, SystemRecord, SystemValues } from '@latchkey/acl'
import type { Change, RecordChange, RecordOf, Store, TableName } from './store.ts'

/** Puts a record in place of another or, without one, as a new one. */
export function put<T extends TableName>(
  table: T,
  record: RecordOf[T],
  existing?: { readonly ModifyIndex: number },
): RecordChange {
  // The compiler cannot see that a table and its record form one of the changes.
  return { table, op: 'put', record, expect: existing?.ModifyIndex ?? 0 } as RecordChange
}

/** Deletes a record, if it is still as it was read. */
export function remove<T extends TableName>(table: T, record: RecordOf[T]): RecordChange {
  return { table, op: 'delete', record, expect: record.ModifyIndex } as RecordChange
}

/** Writes a system record. @param expect as in {@link Change}. */
export function putSystem<K extends SystemKey>(
  Key: K,
  Value: SystemValues[K],
  expect: number | undefined,
): Change {
  const record = { Key, Value, CreateIndex: 0, ModifyIndex: 0 } as SystemRecord
  return { table: 'system', op: 'put', record, expect }
}

/** Writes or, without a value, deletes a system record, on condition that it has not changed. */
export function changeSystem<K extends SystemKey>(
  store: Pick<Store, 'directory'>,
  Key: K,
  Value: SystemValues[K] | undefined,
): readonly Change[] {
  const stored = store.directory().system<SystemKey>(Key)
  if (Value !== undefined) return [putSystem(Key, Value, stored?.ModifyIndex ?? 0)]
  return stored ? [remove('system', stored)] : []
}
