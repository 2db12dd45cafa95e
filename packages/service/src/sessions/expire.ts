import { type Change, type Store, StoreConflict } from '../store/store.ts'

/** Maximum number of sessions that one commit ends, so that no write waits long behind it. */
const BATCH_SIZE_MAX = 64

/**
 * Ends sessions whose lifetime is over.
 *
 * @returns whether more may be waiting.
 */
export async function endExpiredSessions(store: Store): Promise<boolean> {
  const expired = await store.sessionTimes.expired(BATCH_SIZE_MAX)
  const { sessions } = store.catalog()
  const changes = expired.flatMap((id): Change[] => {
    const record = sessions.get(id)
    return record ? [{ table: 'sessions', op: 'delete', record, expect: undefined, ifExpired: true }] : []
  })
  if (changes.length === 0) return false
  try {
    await store.commit(changes)
    return true
  } catch (error) {
    // One of the sessions was renewed or destroyed concurrently: the next round ends the rest.
    if (error instanceof StoreConflict) return false
    throw error
  }
}
