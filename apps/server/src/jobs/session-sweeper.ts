import { endExpiredSessions, type Store } from '@latchkey/service'

const SWEEP_INTERVAL_MS = 1_000
/** A new leader waits this long, so that renewals that its predecessor refused arrive first. */
export const SWEEP_GRACE_MS = 5_000

/** Runs work in the leader. The signal stays the same until another process becomes leader. */
type WorkOfLeader = (signal: AbortSignal) => Promise<boolean>

/**
 * Ends sessions whose TTL has passed.
 *
 * @param win runs the work in the leader.
 * @param now a monotonic clock, in milliseconds.
 * @returns a round, which returns the milliseconds until the next one.
 */
export function sessionSweeper(
  store: Store,
  win: (work: WorkOfLeader) => Promise<boolean | undefined>,
  now: () => number = () => performance.now(),
): () => Promise<number> {
  let term: AbortSignal | undefined
  let begunAt = 0
  return async () => {
    const hasMore = await win(async (signal) => {
      if (signal !== term) begunAt = now()
      term = signal
      return now() - begunAt >= SWEEP_GRACE_MS && endExpiredSessions(store)
    })
    return hasMore ? 0 : SWEEP_INTERVAL_MS
  }
}
