/** Changes of single records for commits. */
import type { Change } from '@latchkey/service'

type Single = Exclude<Change, { op: 'delete-tree' }>
type RecordOf<T extends Single['table']> = Extract<Single, { table: T }>['record']

/** @param expect the stored ModifyIndex, 0 for a record that must not exist; absent: any. */
export function putOf<T extends Single['table']>(table: T, record: RecordOf<T>, expect?: number): Change {
  return { table, op: 'put', record, expect } as Change
}

/** Like {@link putOf}. */
export function deleteOf<T extends Single['table']>(table: T, record: RecordOf<T>, expect?: number): Change {
  return { table, op: 'delete', record, expect } as Change
}
