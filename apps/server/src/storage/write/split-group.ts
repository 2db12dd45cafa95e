import { idKey } from '@latchkey/acl'
import { type Change, kvTopic } from '@latchkey/service'

/** A group of writes of tokens and keys, those first that can be made at once. */
export interface SplitGroup<W> {
  /** No id and no key is in two of them: the order among them means nothing. */
  readonly apart: readonly W[]
  readonly others: readonly W[]
}

/** Sets apart the writes that can be made all at once; most are creates of tokens, and most ids are new. */
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

/** What a change claims or frees; of a tree only the database knows. */
function idsOf(change: Change): readonly string[] {
  if (change.op === 'delete-tree') return []
  if (change.table === 'kv') return [kvTopic(change.record.Namespace, change.record.Key)]
  if (change.table !== 'tokens') return []
  const { AccessorID, SecretID } = change.record
  return AccessorID === '' ? [idKey(SecretID)] : [idKey(SecretID), AccessorID.toLowerCase()]
}
