/** Plans a transaction on a consistent state of the store. */

import type { KvRecord } from '@latchkey/acl'
import {
  type Expectation,
  type May,
  type Operation,
  planTransaction,
  type StoredKeys,
  TransactionBudget,
  type TransactionPlan,
  UNLOADED_VALUE,
} from '@latchkey/catalog'
import { AclError, limits } from '@latchkey/contract'
import { compareUtf8 } from '../store/list-order.ts'
import { kvTopic, type Store } from '../store/store.ts'

/** Attempts before a read of constantly changing records gives up. */
const ATTEMPTS_MAX = 16

/**
 * Plans the operations. A plan with changes may be outdated, because its commit is conditional; any other plan is repeated
 * until nothing that it shows has changed in the meantime.
 *
 * @throws AclError `transaction_too_large`; `unavailable` if concurrent writes never leave a consistent state.
 */
export async function planSettled(
  store: Store,
  operations: readonly (Operation | undefined)[],
  may: May,
): Promise<TransactionPlan> {
  let before: readonly Expectation[] | undefined
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const index = store.commitIndex()
    const keys = await loadKeys(store, operations)
    const plan = planTransaction(operations, { catalog: store.catalog(), keys }, may)
    const { refused, failed, changes, expects } = plan
    if (refused.length + failed.length === 0 && changes.length > 0) return plan
    if (store.commitIndex() === index || isSame(expects, before)) return plan
    before = expects
  }
  const message = `The records are being changed too often: gave up after ${ATTEMPTS_MAX} tries`
  throw new AclError('unavailable', message, { headers: { 'Retry-After': '1' } })
}

function isSame(expects: readonly Expectation[], before: readonly Expectation[] | undefined): boolean {
  return before !== undefined && JSON.stringify(expects) === JSON.stringify(before)
}

/**
 * Keeps a value only if a `get` or `get-tree` may show it, or if a write may repeat it.
 *
 * @throws AclError `transaction_too_large`.
 */
export async function loadKeys(
  store: Pick<Store, 'kvEntry' | 'kvEntries' | 'sessionTimes'>,
  operations: readonly (Operation | undefined)[],
): Promise<StoredKeys> {
  const entries = new Map<string, KvRecord | undefined>()
  const trees = new Map<string, readonly KvRecord[]>()
  const shown = new Set<string>()
  const delayed = new Set<string>()
  const budget = new TransactionBudget()
  const ofKeys = operations.flatMap((operation) => (operation?.kind === 'key' ? operation : []))
  for (const { verb, namespace, key } of ofKeys) if (verb === 'get') shown.add(kvTopic(namespace, key))
  for (const { verb, namespace, key } of ofKeys) {
    const id = kvTopic(namespace, key)
    if (verb === 'delete-tree') continue
    if (verb === 'lock' && (await store.sessionTimes.isDelayed(namespace, key))) delayed.add(id)
    if (verb === 'get-tree') {
      if (!trees.has(id)) trees.set(id, await loadTree(store, { namespace, prefix: key }, budget))
    } else if (!entries.has(id)) {
      const entry = await store.kvEntry(namespace, key)
      if (entry && shown.has(id)) budget.takeKey(entry)
      const mayRepeat = ofKeys.some(
        (other) => id === kvTopic(other.namespace, other.key) && other.value.length === entry?.Value.length,
      )
      entries.set(id, entry && !shown.has(id) && !mayRepeat ? { ...entry, Value: UNLOADED_VALUE } : entry)
    }
  }
  return {
    entry: (namespace, key) => entries.get(kvTopic(namespace, key)),
    tree: (namespace, prefix) => trees.get(kvTopic(namespace, prefix)) ?? [],
    isDelayed: (namespace, key) => delayed.has(kvTopic(namespace, key)),
    compare: compareUtf8,
  }
}

async function loadTree(
  store: Pick<Store, 'kvEntries'>,
  range: { readonly namespace: string; readonly prefix: string },
  budget: TransactionBudget,
): Promise<readonly KvRecord[]> {
  const records: KvRecord[] = []
  for await (const page of store.kvEntries({ ...range, limit: limits.TRANSACTION_TREE_KEYS_MAX + 1 })) {
    for (const record of page) budget.takeKey(record)
    records.push(...page)
  }
  return records
}
