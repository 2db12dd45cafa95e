/**
 * Whether the expectations of a commit still hold. `MemoryStore` has the same rules, and the store suite checks both.
 */
import type { Expectation } from '@latchkey/catalog'
import { findIndexes, type Transaction } from '../held-tables.ts'
import { storeText } from '../read/stored-text.ts'

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
