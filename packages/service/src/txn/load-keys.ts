/** Loads the keys that the operations of a transaction refer to. */
import {
  type KvRecord,
  type Operation,
  type StoredKeys,
  TransactionBudget,
  UNLOADED_VALUE,
} from '@latchkey/acl'
import { limits } from '@latchkey/contract'
import { compareUtf8 } from '../store/list-order.ts'
import { kvTopic, type Store } from '../store/store.ts'

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
