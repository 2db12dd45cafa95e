import { endExpiredSessions, type Store } from '@latchkey/service'

const SWEEP_INTERVAL_MS = 1_000
/** A new leader waits this long, so that renewals that its predecessor refused arrive first. */
export const SWEEP_GRACE_MS = 5_000

/**
 * Ends sessions whose TTL has passed, in the leader, which `win` finds. Its signal is the same during its term.
 * @param now a monotonic clock. @returns a round, which returns the milliseconds until the next one.
 */
export function sessionSweeper(
  store: Store,
  win: (work: (signal: AbortSignal) => Promise<boolean>) => Promise<boolean | undefined>,
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
