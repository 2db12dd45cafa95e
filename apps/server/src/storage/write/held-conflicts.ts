/**
 * The conflict rules of the port for the small tables. `MemoryStore` has the same rules, and the store suite checks
 * both.
 */
import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import type { ConflictReason } from '@latchkey/service'
import {
  findIndexes,
  type HeldTable,
  methodKeyOf,
  nameKeyOf,
  partsOf,
  primaryKeyOf,
  readHeld,
  type StoredIndexes,
  type Transaction,
} from '../held-tables.ts'
import { storeText } from '../read/stored-text.ts'
import type { HeldChange } from './writes.ts'

/** Stored rows by table and key. */
export type StoredRows = Map<HeldTable, ReadonlyMap<string, StoredIndexes>>

/** @returns why the changes cannot be made. Names and namespaces are checked against the state after them. */
export async function findConflict(
  tx: Transaction,
  changes: readonly HeldChange[],
  stored: StoredRows,
): Promise<ConflictReason | undefined> {
  const taken = await findTakenNames(tx, changes)
  const missing = await findMissingNamespaces(tx, changes)
  for (const change of changes) {
    if (taken.has(nameOf(change))) return 'name_in_use'
    const { expect } = change
    const modifyIndex = Number(stored.get(change.table)?.get(primaryKeyOf(change))?.modifyIndex ?? 0)
    if (expect !== undefined && modifyIndex !== expect) return 'changed'
    if (missing.has(namespaceOf(change) ?? '')) return 'changed'
  }
  return (await keepsAuthMethods(tx, changes)) ? undefined : 'changed'
}

/** The claim of a new name; empty for a change that makes none. */
function nameOf({ table, op, record }: HeldChange): string {
  if (op === 'delete' || (table !== 'policies' && table !== 'roles')) return ''
  return claimOf(table, storeText(record.Namespace), nameKeyOf(record))
}

function claimOf(table: string, namespace: string, nameKey: string): string {
  return JSON.stringify([table, namespace, nameKey])
}

type NamedChange = Extract<HeldChange, { readonly table: 'policies' | 'roles' }>

/** Claimed names of records that the commit does not change. */
async function findTakenNames(tx: Transaction, changes: readonly HeldChange[]): Promise<ReadonlySet<string>> {
  const taken = new Set<string>()
  for (const table of ['policies', 'roles'] as const) {
    const ofTable = changes.filter((change): change is NamedChange => change.table === table)
    const changed = new Set(ofTable.map(primaryKeyOf))
    const records = ofTable.flatMap(({ op, record }) => (op === 'put' ? record : []))
    for (const part of partsOf(records)) {
      const namespaces = part.map(({ Namespace }) => storeText(Namespace))
      const where = { namespace: { in: namespaces }, nameKey: { in: part.map(nameKeyOf) } }
      for (const { ID, Namespace, Name } of await readHeld(tx, table, where)) {
        if (!changed.has(storeText(ID))) taken.add(claimOf(table, storeText(Namespace), nameKeyOf({ Name })))
      }
    }
  }
  return taken
}

/** The namespace that a change needs. */
export function namespaceOf(change: HeldChange): string | undefined {
  if (change.op === 'delete' || !('Namespace' in change.record)) return undefined
  const { Namespace } = change.record
  return Namespace === DEFAULT_NAMESPACE ? undefined : storeText(Namespace)
}

/** Namespaces that changes need and that are neither stored nor created by the changes. */
export async function findMissingNamespaces(
  tx: Transaction,
  changes: readonly HeldChange[],
): Promise<ReadonlySet<string>> {
  const missing = new Set(changes.flatMap((change) => namespaceOf(change) ?? []))
  for (const change of changes) {
    if (change.table === 'namespaces' && change.op === 'put') missing.delete(primaryKeyOf(change))
  }
  for (const name of (await findIndexes(tx, 'namespaces', [...missing])).keys()) missing.delete(name)
  return missing
}

/** Whether every binding rule that the changes touch still has its auth method afterwards. */
async function keepsAuthMethods(tx: Transaction, changes: readonly HeldChange[]): Promise<boolean> {
  const ended: string[] = []
  for (const change of changes) {
    if (change.table === 'bindingRules' && change.op === 'delete') ended.push(primaryKeyOf(change))
  }
  for (const change of changes) {
    if (change.table === 'bindingRules' && change.op === 'put') {
      const where = { key: methodKeyOf(change.record) }
      if (!(await tx.authMethod.findUnique({ where, select: { key: true } }))) return false
    } else if (change.table === 'authMethods' && change.op === 'delete') {
      const where = { methodKey: primaryKeyOf(change), id: { notIn: ended } }
      if (await tx.bindingRule.findFirst({ where, select: { id: true } })) return false
    }
  }
  return true
}

/**
 * Whether a namespace has records of any kind. In SQL, because partial indexes answer it however many records there
 * are.
 */
export async function holdsRecords(tx: Transaction, namespace: string): Promise<boolean> {
  const [answer] = await tx.$queryRaw<
    { holds: boolean }[]
  >`SELECT latchkey_namespace_holds(${namespace}) AS holds`
  return answer?.holds !== false
}
