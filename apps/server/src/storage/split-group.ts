import type { Change } from '@latchkey/acl'

/** A group in the two parts that `latchkey_commit` takes. */
export interface SplitGroup<W> {
  /** One change of one token each, and no id in two of them: the order among them means nothing. */
  readonly tokens: readonly W[]
  /** The others. */
  readonly others: readonly W[]
}

/** Sets apart the writes that can be made all at once; most are creates of tokens, and most ids are new. */
export function splitGroup<W extends { readonly changes: readonly Change[] }>(
  group: readonly W[],
): SplitGroup<W> {
  const tokens: W[] = []
  const others: W[] = []
  const seen = new Set<string>()
  for (const write of group) {
    const ids = idsOf(write.changes)
    if (ids && !ids.some((id) => seen.has(id))) tokens.push(write)
    else others.push(write)
    for (const id of ids ?? []) seen.add(id)
  }
  return { tokens, others }
}

/** The ids that a change of a single token claims or frees; undefined for any other write. */
function idsOf(changes: readonly Change[]): readonly string[] | undefined {
  const [change] = changes
  if (changes.length !== 1 || change?.table !== 'tokens' || change.expect === undefined) return undefined
  const { AccessorID, SecretID } = change.record
  // Accessors match without case, and as they were typed with secrets.
  return AccessorID === '' ? [SecretID] : [SecretID, AccessorID, AccessorID.toLowerCase()]
}
