/** What only one record may have, the same for every store. */
import { idKey, nameKey } from '@latchkey/acl'
import { type Change, type ConflictReason, StoreConflict } from './store.ts'

type RecordChange = Exclude<Change, { op: 'delete-tree' }>

interface Claim {
  /** Same text, same thing. */
  readonly key: string
  readonly reason: ConflictReason
}

/** @throws StoreConflict where two changes of one commit claim the same id, or the same name. */
export function checkTogether(changes: readonly Change[]): void {
  if (changes.length < 2) return
  const holders = new Map<string, string>()
  for (const change of changes) {
    if (change.op !== 'put') continue
    for (const { key, reason } of claimsOf(change)) {
      const holder = holders.get(key)
      if (holder !== undefined && holder !== keyOf(change)) throw new StoreConflict(reason)
      holders.set(key, keyOf(change))
    }
  }
}

/** The ids of a token, which must be new among accessors and secrets alike; else a name. */
function claimsOf(change: RecordChange): readonly Claim[] {
  const { table, record } = change
  if (table === 'tokens') {
    const secret: Claim = { key: `id/${idKey(record.SecretID)}`, reason: 'secret_in_use' }
    if (record.AccessorID === '') return [secret]
    return [{ key: `id/${record.AccessorID.toLowerCase()}`, reason: 'accessor_in_use' }, secret]
  }
  if (table !== 'policies' && table !== 'roles') return []
  return [{ key: `${table}/${nameKey(record.Namespace, record.Name)}`, reason: 'name_in_use' }]
}

/** The key of a record in its table. */
export function keyOf(change: Exclude<Change, { op: 'delete-tree' }>): string {
  switch (change.table) {
    case 'tokens':
      return change.record.SecretID
    case 'policies':
    case 'roles':
      return change.record.ID
    case 'kv':
      return `${change.record.Namespace}/${change.record.Key}`
    case 'namespaces':
      return change.record.Name
    case 'system':
      return change.record.Key
  }
}
