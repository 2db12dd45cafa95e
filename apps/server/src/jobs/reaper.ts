import { isExpired } from '@latchkey/acl'
import { type Change, type Store, StoreConflict } from '@latchkey/service'

/** Maximum expired tokens removed by one commit, so that no write waits long behind it (EXP-05). */
const BATCH_SIZE_MAX = 256

/**
 * Removes expired tokens. They act as deleted once expired; this frees their rows and ids.
 *
 * @returns how many were removed.
 */
export async function reapExpiredTokens(store: Store, now: number): Promise<number> {
  const expired = (await store.expiredTokens(now, BATCH_SIZE_MAX)).filter((token) => isExpired(token, now))
  if (expired.length === 0) return 0
  try {
    await store.commit(expired.map(remove))
    return expired.length
  } catch (error) {
    // One of them was deleted concurrently: the next round removes the rest.
    if (error instanceof StoreConflict) return 0
    throw error
  }

  function remove(record: (typeof expired)[number]): Change {
    return { table: 'tokens', op: 'delete', record, expect: record.ModifyIndex }
  }
}

/** Whether a batch was full, so that more may be waiting. */
export function isFullBatch(removed: number): boolean {
  return removed === BATCH_SIZE_MAX
}
