/** Uniqueness rules, shared by the stores. */
import { directoryKey, idKey, nameKey } from '@latchkey/acl'
import { catalogKey } from '@latchkey/catalog'
import { type Change, type ConflictReason, isOfCatalog, type RecordChange, StoreConflict } from './store.ts'

interface Claim {
  /** Equal keys conflict. */
  readonly key: string
  readonly reason: ConflictReason
}

/** @throws StoreConflict if two changes of one commit claim the same ID or name. */
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

export function keyOf(change: RecordChange): string {
  switch (change.table) {
    case 'tokens':
      return change.record.SecretID
    case 'kv':
      return `${change.record.Namespace}/${change.record.Key}`
    default:
      return isOfCatalog(change)
        ? catalogKey(change.table, change.record)
        : directoryKey(change.table, change.record)
  }
}
