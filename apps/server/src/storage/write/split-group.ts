import { idKey } from '@latchkey/acl'
import { type Change, kvTopic } from '@latchkey/service'

/** A group of writes of tokens and keys. The writes that can be committed together come first. */
interface SplitGroup<W> {
  /** No two of them share an id or key, so their order does not matter. */
  readonly apart: readonly W[]
  readonly others: readonly W[]
}

/** Separates the writes that can be committed together. Most writes create tokens, and most ids are new. */
export function splitGroup<W extends { readonly changes: readonly Change[] }>(
  group: readonly W[],
): SplitGroup<W> {
  const apart: W[] = []
  const others: W[] = []
  const seen = new Set<string>()
  for (const write of group) {
    const ids = write.changes.flatMap(idsOf)
    const isTree = write.changes.some(({ op }) => op === 'delete-tree')
    if (!isTree && !ids.some((id) => seen.has(id))) apart.push(write)
    else others.push(write)
    for (const id of ids) seen.add(id)
  }
  return { apart, others }
}

/** The ids that a change claims or frees. The ids of a tree are known only to the database. */
function idsOf(change: Change): readonly string[] {
  if (change.op === 'delete-tree') return []
  if (change.table === 'kv') return [kvTopic(change.record.Namespace, change.record.Key)]
  if (change.table !== 'tokens') return []
  const { AccessorID, SecretID } = change.record
  return AccessorID === '' ? [idKey(SecretID)] : [idKey(SecretID), AccessorID.toLowerCase()]
}
