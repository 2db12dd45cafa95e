import type { Expectation } from '@latchkey/catalog'
import type { StoredState } from '../memory-conflicts.ts'

/** Whether an expectation of a commit still holds. */
export function holds(
  expected: Expectation,
  { tables, catalog }: Pick<StoredState, 'tables' | 'catalog'>,
): boolean {
  if (expected.table !== 'kv') {
    const { table, key, modifyIndex } = expected
    return (catalog.get(table, key)?.ModifyIndex ?? 0) === modifyIndex
  }
  const { namespace, modifyIndex } = expected
  if ('key' in expected) {
    return (tables.kv.get(`${namespace}/${expected.key}`)?.ModifyIndex ?? 0) === modifyIndex
  }
  let count = 0
  let newest = 0
  for (const { Namespace, Key, ModifyIndex } of tables.kv.values()) {
    if (Namespace !== namespace || !Key.startsWith(expected.prefix)) continue
    count += 1
    newest = Math.max(newest, ModifyIndex)
  }
  return count === expected.count && newest === modifyIndex
}
