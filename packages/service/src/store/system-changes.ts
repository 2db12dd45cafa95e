/** Changes of system records. */
import type { SystemKey, SystemRecord, SystemValues } from '@latchkey/acl'
import type { Change, Store } from './store.ts'

/** Writes a system record. @param expect as in {@link Change}. */
export function putSystem<K extends SystemKey>(
  Key: K,
  Value: SystemValues[K],
  expect: number | undefined,
): Change {
  // The compiler cannot see that a key and its value form one of the records.
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
  const expect = stored?.ModifyIndex ?? 0
  if (Value !== undefined) return [putSystem(Key, Value, expect)]
  return stored ? [{ table: 'system', op: 'delete', record: stored, expect }] : []
}
