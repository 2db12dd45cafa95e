/** `MemoryStore` has the same rules, and the store suite checks both. */
import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import type { Expectation } from '@latchkey/catalog'
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

/** In SQL, because partial indexes answer it however many records there are. */
export async function holdsRecords(tx: Transaction, namespace: string): Promise<boolean> {
  const [answer] = await tx.$queryRaw<
    { holds: boolean }[]
  >`SELECT latchkey_namespace_holds(${namespace}) AS holds`
  return answer?.holds !== false
}

type KeyExpectation = Extract<Expectation, { readonly table: 'kv'; readonly key: string }>
type TreeExpectation = Extract<Expectation, { readonly prefix: string }>
type RecordExpectation = Exclude<Expectation, { readonly table: 'kv' }>

/** @param tx holds the lock of the commit index, so that nothing changes until it ends. */
export async function holds(tx: Transaction, expects: readonly Expectation[]): Promise<boolean> {
  const trees = expects.filter((one): one is TreeExpectation => 'prefix' in one)
  const keys = expects.filter((one): one is KeyExpectation => one.table === 'kv' && 'key' in one)
  const records = expects.filter((one): one is RecordExpectation => one.table !== 'kv')
  for (const tree of trees) if (!(await treeHolds(tx, tree))) return false
  return (await keysHold(tx, keys)) && (await recordsHold(tx, records))
}

async function keysHold(tx: Transaction, expects: readonly KeyExpectation[]): Promise<boolean> {
  if (expects.length === 0) return true
  const namespaces = expects.map(({ namespace }) => storeText(namespace))
  const keys = expects.map(({ key }) => Buffer.from(key))
  const indexes = expects.map(({ modifyIndex }) => BigInt(modifyIndex))
  const [answer] = await tx.$queryRaw<{ changed: bigint }[]>`SELECT count(*) AS changed
    FROM unnest(${namespaces}::text[], ${keys}::bytea[], ${indexes}::bigint[]) AS e (namespace, key, modify_index)
    WHERE e.modify_index <> coalesce(
      (SELECT k.modify_index FROM kv k WHERE k.namespace = e.namespace AND k.key = e.key), 0)`
  return answer?.changed === 0n
}

async function treeHolds(tx: Transaction, { namespace, prefix, ...expected }: TreeExpectation) {
  const key = Buffer.from(prefix)
  const [answer] = await tx.$queryRaw<{ count: bigint; newest: bigint }[]>`SELECT count(*) AS count,
    coalesce(max(modify_index), 0) AS newest FROM kv
    WHERE namespace = ${storeText(namespace)} AND key >= ${key} AND substring(key FOR ${key.length}::integer) = ${key}`
  return Number(answer?.count) === expected.count && Number(answer?.newest) === expected.modifyIndex
}

async function recordsHold(tx: Transaction, expects: readonly RecordExpectation[]): Promise<boolean> {
  for (const [table, ofTable] of Map.groupBy(expects, (one) => one.table)) {
    const keys = ofTable.map(({ key }) => storeText(key))
    const stored = await findIndexes(tx, table, keys)
    const isSame = ({ modifyIndex }: RecordExpectation, i: number) =>
      Number(stored.get(keys[i] ?? '')?.modifyIndex ?? 0n) === modifyIndex
    if (!ofTable.every(isSame)) return false
  }
  return true
}
