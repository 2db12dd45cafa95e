/** Commits an answer of the primary together with the cursor. Decisions: replication. */

import { isSame, type ReplicationRecord, type SkippedToken } from '@latchkey/acl'
import { type Store, StoreConflict } from '../../store/store.ts'
import { putSystem } from '../../store/system-changes.ts'
import { Paused } from '../pause.ts'
import { type Applied, type AppliedCounts, changesFor } from './changes-for.ts'
import type { Received } from './received.ts'
import { type LookUp, readStored } from './stored.ts'

const SKIPPED_MAX = 1_000

export interface StoredCursor {
  readonly record: ReplicationRecord | undefined
  /** The ModifyIndex of the record. The next commit expects it, so if two processes replicate, one of them fails. */
  readonly fence: number
}

export function readCursor(store: Store): StoredCursor {
  const stored = store.directory().system('replication')
  return { record: stored?.Value, fence: stored?.ModifyIndex ?? 0 }
}

export interface CommitOptions {
  readonly fence: number
  readonly lookUp: LookUp
  readonly isSlice: boolean
}

/**
 * @param next the record after the commit, with the tokens skipped and namespaces kept so far.
 * @returns how much was written; `undefined` if nothing differed and nothing was committed.
 * @throws StoreConflict; Paused if too many tokens cannot be stored.
 */
export async function commitReceived(
  store: Store,
  received: Received,
  next: ReplicationRecord,
  options: CommitOptions,
): Promise<AppliedCounts | undefined> {
  const { keptNamespaces = [], ...rest } = next
  const leaving = keptNamespaces.filter((name) => received.namespaces.every(({ Name }) => Name !== name))
  const namespaces = [...new Set([...received.deleted.namespaces, ...leaving])]
  const whole = { ...received, deleted: { ...received.deleted, namespaces } }
  const commit = async (lookUp: LookUp): Promise<Applied | undefined> => {
    const applied = changesFor(whole, await readStored(store, whole, lookUp), options.isSlice)
    // If a local token blocks a received one, the stored previous version must be deleted, and may not have been looked up.
    const isHeld = applied.skipped.some(({ heldBy }) => heldBy !== undefined)
    if (isHeld && lookUp !== 'all') return commit('all')
    const skipped = mergeSkipped(next.skipped, received, applied.skipped)
    const kept = applied.keptNamespaces
    const Value = { ...rest, skipped, ...(kept.length === 0 ? {} : { keptNamespaces: kept }) }
    if (applied.changes.length === 0 && isSame(Value, readCursor(store).record)) return undefined
    await store.commit([...applied.changes, putSystem('replication', Value, options.fence)])
    return applied
  }
  try {
    return (await commit(options.lookUp))?.counts
  } catch (error) {
    if (!(error instanceof StoreConflict) || options.lookUp === 'all') throw error
    await store.refresh('consistent')
    if (readCursor(store).fence !== options.fence) throw error
    return (await commit('all'))?.counts
  }
}

/** @throws Paused if there are too many. */
function mergeSkipped(
  before: readonly SkippedToken[],
  { tokens, deleted }: Received,
  now: readonly SkippedToken[],
): readonly SkippedToken[] {
  const gone = new Set([
    ...tokens.map(({ AccessorID }) => AccessorID.toLowerCase()),
    ...deleted.tokens,
    ...now.map(({ accessorId }) => accessorId.toLowerCase()),
  ])
  const merged = [...before.filter(({ accessorId }) => !gone.has(accessorId.toLowerCase())), ...now]
  if (merged.length <= SKIPPED_MAX) return merged
  throw new Paused(`more than ${SKIPPED_MAX} global tokens cannot be stored here`)
}
